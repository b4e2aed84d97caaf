// Standard output and standard error of the commands. Everything that comes from outside goes through SafeText first.

import BLIPNet
import CLinux
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc

/// Where a command prints.
struct StandardStreams: Sendable {
    var output: Int32 = STDOUT_FILENO
    var diagnostics: Int32 = STDERR_FILENO
    /// Print nothing but errors on `diagnostics`.
    var isQuiet = false
    /// Say on `diagnostics` how things are done.
    var isVerbose = false
    /// Colours on `output`, where lines are for people.
    var usesColor = false
    /// How the progress of files is shown on `diagnostics`.
    var progressForm = ProgressForm.auto
    /// `diagnostics` is the journal, which keeps the time itself and wants to know how grave a line is.
    var isJournal = false
    /// Takes what is written on `diagnostics`, where nobody may be held up by whoever reads it.
    private(set) var aside: LineQueue?

    /// Puts /dev/null where the caller has closed a standard descriptor: the next file that is opened would get its
    /// number, and with it what is meant for the caller. To use one stays an error: each is open the wrong way round.
    static func occupyClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a person at a terminal asked, even when the result goes to a file or a pipe. The screen's own commands
    /// write elsewhere, so its terminal does not count.
    var isAtTerminal: Bool {
        isatty(output) == 1 || (output == STDOUT_FILENO && isatty(STDIN_FILENO) == 1)
    }

    /// Writes a line of the result; every part from outside must be safe already.
    ///
    /// Throws code 141 when the reader has gone (`| head`), code 7 for a full disk and the like.
    func line(_ text: String) throws(CommandError) { try write(text + "\n") }

    func write(_ text: String, spelling: Spelling = .glyphs) throws(CommandError) {
        guard let code = Self.write(text, to: output, spelling) else { return }
        throw code == EPIPE
            ? CommandError(.brokenPipe, "standard output", "closed")
            : .system("standard output", "cannot be written", code)
    }

    /// Throws code 7 when nothing can ever be written to `output`: it is closed (`>&-`), or open for reading only.
    func requireOutput() throws(CommandError) {
        let flags = fcntl(output, F_GETFL)
        guard flags < 0 || flags & O_ACCMODE == O_RDONLY else { return }
        throw .system("standard output", "cannot be written", EBADF)
    }

    func json(_ value: JSONValue) throws(CommandError) {
        try write(value.text + "\n", spelling: .json)
    }

    /// The same, but nobody waits for whoever reads `diagnostics`: what they do not read is left out in the end, and counted.
    func neverWaiting() -> StandardStreams {
        var streams = self
        streams.aside = LineQueue(label: "blipchat.diagnostics") { count in
            Array("blipchat: \(count.counted("line")) dropped here: nobody read them\n".utf8)
        } write: { [diagnostics] line in
            _ = Self.write(bytes: line, to: diagnostics)
        }
        return streams
    }

    /// Returns when what was written aside has been read, or a moment later.
    func flush() async { _ = await aside?.flush(within: .seconds(2)) }

    /// Writes a line that is not the result. A diagnostic that cannot be written has nowhere to be reported.
    func note(_ text: String) {
        guard !isQuiet else { return }
        put(mark(.info) + SafeText(text, as: .line).terminalString() + "\n")
    }

    /// Writes a line about something that was not done and should have been: also with --quiet.
    func warn(_ text: String) {
        put(mark(.warning) + SafeText("blipchat: " + text, as: .line).terminalString() + "\n")
    }

    /// Writes a line of the log of `serve`, with its time or for the journal.
    func log(_ line: LogLine) {
        guard !isQuiet else { return }
        let text = isJournal ? line.text : "\(RFC3339.text(.now)) \(line.text)"
        put(mark(line.level) + SafeText(text, as: .line).terminalString() + "\n")
    }

    private func mark(_ level: LogLevel) -> String { isJournal ? level.prefix : "" }

    private func put(_ text: String, _ spelling: Spelling = .glyphs) {
        guard let aside else {
            _ = Self.write(text, to: diagnostics, spelling)
            return
        }
        aside.post(Array((Self.isASCII(diagnostics) ? spelling.ascii(text) : text).utf8))
    }

    /// Writes a line about how something is done, for those who ask for it.
    func detail(_ text: String) { if isVerbose { note(text) } }

    /// Reports why the command failed.
    func report(_ error: CommandError) {
        guard error.exit != .brokenPipe else { return }
        put(mark(.error) + error.sentence + "\n")
    }

    /// Writes a question, without an end of line.
    func ask(_ text: String) { put(SafeText(text, as: .line).terminalString() + " ") }

    /// Ends the line of a question whose answer was not shown.
    func endQuestion() { put("\n") }

    /// Writes a record for programs beside the result.
    func noteJSON(_ value: JSONValue) { if !isQuiet { put(value.text + "\n", .json) } }

    /// Shows how far something is, in place of what this showed before; an empty text takes it away.
    func progress(_ text: String) {
        guard !isQuiet else { return }
        put("\r\u{1B}[K" + SafeText(text, as: .line).terminalString())
    }

    /// Whether `descriptor` is a terminal whose locale is not UTF-8: it would take bytes of our texts for controls.
    private static func isASCII(_ descriptor: Int32) -> Bool {
        !TerminalEnvironment.hasUnicodeLocale && isatty(descriptor) == 1
    }

    /// Whether the result goes to such a terminal.
    var isASCII: Bool { Self.isASCII(output) }

    /// The error number when not everything could be written.
    private static func write(_ text: String, to descriptor: Int32, _ spelling: Spelling = .glyphs) -> Int32? {
        write(bytes: Array((isASCII(descriptor) ? spelling.ascii(text) : text).utf8), to: descriptor)
    }

    private static func write(bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            guard EndingOutput.waitForRoom(in: descriptor) else { return EAGAIN }
            let piece = bytes.prefix(EndingOutput.piece)
            let result = piece.withUnsafeBytes { part -> Result<Int, SystemError> in
                do throws(SystemError) {
                    return .success(try SharedDescriptor.write(part, to: descriptor, limit: 30_000))
                } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let count): bytes = bytes.dropFirst(count)
            case .failure(let error): return error.code
            }
        }
        return nil
    }
}

extension StandardStreams {
    /// Whether to use colours: as `--color` says, else on a terminal that can, unless NO_COLOR is set.
    static func usesColor(_ option: String?, _ environment: [String: String], isTerminal: Bool) -> Bool {
        switch option {
        case "always": true
        case "never": false
        default:
            isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(environment["TERM"] ?? "")
        }
    }
}

/// How characters beyond ASCII are written for a terminal that has nothing but ASCII.
enum Spelling {
    /// Lines for people: by similar characters, as the screen does. Our own sequences stay.
    case glyphs
    /// JSON has an escape for every character (RFC 8259, section 7), and such characters occur in strings only.
    case json
    /// By numbers: nothing becomes a tag that was none.
    case html

    /// A text that is safe already in characters that every terminal has.
    func ascii(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        switch self {
        case .glyphs:
            return text.reduce(into: "") { ascii, character in
                ascii +=
                    character.isASCII
                    ? String(character) : SafeText(String(character), as: .multiline).terminalString(unicode: false)
            }
        case .json:
            return text.utf16.reduce(into: "") { escaped, unit in
                guard unit >= 0x80 else { return escaped.unicodeScalars.append(Unicode.Scalar(UInt8(unit))) }
                escaped += "\\u\(unit.hex(4))"
            }
        case .html:
            return text.unicodeScalars.reduce(into: "") { escaped, scalar in
                if scalar.isASCII {
                    escaped.unicodeScalars.append(scalar)
                } else {
                    escaped += "&#x\(String(scalar.value, radix: 16));"
                }
            }
        }
    }
}

/// Standard input, for `send WHO -`.
enum StandardInput {
    /// Everything up to its end, as text.
    ///
    /// Throws code 2 when it is longer than `limit` bytes, a line end of `lineEnd` bytes left aside, or not UTF-8.
    static func text(limit: Int, lineEnd: Int = 0) throws(CommandError) -> String {
        switch SmallFile.contents(ofDescriptor: STDIN_FILENO, limit: limit + lineEnd) {
        case .failure(let error) where error.code == EFBIG:
            throw CommandError(
                .usage, "standard input", "longer than \(limit) bytes", advice: "send it with blipchat send-file")
        case .failure(let error): throw .system("standard input", "cannot be read", error.code)
        case .success(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(
                    .usage, "standard input", "not UTF-8 text", advice: "send it with blipchat send-file")
            }
            return text
        }
    }
}
