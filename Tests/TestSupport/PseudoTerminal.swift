// A process on a real pseudo-terminal: the bytes it writes, the keys it reads, the settings it leaves behind.

import Dispatch
import Glibc
import Synchronization

package final class PseudoTerminal {
    private let terminal: TerminalProcess
    private let received = ReceivedBytes()

    /// Starts `command` with the terminal as its three standard streams and its controlling terminal.
    package init(_ command: [String], environment: [String: String], columns: UInt16, rows: UInt16) throws {
        terminal = try TerminalProcess(command, environment: environment, columns: columns, rows: rows)
        // A descriptor of the reader's own: it ends with the last descriptor of the device, after this value has gone.
        let controller = fcntl(terminal.controller, F_DUPFD_CLOEXEC, 0)
        guard controller >= 0 else { throw SystemFailure("dup") }
        received.read(from: controller)
    }

    package var process: ChildProcess { terminal.process }

    /// All bytes that were written to the terminal so far.
    package var output: [UInt8] { received.bytes }
    package var text: String { String(decoding: output, as: UTF8.self) }

    package func type(_ text: String) throws { try terminal.type(text) }

    package func resize(columns: UInt16, rows: UInt16) { terminal.resize(columns: columns, rows: rows) }

    /// The terminal's settings when the process was started and now (what `stty -g` prints), to be compared.
    package var settingsBefore: [UInt32] { terminal.settingsBefore }
    package var settingsNow: [UInt32] { terminal.settingsNow }
}

/// Collects what comes from the controller until its end.
private final class ReceivedBytes: Sendable {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    /// Closes `controller` at its end.
    func read(from controller: Int32) {
        DispatchQueue(label: "blipchat.test.terminal").async { [self] in
            var part = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(controller, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                collected.withLock { $0 += part[..<count] }
            }
            close(controller)
        }
    }
}
