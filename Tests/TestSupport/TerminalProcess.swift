// A process on a real pseudo-terminal, without anybody who reads what it writes: PseudoTerminal collects that in the
// background, the benchmarks read it with a clock in hand.

import CLinux
import Glibc

/// A process whose three standard streams and controlling terminal are a pseudo-terminal of ours. It is killed when
/// the value goes away.
package final class TerminalProcess {
    package let process: ChildProcess
    /// Our end: what the process writes is read here, what its user types is written here.
    package let controller: Int32
    /// The process's end; kept open so that the settings can be read after the process has ended.
    private let device: Int32

    package init(_ command: [String], environment: [String: String], columns: UInt16, rows: UInt16) throws {
        var controller: Int32 = -1
        var device: Int32 = -1
        guard clinux_open_terminal(&controller, &device, Self.size(columns, rows)) == 0 else {
            throw SystemFailure("openpty")
        }
        for descriptor in [controller, device] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        guard let name = Self.name(of: device) else { throw SystemFailure("ttyname") }
        self.controller = controller
        self.device = device
        settingsBefore = Self.settings(of: device)
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        // The first terminal that a new session opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&files, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&files, 0, 1)
        posix_spawn_file_actions_adddup2(&files, 0, 2)
        let flags = Int32(clinux_spawn_setsid())
        let processID = try ChildProcess.spawn(command, environment: environment, files: &files, flags: flags)
        process = ChildProcess(processID: processID, output: nil, error: nil)
    }

    /// The path of a terminal. (ttyname(3) has one buffer for all threads: tests beside each other got the terminals of others.)
    package static func name(of device: Int32) -> String? {
        var name = [CChar](repeating: 0, count: 128)
        guard ttyname_r(device, &name, name.count) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        process.signal(SIGKILL)
        close(device)
        close(controller)
    }

    package func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ write(controller, $0.baseAddress, $0.count) }) == bytes.count else {
            throw SystemFailure("write")
        }
    }

    package func resize(columns: UInt16, rows: UInt16) {
        _ = clinux_set_window_size(controller, Self.size(columns, rows))
    }

    private static func size(_ columns: UInt16, _ rows: UInt16) -> clinux_window_size {
        clinux_window_size(rows: rows, columns: columns, pixel_width: 0, pixel_height: 0)
    }

    /// The terminal's settings when the process was started and now (what `stty -g` prints), to be compared.
    package let settingsBefore: [UInt32]
    package var settingsNow: [UInt32] { Self.settings(of: device) }

    private static func settings(of device: Int32) -> [UInt32] {
        var settings = termios()
        guard tcgetattr(device, &settings) == 0 else { return [] }
        let characters = withUnsafeBytes(of: &settings.c_cc) { $0.map(UInt32.init) }
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + characters
    }
}
