// The form of the first page as a value: fields, boxes to check, what is wrong with them.

import ChatCore
import ChatWords

/// The step that an event on the page asks for.
enum FirstRunStep: Equatable {
    case answer(FirstRunAnswer)
    /// Our address onto the clipboard.
    case copy(String)
    /// Our address as a QR code.
    case code(String)
}

struct FirstRunForm: Sendable {
    enum Field: Sendable {
        case name, everywhere, host, port, asks, downloads, forever, days, address, demo
    }

    let defaults: FirstRunDefaults
    private(set) var lines: [Field: InputLine]
    private(set) var focus = Field.name
    /// The boxes that are checked.
    private(set) var checked: Set<Field> = []
    /// The field with an error, and the error in words.
    private(set) var problem: (field: Field, words: String)?
    /// An answer to the last key.
    private var note: String?
    /// F1: what the fields mean is said.
    private(set) var explains = false
    /// Fields that hold what the program proposes: typing takes its place.
    private var proposed: Set<Field> = [.name, .host, .port, .downloads, .days]

    init(_ defaults: FirstRunDefaults) {
        self.defaults = defaults
        let choices = defaults.choices
        if choices.listenHost == nil { checked.insert(.everywhere) }
        if choices.asksForFiles { checked.insert(.asks) }
        if choices.keep == .forever { checked.insert(.forever) }
        let days = if case .days(let days) = choices.keep { days } else { 90 }
        lines = [
            .name: InputLine(choices.name), .host: InputLine(choices.listenHost ?? defaults.reachableHost),
            .port: InputLine("\(choices.listenPort)"),
            .downloads: InputLine(HomeFolder.abbreviated(choices.downloads, home: defaults.home)),
            .days: InputLine("\(days)"), .address: InputLine(choices.someone ?? ""),
        ]
    }

    func line(_ field: Field) -> InputLine { lines[field] ?? InputLine() }

    /// Whether what is typed into a field takes the place of what is there.
    func isProposed(_ field: Field) -> Bool { proposed.contains(field) }

    /// The fields that are there, in the order of Tab.
    var fields: [Field] {
        var fields: [Field] = [.name]
        if !defaults.isListenFixed {
            fields += checked.contains(.everywhere) ? [.everywhere, .port] : [.everywhere, .host, .port]
        }
        fields += [.asks, .downloads, .forever]
        if !checked.contains(.forever) { fields.append(.days) }
        return fields + [.address, .demo]
    }

    static func isBox(_ field: Field) -> Bool { [.everywhere, .asks, .forever].contains(field) }

    // MARK: Input

    mutating func receive(_ event: InputEvent) -> FirstRunStep? {
        switch event {
        case .key(let key): return press(key)
        case .paste(let text):
            forget()
            explains = false
            replaceProposal()
            let pasted = focus == .address ? Introduction.pasted(text) : String(text.prefix { !$0.isNewline })
            lines[focus]?.insert(pasted)
        case .terminate(let signal): return .answer(.ended(signal: signal))
        case .hangup: return .answer(.ended(signal: 1))
        case .resize, .mouse, .focus, .reload: break
        }
        return nil
    }

    private mutating func press(_ key: Key) -> FirstRunStep? {
        if key == Key("d", .alt) { return .answer(.demo) }
        let command = Keymap.standard.command(for: key, in: .main)
        note = nil
        if explains, key.typedText != nil || [.help, .back, .send].contains(command) {
            explains = false
            // A key that closes the help does nothing else; a typed character goes into the field.
            if key.typedText == nil { return nil }
        }
        if key == Key("q", .alt) { return withAddress { .code($0) } }
        switch command {
        case .back, .quit: return .answer(.quit)
        case .yank: return withAddress { .copy($0) }
        case .help: explains = true
        case .send: return focus == .demo ? .answer(.demo) : finish()
        case .complete, .down: move(1)
        case .completeBack, .up: move(-1)
        default: edit(key, command)
        }
        return nil
    }

    private mutating func edit(_ key: Key, _ command: AppCommand?) {
        forget()
        if Self.isBox(focus) {
            if key == Key(" ") { toggle(focus) }
        } else if let command {
            // Like a selected text: what deletes a character deletes it, everything else goes into it.
            if command == .deleteBackward || command == .deleteForward { replaceProposal() }
            proposed.remove(focus)
            _ = lines[focus]?.perform(command, reordering: true)
        } else if let text = key.typedText {
            replaceProposal()
            lines[focus]?.insert(text)
        }
    }

    /// Empties a field that holds what the program has proposed.
    private mutating func replaceProposal() {
        if proposed.remove(focus) != nil { lines[focus]?.replace(with: "") }
    }

    /// Forgets messages that no longer hold.
    private mutating func forget() {
        problem = nil
        note = nil
    }

    private mutating func toggle(_ box: Field) {
        if checked.remove(box) == nil { checked.insert(box) }
    }

    /// A click: into a field, or on a box.
    mutating func click(_ field: Field, at offset: Int) {
        guard fields.contains(field) else { return }
        if Self.isBox(field) {
            forget()
            toggle(field)
        }
        focus = field
        proposed.remove(field)
        lines[field]?.move(to: offset)
    }

    private mutating func move(_ step: Int) {
        let fields = fields
        let place = fields.firstIndex(of: focus) ?? 0
        focus = fields[(place + step + fields.count) % fields.count]
    }

    // MARK: Our address

    /// The address that others call, as the fields are now; `nil` while no port is known.
    var ownAddress: String? { address?.description }

    /// Nobody in another network can call our address.
    var isAddressInside: Bool { address.map { !$0.leadsOutside } ?? false }

    private var address: PeerAddress? {
        var host = defaults.reachableHost
        if let fixed = defaults.isListenFixed ? defaults.choices.listenHost : nil {
            host = fixed
        } else if !checked.contains(.everywhere) {
            host = line(.host).text.trimmedBlanks
        }
        // Names of all addresses lead nobody here.
        if !host.isEmpty, LocalHost.isWildcard(host) { host = defaults.reachableHost }
        guard let port = UInt16(line(.port).text.trimmedBlanks), port > 0, Self.isHost(host) else { return nil }
        let name = line(.name).text.trimmedBlanks
        return PeerAddress(host: host, port: port, peerID: defaults.peerID, name: name.isEmpty ? nil : name)
    }

    private mutating func withAddress(_ step: (String) -> FirstRunStep) -> FirstRunStep? {
        if let address = ownAddress { return step(address) }
        note = "No address until the port is known: /myid in the chat shows it"
        return nil
    }

    mutating func say(_ words: String) { note = words }

    // MARK: Checks

    /// Enter: checks all fields; the first wrong one gets the focus.
    private mutating func finish() -> FirstRunStep? {
        let name = line(.name).text.trimmedBlanks
        if name.isEmpty || name.utf8.count > 64 { return refuse(.name, "a name has 1 to 64 bytes") }
        guard ContactNames.isWellFormed(name) else {
            return refuse(.name, "a name cannot have control characters, seen or not")
        }
        guard !name.hasPrefix("/") else { return refuse(.name, "commands work in the chat, which comes next") }
        var choices = FirstRunChoices(
            name: name, listenHost: defaults.choices.listenHost, listenPort: defaults.choices.listenPort,
            asksForFiles: checked.contains(.asks),
            downloads: HomeFolder.expanded(line(.downloads).text.trimmedBlanks, home: defaults.home))
        if !defaults.isListenFixed {
            choices.listenHost = checked.contains(.everywhere) ? nil : line(.host).text.trimmedBlanks
            if let host = choices.listenHost, !Self.isHost(host) {
                return refuse(.host, "an address of this machine, like 192.0.2.1 or ::1")
            }
            guard let port = UInt16(line(.port).text.trimmedBlanks) else {
                return refuse(.port, "a port is a number, 0 (any free one) to 65535")
            }
            choices.listenPort = port
        }
        guard choices.downloads.hasPrefix("/") else {
            return refuse(.downloads, "write a path that begins with / or ~/")
        }
        if !checked.contains(.forever) {
            guard let keep = Retention(line(.days).text.trimmedBlanks), keep != .forever else {
                return refuse(.days, "write a number of days, 1 to \(Retention.maximumDays)")
            }
            choices.keep = keep
        }
        let someone = line(.address).text.trimmedBlanks
        if !someone.isEmpty {
            do throws(Introduction.Refusal) {
                _ = try Introduction.errand(for: someone)
            } catch {
                return refuse(.address, error.words)
            }
            choices.someone = someone
        }
        return .answer(.start(choices))
    }

    /// A name or an address, of version 6 without brackets; its port has a field of its own.
    private static func isHost(_ host: String) -> Bool {
        let colons = host.utf8.count { $0 == UInt8(ascii: ":") }
        return !host.isEmpty && colons != 1
            && host.unicodeScalars.allSatisfy { !"[]/ ".unicodeScalars.contains($0) && $0.value > 0x20 }
    }

    mutating func refuse(_ problem: FirstRunProblem) {
        switch problem {
        case .host(let words): _ = refuse(checked.contains(.everywhere) ? .port : .host, words)
        case .port(let words): _ = refuse(.port, words)
        case .downloads(let words): _ = refuse(.downloads, words)
        }
    }

    private mutating func refuse(_ field: Field, _ words: String) -> FirstRunStep? {
        problem = (field, words)
        focus = field
        return nil
    }

    // MARK: Sentences

    /// A sentence for the row below the fields; not of a problem, which goes before.
    var hint: String? {
        if let note { return note }
        if explains || Self.isBox(focus) { return meaning(of: focus) }
        return hintsAtProposal ? "Type your name: it replaces this one" : nil
    }

    /// The hint is about the proposed name; the small page has no room for that.
    var hintsAtProposal: Bool {
        note == nil && !explains && focus == .name && isProposed(.name)
    }

    /// The meaning of a field.
    func meaning(of field: Field) -> String {
        switch field {
        case .name: "Contacts see this name; /nick changes it"
        case .everywhere:
            checked.contains(.everywhere)
                ? "Space: listen on one address only" : "Space: listen on all addresses"
        case .host: "The address on this machine to listen on"
        case .port: "Others call this port; 0 is any free one"
        case .asks:
            checked.contains(.asks)
                ? "Space: accept all files from everybody" : "Accepts all files! Space: ask each time"
        case .downloads: "The folder for received files, made if needed"
        case .forever:
            checked.contains(.forever)
                ? "Space: delete messages after some days" : "Space: never delete messages"
        case .days: "Deletes older messages, on this disk only"
        case .address: "Their four words, or what /invite or /myid shows"
        case .demo: "Chat with an echo; then back to this page"
        }
    }
}
