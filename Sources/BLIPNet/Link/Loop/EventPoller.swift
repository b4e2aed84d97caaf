// epoll(7) and eventfd(2) for one event loop: the system calls, nothing more.

internal import CLinux
internal import Glibc

/// What a socket is ready for.
struct SocketStates: OptionSet, Sendable {
    let rawValue: Int32
    static let readable = SocketStates(rawValue: Int32(CLINUX_READABLE))
    static let writable = SocketStates(rawValue: Int32(CLINUX_WRITABLE))
    static let all: SocketStates = [.readable, .writable]
}

/// An epoll instance that can be woken up from other threads.
final class EventPoller: Sendable {
    private let poller: Int32
    private let waker: Int32
    /// The waker's place among the numbers of sockets, which begin at 1.
    private static let wakerNumber: UInt64 = 0
    private static let capacity = 64

    /// A process without room for two descriptors cannot have connections: this is the one place where that is fatal,
    /// and it is reached before the first socket exists.
    init() {
        poller = epoll_create1(Int32(O_CLOEXEC))
        waker = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        precondition(poller >= 0 && waker >= 0, "no descriptors left for an event loop")
        _ = clinux_epoll_set(poller, waker, Int32(EPOLL_CTL_ADD), Int32(CLINUX_READABLE), Self.wakerNumber)
    }

    deinit {
        close(waker)
        close(poller)
    }

    /// Ends the current or the next `wait`. From any thread.
    func wake() { _ = eventfd_write(waker, 1) }

    /// Returns `false` when the kernel has no room for the descriptor.
    func setInterest(_ number: UInt64, _ descriptor: Int32, from old: SocketStates, to new: SocketStates) -> Bool {
        let operation: Int32
        switch (old.isEmpty, new.isEmpty) {
        case (true, true): return true
        case (true, false): operation = EPOLL_CTL_ADD
        case (false, true): operation = EPOLL_CTL_DEL
        case (false, false): operation = EPOLL_CTL_MOD
        }
        return clinux_epoll_set(poller, descriptor, operation, new.rawValue, number) == 0
    }

    /// Waits for news, at most `timeout` (`nil`: without end), and tells them after `awoken`. An error or a hang-up
    /// counts as ready for everything.
    func wait(_ timeout: Duration?, awoken: () -> Void, tell: (UInt64, SocketStates) -> Void) {
        // Rounded up, so that a timer is not found a little early again and again.
        let milliseconds = timeout.map { Int32(clamping: ($0.inNanoseconds &+ 999_999) / 1_000_000) } ?? -1
        withUnsafeTemporaryAllocation(of: clinux_news.self, capacity: Self.capacity) { news in
            let count = clinux_epoll_wait(poller, news.baseAddress, Int32(Self.capacity), milliseconds)
            awoken()
            guard count > 0 else { return }
            for entry in news[..<Int(count)] {
                if entry.token == Self.wakerNumber {
                    var value: UInt64 = 0
                    _ = eventfd_read(waker, &value)
                } else {
                    tell(entry.token, SocketStates(rawValue: entry.states))
                }
            }
        }
    }
}
