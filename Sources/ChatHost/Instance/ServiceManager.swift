// The descriptors that systemd hands to `serve`, and the news that it hears of it: sd_notify(3) and sd_listen_fds(3) by
// their sockets and variables, without libsystemd.

import CLinux
package import ChatSettings
import Glibc

/// The control socket, opened by systemd before there was a chat (systemd.socket(5)).
package struct ActivatedSocket: Sendable {
    let descriptor: Int32
}

/// The process that has started this one and wants to hear how it is. Without NOTIFY_SOCKET it hears nothing.
package struct ServiceManager: Sendable {
    /// The news that it can hear.
    package enum News: Sendable, Equatable {
        /// The chat runs, or has taken its settings over; with a line for `systemctl status`.
        case ready(String)
        case reloading
        case stopping
        /// For its watchdog.
        case alive

        /// In the form of sd_notify(3).
        var text: String {
            switch self {
            case .ready(let status): "READY=1\nSTATUS=\(status)"
            // Since systemd 253 it wants to know when (Type=notify-reload).
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }

        private static var monotonicMicroseconds: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        }
    }

    /// Descriptors are handed over from this one on.
    private static let firstDescriptor: Int32 = 3

    private let address: String?
    /// The silence after which it ends this process; `nil`: it does not watch.
    package let watchdog: Duration?
    /// The control socket, where it has opened that.
    package let control: ActivatedSocket?

    /// Throws code 2 when it hands over what cannot be used: its unit and this home do not fit together.
    ///
    /// To be called once: the descriptors belong to this process from then on, and not to those that it starts.
    package init(environment: [String: String], controlPath: String, process: Int32 = getpid()) throws(CommandError) {
        address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        if let address, !["/", "@"].contains(address.prefix(1)) {
            throw CommandError(.usage, "NOTIFY_SOCKET \(address)", "not the address of a UNIX socket")
        }
        watchdog = Self.isMeant("WATCHDOG_PID", environment, process) ? Self.watchdog(environment) : nil
        control = try Self.control(environment, controlPath, process)
    }

    /// Variables left over from a parent are about that parent.
    private static func isMeant(_ variable: String, _ environment: [String: String], _ process: Int32) -> Bool {
        environment[variable].map { Int32($0) == process } ?? true
    }

    private static func watchdog(_ environment: [String: String]) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let time = Int64(text), time > 0 else { return nil }
        return .microseconds(time)
    }

    private static func control(
        _ environment: [String: String], _ path: String, _ process: Int32
    ) throws(CommandError) -> ActivatedSocket? {
        guard environment["LISTEN_PID"] != nil, isMeant("LISTEN_PID", environment, process),
            let text = environment["LISTEN_FDS"]
        else { return nil }
        guard let count = Int32(text), (1...64).contains(count) else {
            throw CommandError(.usage, "LISTEN_FDS \(text)", "not a number of sockets")
        }
        let handed = firstDescriptor..<firstDescriptor + count
        for descriptor in handed {
            guard clinux_set_close_on_exec(descriptor) == 0, clinux_set_nonblocking(descriptor) == 0 else {
                throw .system("LISTEN_FDS", "descriptor \(descriptor) cannot be used", errno)
            }
        }
        guard let found = handed.first(where: { ControlSocket.path(of: $0) == path }) else {
            let others = handed.map { ControlSocket.path(of: $0) ?? "another kind of socket" }
            throw CommandError(
                .usage, "LISTEN_FDS", "systemd has opened \(others.joined(separator: ", ")), not \(path)",
                advice: "give the path of this home as ListenStream= in blipchat.socket")
        }
        return ActivatedSocket(descriptor: found)
    }

    /// Tells it. One that reads nothing for five seconds does not hear it: we never wait for it longer.
    package func tell(_ news: News) async {
        guard let address else { return }
        let limit = ContinuousClock.now + .seconds(5)
        while ControlSocket.tell(news.text, to: address) == EAGAIN, ContinuousClock.now < limit {
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
        }
    }

    /// Tells its watchdog twice in its time that all is well, as often as `work` returns. Ends with the task.
    package func keepAlive(_ work: @Sendable () async -> Void) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            await work()
            await tell(.alive)
            do { try await Task.sleep(for: watchdog / 2) } catch { return }
        }
    }
}
