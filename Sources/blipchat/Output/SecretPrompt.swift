// Asks for a secret on the terminal: what is typed is not shown, and the terminal is as before whatever happens.

import BLIPNet
import CLinux
import ChatSettings
import Glibc

enum SecretPrompt {
    private static let interrupt: UInt8 = 0x03
    private static let endOfInput: UInt8 = 0x04
    private static let killLine: UInt8 = 0x15
    private static let maximumBytes = 4096

    /// Reads one line from standard input, which must be a terminal. Backspace and Ctrl-u work.
    ///
    /// Throws code 130 for Ctrl-c, 2 when the input ends.
    static func ask(_ question: String, _ streams: StandardStreams) throws(CommandError) -> String {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw .system("terminal", "cannot be read", errno) }
        var quiet = before
        // Keys that end the process come as bytes, too: it must not end with a terminal that shows nothing.
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0 else {
            throw .system("terminal", "cannot be set", errno)
        }
        streams.ask(question)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            streams.endQuestion()
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(maximumBytes)
        defer { SecretMemory.wipe(&bytes) }
        while true {
            var typed: [UInt8] = [0]
            let count = (try? SharedDescriptor.read(STDIN_FILENO, into: &typed)) ?? 0
            let byte = typed[0]
            guard count == 1, byte != endOfInput else { throw CommandError(.usage, "passphrase", "not given") }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw CommandError(.usage, "passphrase", "not UTF-8 text")
                }
                return text
            case interrupt: throw CommandError(.interrupted, "passphrase", "not given")
            case killLine: bytes.removeAll(keepingCapacity: true)
            case 0x7F, 0x08:
                // A whole scalar, not one of its bytes.
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            default: if bytes.count < maximumBytes { bytes.append(byte) }
            }
        }
    }
}
