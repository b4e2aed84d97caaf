// Tells a paste without marks from typing: nobody types three keys within 5 ms, or types on that fast after Enter.

import ChatWords

/// The keys of the last few moments. Characters are typed as they come; it is the line end among them that must not act
/// as Enter.
///
/// Also where the terminal marks pastes: tmux's paste-buffer, terminals inside of editors and password managers that
/// type do not. There a paste needs text after the line end, because what a program types and ends with Enter is to be
/// entered.
struct PasteBurst {
    /// A pause of this length ends a burst.
    static let pause = Duration.milliseconds(5)

    enum Verdict: Equatable {
        case keys
        /// Ends with a line end that is Enter, unless more text comes at once.
        case undecided
        /// A paste, or the continuation of one.
        case paste
    }

    /// The terminal marks its own pastes.
    let isMarking: Bool
    private var last: ContinuousClock.Instant?
    /// Characters of text without a pause between them, up to now: before the first line end, and after it.
    private var before = 0
    private var behind = 0
    private var hasLineEnd = false
    /// Whatever follows without a pause is pasted, too.
    private(set) var isPasting = false

    /// After a line end with nothing before it (a key that was pressed while the program was busy, then the next line)
    /// so many characters are more than anybody typed meanwhile.
    private static let leastBehindEmpty = 8

    init(isMarking: Bool) { self.isMarking = isMarking }

    /// Whether what comes now has come without a pause.
    func continues(at now: ContinuousClock.Instant) -> Bool { last.map { now - $0 < Self.pause } ?? false }

    /// Takes the text of one read, which is what it has beside escape sequences.
    mutating func judge(_ text: [UInt8], now: ContinuousClock.Instant) -> Verdict {
        if !continues(at: now) { self = PasteBurst(isMarking: isMarking) }
        last = now
        for byte in text {
            if Self.isLineEnd(byte) {
                hasLineEnd = true
            } else if byte >= 0x20 && byte != 0x7F || byte == 0x09 {
                if hasLineEnd { behind += 1 } else { before += 1 }
            }
        }
        guard hasLineEnd else { return .keys }
        if isMarking {
            if behind > 0, before > 0 || behind >= Self.leastBehindEmpty { isPasting = true }
        } else if before + behind >= 2 {
            isPasting = true
        }
        if isPasting { return .paste }
        return isMarking && before > 0 && text.last.map(Self.isLineEnd) == true ? .undecided : .keys
    }

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
}
