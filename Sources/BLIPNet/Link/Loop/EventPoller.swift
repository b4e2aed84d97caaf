// epoll(7), eventfd(2) and timerfd_create(2) for one event loop: the system calls, nothing more.

internal import CLinux
internal import Glibc

/// The operations that a socket is ready for.
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
    private let alarm: Int32
    /// When the alarm goes off; used on the loop only.
    private nonisolated(unsafe) var armed: MonotonicTime?
    /// The places of waker and alarm among the numbers of sockets, which begin at 1.
    private static let wakerNumber: UInt64 = 0
    private static let alarmNumber = UInt64.max
    private static let capacity = 64
    /// How many descriptors a further loop leaves to what is more needed: one loop serves any number of sockets.
    private static let reserve: Int32 = 16

    /// Whether there are descriptors for a further one.
    static var hasRoom: Bool { clinux_leaves_descriptors(reserve) != 0 }

    /// A process without room for three descriptors cannot have connections: this is the one place where that is fatal. The
    /// first poller is made before the first socket; for each further one callers ask `hasRoom`.
    init() {
        poller = epoll_create1(Int32(O_CLOEXEC))
        waker = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        alarm = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        precondition(poller >= 0 && waker >= 0 && alarm >= 0, "no descriptors left for an event loop")
        _ = clinux_epoll_set(poller, waker, Int32(EPOLL_CTL_ADD), Int32(CLINUX_READABLE), Self.wakerNumber)
        _ = clinux_epoll_set(poller, alarm, Int32(EPOLL_CTL_ADD), Int32(CLINUX_READABLE), Self.alarmNumber)
    }

    deinit {
        close(alarm)
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

    /// How long to wait for news.
    enum Wait {
        case not
        /// `nil`: without end.
        case until(MonotonicTime?)
    }

    /// Waits for news and tells them after `awoken`. An error or a hang-up counts as ready for everything.
    func wait(_ wait: Wait, awoken: () -> Void, tell: (UInt64, SocketStates) -> Void) {
        var milliseconds: Int32 = 0
        if case .until(let deadline) = wait {
            setAlarm(deadline)
            milliseconds = -1
        }
        withUnsafeTemporaryAllocation(of: clinux_news.self, capacity: Self.capacity) { news in
            let count = clinux_epoll_wait(poller, news.baseAddress, Int32(Self.capacity), milliseconds)
            awoken()
            guard count > 0 else { return }
            for entry in news[..<Int(count)] {
                switch entry.token {
                case Self.wakerNumber:
                    var value: UInt64 = 0
                    _ = eventfd_read(waker, &value)
                case Self.alarmNumber:
                    // Reading takes the news of it back.
                    var count: UInt64 = 0
                    _ = read(alarm, &count, 8)
                    armed = nil
                default: tell(entry.token, SocketStates(rawValue: entry.states))
                }
            }
        }
    }

    /// Deadlines move rarely, and an alarm that is set spares the kernel a timer for each wait.
    private func setAlarm(_ deadline: MonotonicTime?) {
        guard deadline != armed else { return }
        armed = deadline
        var setting = itimerspec()
        if let deadline {
            // All zeros would switch it off.
            let nanoseconds = max(1, deadline.nanoseconds)
            setting.it_value = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        }
        _ = timerfd_settime(alarm, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
