// Alt-e: the draft in the user's own editor. The terminal is lent to it meanwhile (Terminal.lend, takeBack).

import Dispatch
import Glibc

/// How the editor was left.
public enum EditorOutcome: Sendable, Equatable {
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
            DispatchQueue.global().async { continuation.resume(returning: editAndWait(text)) }
        }
    }

    private func editAndWait(_ text: String) -> EditorOutcome {
        var template = Array("\(folder)/blipchat-XXXXXX.txt".utf8CString)
        let file = mkstemps(&template, 4)
        guard file >= 0 else { return failure("The draft cannot be written to \(folder)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        var bytes = Array((text + "\n").utf8)
        let written = bytes.withUnsafeMutableBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        guard written == bytes.count else { return failure("The draft cannot be written to \(folder)") }
        if let words = runEditor(on: path) { return .failed(words) }
        guard let edited = contents(of: path) else { return failure("What you wrote cannot be read") }
        return .text(edited)
    }

    private func failure(_ words: String) -> EditorOutcome {
        .failed("\(words): \(String(cString: strerror(errno)))")
    }

    /// `nil` when the editor ended well.
    private func runEditor(on path: String) -> String? {
        let words = ["/bin/sh", "-c", "exec \(command) \"$1\"", "sh", path]
        let (code, process) = ProgramStart.start(words, .terminal)
        guard code == 0 else { return "\(command) cannot be started: \(String(cString: strerror(code)))" }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return "\(command) was lost: \(String(cString: strerror(errno)))" }
        }
        switch status {
        case 0: return nil
        case 127 << 8: return "\(command) was not found: set EDITOR to your editor"
        default: return "\(command) ended with an error: the draft is as it was"
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
