// Waits for all sockets of the process on one thread and tells their owners, each on its own queue.

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// What a socket is ready for.
struct SocketStates: OptionSet, Sendable {
    let rawValue: Int32
    static let readable = SocketStates(rawValue: Int32(CLINUX_READABLE))
    static let writable = SocketStates(rawValue: Int32(CLINUX_WRITABLE))
    static let all: SocketStates = [.readable, .writable]
}

/// An epoll instance and the thread that waits on it.
///
/// Dispatch sources would do the same, but libdispatch for Linux (Swift 6.3) cannot be trusted with sockets that
/// come and go: it keeps one record per descriptor for readers and writers, puts a reader that joins an armed writer
/// into the wrong list, and goes on using the record after a hang-up has freed it, which crashes in its event loop.
/// Here the kernel carries a number instead of a pointer, so that late news of a socket finds nobody.
final class SocketPoller: Sendable {
    /// Where news of one socket go: called on the owner's queue.
    private struct Watch {
        var queue: DispatchQueue
        var tell: @Sendable (SocketStates) -> Void
    }

    private struct Watches {
        var all: [UInt64: Watch] = [:]
        var next: UInt64 = 0
    }

    static let shared = SocketPoller()

    /// Negative when the system has no room for one: then every `arm` fails.
    private let descriptor: Int32
    private let watches = Mutex(Watches())

    private init() {
        descriptor = epoll_create1(Int32(O_CLOEXEC))
        guard descriptor >= 0 else { return }
        DispatchQueue(label: "blipnet.sockets").async { self.run() }
    }

    /// Takes in a socket; nothing is told before `arm`. The number is never used again.
    func add(queue: DispatchQueue, tell: @escaping @Sendable (SocketStates) -> Void) -> UInt64 {
        watches.withLock { watches in
            defer { watches.next += 1 }
            watches.all[watches.next] = Watch(queue: queue, tell: tell)
            return watches.next
        }
    }

    /// Asks to be told once when `socket` is ready for one of `states`; replaces an earlier wish. A broken
    /// connection is told as ready for all. Returns `false` when the kernel has no room for it.
    func arm(_ number: UInt64, _ socket: Socket, isNew: Bool, _ states: SocketStates) -> Bool {
        clinux_epoll_arm(descriptor, socket.descriptor, isNew ? 1 : 0, states.rawValue, number) == 0
    }

    /// Forgets the socket: what is on its way already finds nobody. Before the descriptor is closed.
    func remove(_ number: UInt64, _ socket: Socket) {
        _ = clinux_epoll_remove(descriptor, socket.descriptor)
        watches.withLock { $0.all[number] = nil }
    }

    private func run() {
        var numbers = [UInt64](repeating: 0, count: 64)
        var states = [Int32](repeating: 0, count: 64)
        while true {
            let count = clinux_epoll_wait(descriptor, &numbers, &states, 64)
            guard count >= 0 else {
                if errno == EINTR { continue }
                return
            }
            for index in 0..<Int(count) {
                guard let watch = watches.withLock({ $0.all[numbers[index]] }) else { continue }
                let ready = SocketStates(rawValue: states[index])
                watch.queue.async { watch.tell(ready) }
            }
        }
    }
}
