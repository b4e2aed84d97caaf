// Output while the process has been asked to end: whoever has stopped reading must not keep it alive.

import Glibc
import Synchronization

/// Set by whoever takes SIGINT and SIGTERM over: from then on it is on us that they end the process, whatever it waits for.
enum EndingOutput {
    private static let isWatched = Atomic(false)
    private static let isEnding = Atomic(false)
    /// Nobody has read for `patience` after the signal, and will not.
    private static let isGivenUp = Atomic(false)

    /// In tenths of a second.
    private static let patience = 10

    /// The signals do not end the process by themselves any more.
    static func watch() { isWatched.store(true, ordering: .relaxed) }

    /// The process has been asked to end.
    static func begin() {
        watch()
        isEnding.store(true, ordering: .relaxed)
    }

    /// Waits until a part of a page can be written to `descriptor` without blocking; `false` when it stops waiting.
    /// Returns at once where a signal would end the process, which then may block like any other.
    static func waitForRoom(in descriptor: Int32) -> Bool {
        guard isWatched.load(ordering: .relaxed) else { return true }
        var waited = 0
        while true {
            var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let count = poll(&poller, 1, isGivenUp.load(ordering: .relaxed) ? 0 : 100)
            // An error is met by the write.
            if count > 0 { return true }
            if count < 0, errno != EINTR { return true }
            guard isEnding.load(ordering: .relaxed) else { continue }
            waited += 1
            guard waited < patience, !isGivenUp.load(ordering: .relaxed) else {
                isGivenUp.store(true, ordering: .relaxed)
                return false
            }
        }
    }

    /// What a pipe that has room takes without blocking (pipe(7): PIPE_BUF), for as long as that matters.
    static var piece: Int { isWatched.load(ordering: .relaxed) ? 4096 : .max }
}
