// The first start: what is asked, what the defaults are, what the user decided. FirstRunScreen draws it.

import ChatCore

/// What the page shows before anything is typed.
public struct FirstRunDefaults: Sendable {
    public var name: String
    /// Where calls are taken, in words: "all addresses", or one address.
    public var listenAddress: String
    public var listenPort: UInt16
    public var downloads: String
    /// Where the key will be written, for people to see.
    public var keyPath: String
    /// The home folder, shown as `~`.
    public var home: String
    /// There is a history already, whose key is gone.
    public var lacksOldKey: Bool

    public init(
        name: String, listenAddress: String = "all addresses", listenPort: UInt16, downloads: String, keyPath: String,
        home: String, lacksOldKey: Bool = false
    ) {
        self.name = name
        self.listenAddress = listenAddress
        self.listenPort = listenPort
        self.downloads = downloads
        self.keyPath = keyPath
        self.home = home
        self.lacksOldKey = lacksOldKey
    }
}

/// What the user decided. Nothing has been written.
public enum FirstRunAnswer: Sendable, Equatable {
    /// `address` was checked and is one; `nil` when the field was left empty. `downloads` has no `~`.
    case start(name: String, listenPort: UInt16, downloads: String, address: String?)
    case demo
    case quit
}

/// What this machine has against a decision, in words; found before anything is written.
public enum FirstRunProblem: Error, Sendable, Equatable {
    case port(String)
    case downloads(String)
}

/// The form as a value.
struct FirstRunForm: Sendable {
    enum Field: Int, CaseIterable, Sendable {
        case name, port, downloads, address, demo
    }

    let defaults: FirstRunDefaults
    private(set) var lines: [Field: InputLine]
    private(set) var focus = Field.name
    /// What is wrong with a field, in words.
    private(set) var problem: (field: Field, words: String)?

    init(_ defaults: FirstRunDefaults) {
        self.defaults = defaults
        lines = [
            .name: InputLine(defaults.name), .port: InputLine("\(defaults.listenPort)"),
            .downloads: InputLine(Self.abbreviated(defaults.downloads, home: defaults.home)), .address: InputLine(),
        ]
    }

    func line(_ field: Field) -> InputLine { lines[field] ?? InputLine() }

    /// One input event; an answer ends the form.
    mutating func receive(_ event: InputEvent) -> FirstRunAnswer? {
        switch event {
        case .key(let key): return press(key)
        case .paste(let text):
            lines[focus]?.insert(String(text.prefix { !$0.isNewline }))
            problem = nil
        case .terminate, .hangup: return .quit
        case .resize, .mouse, .focus, .reload: break
        }
        return nil
    }

    private mutating func press(_ key: Key) -> FirstRunAnswer? {
        if key == Key("d", .alt) { return .demo }
        let command = Keymap.standard.command(for: key, in: .main)
        switch command {
        case .back, .quit: return .quit
        case .send: return focus == .demo ? .demo : finish()
        case .complete, .down: move(1)
        case .completeBack, .up: move(-1)
        default:
            if let command {
                _ = lines[focus]?.perform(command, reordering: true)
            } else if let text = key.typedText {
                lines[focus]?.insert(text)
            }
            problem = nil
        }
        return nil
    }

    /// A click into a field.
    mutating func focus(_ field: Field, at offset: Int) {
        focus = field
        lines[field]?.move(to: offset)
    }

    private mutating func move(_ step: Int) {
        let count = Field.allCases.count
        focus = Field(rawValue: (focus.rawValue + step + count) % count) ?? .name
    }

    /// Enter: checks all fields; the first wrong one gets the focus.
    private mutating func finish() -> FirstRunAnswer? {
        let name = line(.name).text.trimmedBlanks
        if name.isEmpty || name.utf8.count > 64 { return refuse(.name, "a name has 1 to 64 bytes") }
        guard ContactNames.isWellFormed(name) else {
            return refuse(.name, "a name has no control characters, seen or not")
        }
        guard let port = UInt16(line(.port).text.trimmedBlanks) else {
            return refuse(.port, "a port is a number, 0 (any free one) to 65535")
        }
        let downloads = expanded(line(.downloads).text.trimmedBlanks)
        guard downloads.hasPrefix("/") else {
            return refuse(.downloads, "the folder is a path that begins with / or ~/")
        }
        let address = line(.address).text.trimmedBlanks
        if !address.isEmpty {
            do {
                _ = try PeerAddress(parsing: address)
                // What somebody is called is a host's name, too, and leads nowhere.
                guard address.contains(":") else { return refuse(.address, "an address is blip://… or HOST:PORT") }
            } catch {
                return refuse(.address, Sentences.reason(of: error))
            }
        }
        return .start(
            name: name, listenPort: port, downloads: downloads, address: address.isEmpty ? nil : address)
    }

    mutating func refuse(_ problem: FirstRunProblem) {
        switch problem {
        case .port(let words): _ = refuse(.port, words)
        case .downloads(let words): _ = refuse(.downloads, words)
        }
    }

    private mutating func refuse(_ field: Field, _ words: String) -> FirstRunAnswer? {
        problem = (field, words)
        focus = field
        return nil
    }

    private func expanded(_ path: String) -> String {
        path == "~" ? defaults.home : path.hasPrefix("~/") ? defaults.home + path.dropFirst(1) : path
    }

    static func abbreviated(_ path: String, home: String) -> String {
        home.count > 1 && path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }
}
