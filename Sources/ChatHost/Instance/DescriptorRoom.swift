// Whether there are enough descriptors for a chat. Without them it would not stop with a sentence but somewhere in the middle:
// below us (in libdispatch) a descriptor that cannot be had ends the process. Callers never get the last ones (`clinux_accept`).

import CLinux
package import ChatSettings
import Dispatch
import Glibc

package enum DescriptorRoom {
    /// What a chat at rest opens besides (history, listeners, an event loop, control socket, what Swift and Dispatch need: 21),
    /// and what a command needs to reach it (`ControlServer` leaves the last five).
    static let needed = 27

    /// What a process asks for where it may: room for many contacts and files. More would be no use, and programs that we
    /// start inherit it.
    private static let wanted: rlim_t = 4096

    /// Raises the limit as far as a chat can use it, where that is allowed.
    /// Throws code 7 unless so many more files can be opened; those that Dispatch opens by the way are open afterwards.
    static func require() throws(CommandError) {
        raise()
        try count()
        openThoseOfDispatch()
    }

    /// Throws code 7 unless so many more files can be opened. Opens none: a number that the caller gave for a descriptor stays
    /// what it is.
    package static func count() throws(CommandError) {
        var probes: [Int32] = []
        var code: Int32 = 0
        while probes.count < needed, code == 0 {
            let probe = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            if probe >= 0 { probes.append(probe) } else { code = errno }
        }
        for probe in probes { close(probe) }
        guard code == 0 else {
            let words = limit().map { ", of the \($0.rlim_cur) allowed" } ?? ""
            throw CommandError(
                .localIO, "open files", "only \(probes.count) more can be opened\(words): a chat needs \(needed)",
                advice: "raise the limit: ulimit -n 1024, or LimitNOFILE= in systemd")
        }
    }

    private static func limit() -> rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }

    private static func raise() {
        guard var limit = limit() else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, wanted))
        // Where it is refused, the old limit remains, and `count` says whether it suffices.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Its poller and its timers are made when they are first needed: better now than when there is none left.
    private static func openThoseOfDispatch() {
        let queue = DispatchQueue(label: "blipchat.descriptors")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 3600)
        timer.activate()
        timer.cancel()
    }
}
