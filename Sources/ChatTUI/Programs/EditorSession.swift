// Alt-e: the draft in the user's own editor. The terminal is lent to it meanwhile (Terminal.lend, takeBack).

import ChatWords
import Dispatch
import Glibc
import Synchronization

/// How the editor was left.
package enum EditorOutcome: Sendable, Equatable {
    case text(String)
    /// Why the draft is as it was, in words.
    case failed(String)
}

/// One run of an editor on a text in a file that only the user can read.
struct EditorSession: Sendable {
    /// As a shell reads it: the program with its arguments.
    var command: String
    /// Where the file is made.
    var folder: String
    private let process = EditorProcess()

    init(command: String, folder: String) {
        self.command = command
        self.folder = folder
    }

    /// `$VISUAL`, else `$EDITOR`, else vi; the file in `$XDG_RUNTIME_DIR`, which is not on a disk, else in `$TMPDIR`.
    static func current() -> EditorSession {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        return EditorSession(
            command: value("VISUAL") ?? value("EDITOR") ?? "vi",
            folder: value("XDG_RUNTIME_DIR") ?? value("TMPDIR") ?? "/tmp")
    }

    /// Waits for the editor on a thread of its own: that may take hours.
    func edit(_ text: String) async -> EditorOutcome {
        await withCheckedContinuation { continuation in
            // For hours, perhaps: not on a queue that others need.
            DispatchQueue(label: "blipchat.editor").async { continuation.resume(returning: editAndWait(text)) }
        }
    }

    /// Makes the editor end because blipchat has to: what it has saved until then is the draft. One that does not end
    /// within two seconds is killed.
    func end() {
        process.signal(SIGTERM)
        DispatchQueue(label: "blipchat.editor.end").asyncAfter(deadline: .now() + 2) { [process] in
            process.signal(SIGKILL)
        }
    }

    private func editAndWait(_ text: String) -> EditorOutcome {
        var template = Array("\(folder)/blipchat-XXXXXX.txt".utf8CString)
        let file = mkstemps(&template, 4)
        guard file >= 0 else { return failure("Cannot write the draft to \(folder)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        // A file of one empty line would be one with an empty first line.
        var bytes = Array((text.isEmpty ? "" : text + "\n").utf8)
        let written = bytes.withUnsafeMutableBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        guard written == bytes.count else { return failure("Cannot write the draft to \(folder)") }
        let end = runEditor(on: path)
        if case .failed(let words) = end { return .failed(words) }
        // nano writes what was not saved beside the file when a signal ends it.
        let unsaved = path + ".save"
        defer { if end == .killed { unlink(unsaved) } }
        if end == .killed, let rescued = contents(of: unsaved) { return .text(rescued) }
        guard let edited = contents(of: path) else { return failure("Cannot read what you wrote") }
        return .text(edited)
    }

    private func failure(_ words: String) -> EditorOutcome {
        .failed("\(words): \(String(cString: strerror(errno)))")
    }

    private enum End: Equatable {
        case well
        /// By a signal: what it has saved before counts.
        case killed
        /// In words.
        case failed(String)
    }

    private func runEditor(on path: String) -> End {
        let words = ["/bin/sh", "-c", "exec \(command) \"$1\"", "sh", path]
        let (code, child) = ProgramStart.start(words, .terminal)
        guard code == 0 else { return .failed("Cannot start \(command): \(String(cString: strerror(code)))") }
        guard let status = process.wait(for: child) else {
            return .failed("Lost track of \(command): \(String(cString: strerror(errno)))")
        }
        switch status {
        case 0: return .well
        case 127 << 8: return .failed("\(command) was not found: set EDITOR to your editor")
        case let status where status & 0x7F != 0: return .killed
        default: return .failed("\(command) exited with an error: your draft is unchanged")
        }
    }

    /// Without the line end that editors put at the end of a file.
    private func contents(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        guard ferror(file) == 0 else { return nil }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A running editor, which another thread may end.
private final class EditorProcess: Sendable {
    /// 0 before and after its life, so that no signal meets another process that has got its number.
    private let running = Mutex<pid_t>(0)

    /// Returns the status (wait(2)), `nil` with `errno` when we cannot wait for the process.
    func wait(for child: pid_t) -> Int32? {
        running.withLock { $0 = child }
        var info = siginfo_t()
        while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return running.withLock { running in
            running = 0
            var status: Int32 = 0
            return waitpid(child, &status, 0) == child ? status : nil
        }
    }

    func signal(_ number: Int32) {
        running.withLock { process in
            if process > 0 { kill(process, number) }
        }
    }
}
