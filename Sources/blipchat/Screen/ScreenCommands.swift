// The command line inside the screen: /export, /import and /doctor are the commands of the same names, on the same home.

import Arguments
import CLinux
import ChatCore
import ChatSettings
import ChatTUI
import Glibc

/// Runs commands of the command line in this process, and keeps what they print.
struct ScreenCommands: Sendable {
    /// The options that name the home: `--data-dir DIR`, `--profile P`.
    let globals: [String]
    let environment: [String: String]

    /// More lines than this are cut off: the screen is no pager.
    static let lineLimit = 500

    /// On a thread of its own: what it reads and writes may be on any disk.
    func run(_ command: ProgramCommand) async -> ProgramOutput {
        await BlockingExecutor.run("blipchat.command") { await carryOut(command) }
    }

    private func carryOut(_ command: ProgramCommand) async -> ProgramOutput {
        guard let descriptor = temporaryFile() else {
            return ProgramOutput(lines: ["cannot create a file for the output"], exitCode: ExitCode.localIO.rawValue)
        }
        defer { close(descriptor) }
        let streams = StandardStreams(output: descriptor, diagnostics: descriptor)
        var code = ExitCode.done
        do throws(CommandError) {
            let arguments = try CommandContext.arguments(of: globals + ["--no-input"] + command.words)
            code = try await CommandRow.of(arguments.command).command.init(
                context: CommandContext(arguments: arguments, environment: environment, streams: streams)
            ).run()
        } catch {
            streams.report(error)
            code = error.exit
        }
        lseek(descriptor, 0, SEEK_SET)
        var lines = ["the output cannot be read"]
        if case .success(let bytes) = SmallFile.contents(ofDescriptor: descriptor, limit: 1 << 20) {
            lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(Self.lineLimit).map(
                String.init)
        }
        return ProgramOutput(lines: lines, exitCode: code.rawValue)
    }

    /// An open file without a name: nothing of it is left when it is closed.
    private func temporaryFile() -> Int32? {
        let folder = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var path = Array("\(folder)/blipchat.XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        _ = clinux_set_close_on_exec(descriptor)
        return descriptor
    }
}
