// Turns the bytes of a keyboard into input events. Fed by NcursesTerminal; pure: no descriptor, clock or curses in it.
//
// curses could decode keys too, but it hands unknown sequences on as typed characters, takes pasted text apart and
// cannot tell the end of the input from its absence (PRODUCT "Hostile text" 7 and 8 forbid the first two).

import ChatWords

/// A decoder of UTF-8, control characters, escape sequences and bracketed paste. Whatever it does not know is dropped,
/// never typed. Memory is bounded by `maxPasteBytes`.
struct InputDecoder {
    typealias Instant = ContinuousClock.Instant

    /// The most bytes of a paste; further ones are dropped.
    static let maxPasteBytes = 1 << 20
    /// Bytes that an escape sequence may have.
    static let maxSequenceBytes = 64
    static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)
    static let pasteStart: [UInt8] = Array("\u{1B}[200~".utf8)

    enum State {
        case ground
        /// Inside a UTF-8 character: its bytes so far, its length, and whether Alt was held.
        case character([UInt8], length: Int, alt: Bool)
        /// After ESC, not yet decided: all bytes including ESC.
        case sequence([UInt8])
        /// An X10 mouse report: bytes that are still to be skipped.
        case skipping(Int)
        /// A report of the terminal (OSC, DCS, ...) that ends with BEL or ESC \.
        case report(afterEscape: Bool)
        /// Between 200~ and 201~; `matched` bytes of 201~ have been seen and held back.
        case paste(matched: Int)
        /// After 201~: waits to see whether more follows at once, because then that 201~ may have been part of the paste.
        case pasteEnded
    }

    /// How long a lone ESC is held to see whether it begins a sequence.
    let escapeDelay: Duration
    /// Answers to our questions are on their way: a lone ESC may be the beginning of one, and slow lines tear it apart.
    var awaitsReports = false
    /// How long the rest of a sequence or report may take.
    let sequenceDelay = Duration.milliseconds(250)
    /// How long a paste may pause before it counts as broken off. Long, because what follows would act as keys.
    let pasteDelay = Duration.seconds(30)
    /// Sequences of this terminal type from terminfo, beyond the common ones.
    let ownSequences: [[UInt8]: Key]

    var state = State.ground
    /// The bytes pasted so far.
    var pasted: [UInt8] = []
    /// The bytes that came after 201~.
    var pasteTail: [UInt8] = []
    /// Tells pastes that have no marks.
    var burst: PasteBurst
    /// A line end after quick text: Enter, unless more text comes at once.
    var heldLineEnd: UInt8?
    /// The beginning of the report that is being read, with the letter that introduced it.
    var report: [UInt8] = []
    /// Answers of the terminal, for whoever asked.
    var reports: [TerminalReport] = []
    private(set) var events: [InputEvent] = []
    private var nextIndex = 0
    /// When `handleTimeout` must be called.
    private(set) var deadline: Instant?

    init(
        ownSequences: [[UInt8]: Key] = [:], escapeDelay: Duration = .milliseconds(25), marksPastes: Bool = true
    ) {
        self.ownSequences = ownSequences
        self.escapeDelay = escapeDelay
        burst = PasteBurst(isMarking: marksPastes)
    }

    /// Takes what one `read` returned.
    mutating func receive(_ bytes: some Sequence<UInt8>, now: Instant) {
        switch state {
        case .paste, .pasteEnded: stepAll(Array(bytes)[...])
        default: receiveUnmarked(Array(bytes), now: now)
        }
        updateDeadline(now: now)
    }

    mutating func stepAll(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let byte = rest.first {
            // The text of a paste is taken in one piece up to what may be its end.
            let count = pasteLength(of: rest)
            if count == 0 { step(byte) }
            rest = rest.dropFirst(max(1, count))
        }
    }

    /// Takes keys back that nobody has pressed.
    mutating func dropKeys(from count: Int) {
        let kept = events[count...].filter { if case .key = $0 { false } else { true } }
        events.replaceSubrange(count..., with: kept)
    }

    /// The next event; `nil` when there is none yet.
    mutating func nextEvent() -> InputEvent? {
        guard nextIndex < events.count else {
            events.removeAll(keepingCapacity: true)
            nextIndex = 0
            return nil
        }
        defer { nextIndex += 1 }
        return events[nextIndex]
    }

    /// The answers that have come since the last call.
    mutating func takeReports() -> [TerminalReport] {
        defer { reports = [] }
        return reports
    }

    /// Decides what was pending once `deadline` has passed.
    mutating func handleTimeout(now: Instant) {
        guard let deadline, now >= deadline else { return }
        giveHeldLineEnd()
        let pending = state
        state = .ground
        switch pending {
        case .sequence(let bytes): resolveUnfinished(bytes)
        case .paste, .pasteEnded: finishPaste()
        case .ground, .character, .skipping, .report: break
        }
        updateDeadline(now: now)
    }

    mutating func emit(_ event: InputEvent) { events.append(event) }
    mutating func emit(_ code: Key.Code, _ modifiers: Key.Modifiers = []) { emit(.key(Key(code, modifiers))) }

    private mutating func updateDeadline(now: Instant) {
        deadline =
            switch state {
            case .ground: heldLineEnd == nil ? nil : now + PasteBurst.pause
            case .paste: now + pasteDelay
            case .sequence(let bytes): now + (bytes.count == 1 && !awaitsReports ? escapeDelay : sequenceDelay)
            case .pasteEnded: now + escapeDelay
            case .character, .skipping, .report: now + sequenceDelay
            }
    }

    // MARK: One byte

    mutating func step(_ byte: UInt8) {
        switch state {
        case .ground: stepGround(byte, alt: false)
        case .character(let bytes, let length, let alt): stepCharacter(byte, bytes, length, alt)
        case .sequence(let bytes): stepSequence(bytes + [byte])
        case .skipping(let count): state = count > 1 ? .skipping(count - 1) : .ground
        case .report(let afterEscape): stepReport(byte, afterEscape: afterEscape)
        case .paste, .pasteEnded: stepPaste(byte)
        }
    }

    /// A byte outside of everything, or the one after ESC.
    mutating func stepGround(_ byte: UInt8, alt: Bool) {
        state = .ground
        let modifiers: Key.Modifiers = alt ? .alt : []
        switch byte {
        case 0x1B: state = .sequence([byte])
        case let byte where Self.isIntroducer(UInt32(byte)): stepIntroducer(byte)
        case 0x00...0x1F, 0x7F: emit(.key(Self.controlKey(byte, modifiers)))
        case 0x20...0x7E: emit(.character(String(UnicodeScalar(byte))), modifiers)
        case 0xC2...0xDF: state = .character([byte], length: 2, alt: alt)
        case 0xE0...0xEF: state = .character([byte], length: 3, alt: alt)
        case 0xF0...0xF4: state = .character([byte], length: 4, alt: alt)
        default: break
        }
    }

    private mutating func stepCharacter(_ byte: UInt8, _ before: [UInt8], _ length: Int, _ alt: Bool) {
        guard (0x80...0xBF).contains(byte) else {
            // The character was broken off: drop it and read on.
            stepGround(byte, alt: false)
            return
        }
        let bytes = before + [byte]
        guard bytes.count == length else {
            state = .character(bytes, length: length, alt: alt)
            return
        }
        state = .ground
        guard let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return
        }
        if Self.isIntroducer(scalar.value) { return stepIntroducer(UInt8(truncatingIfNeeded: scalar.value)) }
        // C1 controls are not typed by anyone.
        if !(0x80...0x9F).contains(scalar.value) { emit(.character(text), alt ? .alt : []) }
    }

    /// DCS, SOS, CSI, OSC, PM and APC in one character (ECMA-48 5.3): a terminal that is set to send them (S8C1T) answers with
    /// them, and nobody types them.
    private static func isIntroducer(_ value: UInt32) -> Bool { [0x90, 0x98, 0x9B, 0x9D, 0x9E, 0x9F].contains(value) }

    /// Each is the same as ESC and the character 64 before it.
    private mutating func stepIntroducer(_ byte: UInt8) {
        state = .ground
        stepGround(0x1B, alt: false)
        step(byte - 0x40)
    }

    private mutating func stepReport(_ byte: UInt8, afterEscape: Bool) {
        if byte == 0x07 || (afterEscape && byte == UInt8(ascii: "\\")) {
            state = .ground
            // APC of kitty's graphics; nobody has asked for anything else.
            if report.starts(with: Array("_\(KittyGraphics.answer)".utf8)) { reports.append(.graphics) }
        } else {
            if report.count < Self.maxSequenceBytes { report.append(byte) }
            state = .report(afterEscape: byte == 0x1B)
        }
    }

    /// Control characters are Ctrl with a key, apart from those that have a key of their own.
    static func controlKey(_ byte: UInt8, _ modifiers: Key.Modifiers) -> Key {
        switch byte {
        case 0x00: return Key(" ", modifiers.union(.control))
        case 0x08, 0x7F: return Key(.backspace, modifiers)
        case 0x09: return Key(.tab, modifiers)
        case 0x0D: return Key(.enter, modifiers)
        case 0x1B: return Key(.escape, modifiers)
        default:
            let letter = UnicodeScalar(byte < 0x1B ? byte + 0x60 : byte + 0x40)
            return Key(.character(String(letter)), modifiers.union(.control))
        }
    }
}
