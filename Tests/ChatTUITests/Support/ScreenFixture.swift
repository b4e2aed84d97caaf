// The people, messages and transfers of the pictures in screens/, as a state, and a small driver that presses keys.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

/// A screen without a terminal: keys and events in, state, effects and canvas out. Time stands still unless advanced.
struct ScreenFixture {
    var state: AppState
    /// What the terminal still shows; `nil`: the picture of the state.
    var shown: Picture?
    /// What the last actions asked for.
    var effects: [AppEffect] = []
    /// 21 Nov 2026 09:07 in the time zone of the fixture.
    var moment = Moment(wall: Self.time(21, 9, 7), uptime: .seconds(1000))

    static let alice = ContactID(1)
    static let bob = ContactID(2)
    static let carol = ContactID(3)
    static let dave = ContactID(4)

    /// A time in November 2026, UTC.
    static func time(_ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64 = 0) -> Timestamp {
        // 1 Nov 2026 00:00 UTC.
        let start: Int64 = 1_793_491_200
        return Timestamp(milliseconds: (start + (day - 1) * 86_400 + hour * 3600 + minute * 60 + second) * 1000)
    }

    static func messageID(_ number: Int64) -> MessageID {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return MessageID("019aa0c0-0000-7000-8000-\(padded)") ?? MessageID(at: Timestamp(milliseconds: 0))
    }

    static func peerID(_ letter: Character) -> PeerID {
        let fallback = String(repeating: "a", count: 52)
        guard let id = PeerID(String(repeating: letter, count: 51) + "a") ?? PeerID(fallback) else {
            preconditionFailure("52 characters of base32 are a peer id")
        }
        return id
    }

    /// An empty program at a size.
    init(columns: Int, rows: Int, conversations: [Conversation] = []) {
        let me = LocalIdentity(
            peerID: Self.peerID("b"), name: "Jo",
            address: PeerAddress(host: "192.0.2.10", peerID: Self.peerID("b"), name: "Jo"),
            listening: "0.0.0.0:4985")
        state = AppState(
            surface: Surface(
                size: Size(columns: columns, rows: rows), clock: .fixed(seconds: 0), moment: moment, home: "/home/jo",
                version: "0.1"),
            identity: me)
        send(.answer(.conversations(conversations)))
        effects = []
    }

    // MARK: Driving

    /// Characters whose quick picture is compared with the whole one; there are tests that type books.
    private var comparisons = 10

    mutating func send(_ action: AppAction) {
        let before = state
        effects += update(&state, action, at: moment, shown: picture(seenAt: action))
        guard state.composer.hasOnlyTyped, comparisons > 0 else { return }
        comparisons -= 1
        guard let quick = view(before).typed(state)?.canvas else { return }
        let whole = view(state).canvas
        let isSame = quick == whole
        #expect(isSame, "the picture of a typed character: \(quick.text())")
    }

    /// The picture that a click of the user means.
    private func picture(seenAt action: AppAction) -> Picture? {
        if case .input(.mouse) = action { shown ?? view(state) } else { nil }
    }

    /// Presses keys by their names: `Alt-a`, `Enter`, `x`.
    mutating func press(_ names: String...) {
        for name in names {
            guard let key = Key(named: name) else { preconditionFailure("no key is called \(name)") }
            send(.input(.key(key)))
        }
    }

    mutating func type(_ text: String) {
        for character in text { send(.input(.key(Key(character)))) }
    }

    /// Types a line and presses Enter; the effects of before are forgotten.
    mutating func enter(_ line: String) {
        type(line)
        effects = []
        press("Enter")
    }

    mutating func advance(_ time: Duration) {
        moment.uptime += time
        moment.wall.milliseconds +=
            time.components.seconds * 1000
            + time.components.attoseconds / 1_000_000_000_000_000
        send(.clock)
    }

    /// Answers the page requests among the effects from `history` as the store would.
    mutating func answerPages(from history: [ChatMessage]) {
        let asked = effects
        effects = []
        for case .ask(.page(let request)) in asked {
            send(.answer(.page(request, Self.page(of: history, request))))
        }
    }

    static func page(of history: [ChatMessage], _ request: PageRequest) -> [ChatMessage] {
        let own = history.filter { $0.contact == request.contact }
        switch request.anchor {
        case .newest: return own.suffix(request.limit)
        case .before(let position): return own.filter { $0.position < position }.suffix(request.limit)
        case .after(let position): return Array(own.filter { $0.position > position }.prefix(request.limit))
        case .around(let position):
            let half = request.limit / 2
            return own.filter { $0.position < position }.suffix(half)
                + own.filter { $0.position >= position }.prefix(request.limit - half)
        }
    }

    /// The message that the store would find.
    static func message(_ reference: MessageReference, in history: [ChatMessage]) -> ChatMessage? {
        switch reference {
        case .id(let id): return history.first { $0.id == id }
        case .shortID(let end): return history.last { $0.id.short == end }
        case .transfer(let number):
            return history.first { if case .file(let file) = $0.content { file.number == number } else { false } }
        case .last(let number, let kind):
            let fitting = history.filter { $0.fits(kind) }
            return (1...max(fitting.count, 1)).contains(number) ? fitting.suffix(number).first : nil
        }
    }

    // MARK: Looking

    var canvas: Canvas { (shown ?? view(state)).canvas }

    /// The rows as text, with the cursor as a block where it stands on a blank.
    var text: String { Self.text(canvas) }

    static func text(_ canvas: Canvas, unicode: Bool = true) -> String {
        var lines: [String] = []
        for row in 0..<canvas.size.rows {
            var line = ""
            for column in 0..<canvas.size.columns {
                let point = Point(column: column, row: row)
                guard let cluster = canvas[point].cluster else { continue }
                if canvas.cursor == point, cluster.isBlank {
                    line += unicode ? "█" : "_"
                } else {
                    line += unicode ? cluster.text : ASCIIGlyphs.cell(of: cluster)
                }
            }
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    var errands: [Errand] {
        effects.compactMap { if case .run(let errand) = $0 { errand } else { nil } }
    }

    var questions: [Question] {
        effects.compactMap { if case .ask(let question) = $0 { question } else { nil } }
    }
}

/// The settings that a test completes.
struct FixedNames: SettingNames {
    var keys: [String]
    var choices: [String: [String]] = [:]
}
