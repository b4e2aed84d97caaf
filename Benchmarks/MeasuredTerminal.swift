// A program at a terminal, watched with a clock in hand: when it paints, how soon a key shows, what it writes.

internal import Glibc
internal import TestSupport
internal import Workbench

/// What came back for one key.
struct KeyEcho {
    /// From the key to the first bytes that show it.
    var latency: Duration
    /// Everything that the program wrote until the next key.
    var bytes: Int
}

/// Runs a program in a pseudo-terminal and reads what it writes as soon as it is there. One thread, no queue between.
final class MeasuredTerminal {
    private let terminal: TerminalProcess
    private let start: ContinuousClock.Instant
    /// What was written lately, to look for words in. Decoded as it comes: what reads does not take the processor for longer
    /// from a program that writes in many pieces.
    private var recent = PlainText()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    static let columns: UInt16 = 80
    static let rows: UInt16 = 24

    init(_ command: [String], environment: [String: String]) throws {
        start = .now
        terminal = try TerminalProcess(
            command, environment: environment, columns: Self.columns, rows: Self.rows)
    }

    var figures: ProcessFigures { ProcessFigures(processID: terminal.process.processID) }

    /// Whether `words` have been written, as far as it was read.
    func shows(_ words: String) -> Bool { recent.contains(words) }

    /// Waits until `words` stand on the screen; returns the time since the start of the process.
    @discardableResult
    func waitFor(_ words: String, timeout: Duration = .seconds(30)) throws -> Duration {
        let end = ContinuousClock.now + timeout
        while !recent.contains(words) {
            guard ContinuousClock.now < end, terminal.process.isRunning else {
                throw BenchmarkFailure("the screen never shows `\(words)`: \(recent.text.suffix(300))")
            }
            read(atMost: .milliseconds(100))
        }
        return .now - start
    }

    /// The numbers that the program prints behind `word`, up to the word `end`.
    func waitForNumbers(behind word: String) throws -> [Int] {
        try waitFor("end")
        let words = recent.text.words(behind: word)
        return words.compactMap { Int($0) }
    }

    /// Reads until nothing has come for `pause`.
    func settle(_ pause: Duration = .milliseconds(700)) {
        while read(atMost: pause) > 0 {}
    }

    /// How many bytes are written within `time`.
    func bytes(within time: Duration) -> Int {
        let end = ContinuousClock.now + time
        var count = 0
        while ContinuousClock.now < end { count += read(atMost: end - .now) }
        return count
    }

    func type(_ text: String) throws { try terminal.type(text) }

    /// Presses one character and watches it come back; everything until `pause` has passed counts as its bytes.
    /// Returns `nil` when it does not show within two seconds.
    func press(_ character: Character, thenWait pause: Duration) throws -> KeyEcho? {
        recent = PlainText()
        let pressed = ContinuousClock.now
        try terminal.type(String(character))
        var latency: Duration?
        var count = 0
        while ContinuousClock.now < pressed + (latency == nil ? .seconds(2) : pause) {
            let end = pressed + (latency == nil ? .seconds(2) : pause)
            count += read(atMost: end - .now)
            if latency == nil, recent.contains(String(character)) { latency = .now - pressed }
        }
        return latency.map { KeyEcho(latency: $0, bytes: count) }
    }

    /// Ends the program with what its users type, or by a signal.
    func quit(_ keys: String) throws {
        try terminal.type(keys)
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, terminal.process.isRunning { read(atMost: .milliseconds(20)) }
        terminal.process.signal(SIGKILL)
    }

    /// Reads what is there, waiting at most `time` for it; returns the number of bytes.
    @discardableResult
    private func read(atMost time: Duration) -> Int {
        var state = pollfd(fd: terminal.controller, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, Int32(max(0, (time.seconds * 1000).rounded(.up)))) == 1 else { return 0 }
        let count = Glibc.read(terminal.controller, &buffer, buffer.count)
        guard count > 0 else { return 0 }
        recent.append(buffer[..<count])
        return count
    }
}

/// The words in what goes to a terminal: without its escape sequences.
struct PlainText {
    private var bytes: [UInt8] = []
    private var place = Place.text

    /// Where in a sequence the bytes have come to (ECMA-48: ESC, CSI, strings that end with BEL or ESC \).
    private enum Place {
        case text
        case escape
        case control
        case string
        case stringEscape
        case one
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func contains(_ words: String) -> Bool {
        let wanted = Array(words.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { start in
            bytes[start] == first && bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }

    mutating func append(_ part: ArraySlice<UInt8>) {
        for byte in part { append(byte) }
        if bytes.count > 262_144 { bytes.removeFirst(bytes.count - 131_072) }
    }

    private mutating func append(_ byte: UInt8) {
        switch place {
        case .text:
            if byte == 0x1B { place = .escape } else if byte >= 0x20 { bytes.append(byte) }
        case .escape:
            switch byte {
            case UInt8(ascii: "["): place = .control
            case UInt8(ascii: "]"): place = .string
            case UInt8(ascii: "("), UInt8(ascii: ")"): place = .one
            default: place = .text
            }
        case .control: if (0x40...0x7E).contains(byte) { place = .text }
        case .string: if byte == 0x07 { place = .text } else if byte == 0x1B { place = .stringEscape }
        case .stringEscape, .one: place = .text
        }
    }
}

extension String {
    /// The words behind the last place of `word`.
    fileprivate func words(behind word: String) -> [Substring] {
        let words = split(whereSeparator: \.isWhitespace)
        guard let index = words.lastIndex(where: { $0.hasSuffix(word) }) else { return [] }
        return Array(words[(index + 1)...])
    }
}
