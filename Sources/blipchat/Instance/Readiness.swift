// Waits until a descriptor can be read or written, for the few connections of the control socket.

import CLinux
import Dispatch
import Glibc

/// What to wait for.
enum Readiness: Sendable {
    case readable, writable

    /// Returns `true` when `descriptor` is ready (or at its end), `false` when `timeout` has passed or the task is
    /// cancelled. When it returns, nothing watches the descriptor any more: it may be closed.
    func wait(on descriptor: Int32, timeout: Duration?) async -> Bool {
        guard let alarm = Alarm() else { return false }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own for each wait. Dispatch sources would need none, but a reader and a writer of the
                // same descriptor crash libdispatch for Linux (see SocketPoller in BLIPNet).
                DispatchQueue(label: "blipchat.readiness").async {
                    continuation.resume(returning: poll(descriptor, alarm, timeout))
                }
            }
        } onCancel: {
            alarm.ring()
        }
    }

    private func poll(_ descriptor: Int32, _ alarm: Alarm, _ timeout: Duration?) -> Bool {
        let events = Int16(self == .readable ? POLLIN : POLLOUT)
        let deadline = timeout.map { ContinuousClock.now + $0 }
        while true {
            var watched = [
                pollfd(fd: descriptor, events: events, revents: 0),
                pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let left = deadline.map { Self.milliseconds($0 - .now) } ?? -1
            let count = Glibc.poll(&watched, nfds_t(watched.count), left)
            if count < 0, errno == EINTR { continue }
            // More than a poll can wait for has to be waited for in parts.
            if count == 0, let deadline, ContinuousClock.now < deadline { continue }
            return count > 0 && watched[1].revents == 0
        }
    }

    /// Rounded up, so that a wait never ends before its time.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return max(0, Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

/// A descriptor that becomes readable when it is rung.
private final class Alarm: Sendable {
    let descriptor: Int32
    private let bell: Int32

    /// `nil` when there is no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        bell = ends[1]
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    func ring() { _ = write(bell, "x", 1) }
}
