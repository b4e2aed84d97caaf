// Slash commands about ourselves, about links, and about what single contacts may do: /nick /away /back /mute
// /autoaccept /connect /disconnect /reconnect /ping /stats.

import ChatCore
import ChatWords

/// Commands about ourselves, about links, and about what single contacts may do.
enum PresenceCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .nick:
            guard let name = scanner.name() else { return }
            // Before the settings have it.
            guard ContactNames.isWellFormed(name) else {
                return state.note(Sentences.sentence(for: .badName(name), doing: "That did not work"), isError: true)
            }
            guard !ContactNames.isReserved(name) else {
                return state.note("Nobody can be called \"me\": that is what histories call you", isError: true)
            }
            effects.append(.run(.call(.setOwnName(name))))
            state.surface.noteUnsaved("name")
            effects.append(.run(.settings(.set(key: "name", words: name))))
        case .away:
            let limit = LocalIdentity.longestAway
            let reason = scanner.remainder() ?? ""
            guard reason.utf8.count <= limit else {
                let words = "The text is too long: \(reason.utf8.count) bytes, /away takes at most \(limit)"
                return state.note(words, isError: true)
            }
            effects.append(.run(.call(.setAway(reason))))
        case .back:
            guard state.world.identity.away != nil else {
                return state.note("You are not away (/away [TEXT] says that you are)")
            }
            effects.append(.run(.call(.setAway(nil))))
        case .mute: mute(&scanner, &state, &effects)
        case .autoAccept: acceptAutomatically(&scanner, &state, &effects)
        case .disconnect:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                effects.append(.run(.call(.disconnect(id))))
            }
        case .ping:
            if let id = SlashArguments.contact(scanner.remainder(), &state), !SlashArguments.saysBlocked(id, &state) {
                effects.append(.ask(.call(.ping(id))))
            }
        case .connect, .reconnect: connect(scanner.remainder(), isToAll: call.verb == .reconnect, &state, &effects)
        case .stats:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                effects.append(.ask(.call(.traffic(with: id))))
            }
        // The table leads no other one here.
        default: break
        }
    }

    /// `/connect [WHO]`, `/reconnect [WHO]`: `isToAll` when nobody is named.
    private static func connect(
        _ word: String?, isToAll: Bool, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        if word == nil, isToAll { return MainCommands.perform(.reconnect, &state, &effects) }
        guard let id = SlashArguments.contact(word, &state), !SlashArguments.saysBlocked(id, &state) else { return }
        let name = state.world.name(of: id)
        if state.world.chat(id)?.link.isOnline == true { return state.say("\(name) is already online") }
        let hasAddress = state.world.chat(id)?.peer.addresses.isEmpty == false
        state.say(
            hasAddress ? "Calling \(name) now" : "No address known for \(name); waiting for them to call")
        effects.append(.run(.call(.reconnect(id))))
    }

    /// `/mute WHO [TIME|off]`
    private static func mute(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let id = scanner.contact(&state) else { return }
        guard let word = scanner.next() else {
            effects.append(.run(.call(.setMuted(id, until: .endless))))
            return
        }
        guard scanner.isEnd(of: "/mute WHO [TIME|off]", hint: "write 2h without a space", &state)
        else { return }
        if word.lowercased() == "off" {
            effects.append(.run(.call(.setMuted(id, until: nil))))
        } else if let seconds = Units.seconds(of: word) {
            let until = Timestamp(milliseconds: state.surface.moment.wall.milliseconds + seconds * 1000)
            effects.append(.run(.call(.setMuted(id, until: until))))
        } else {
            state.note("\(SafeText(word, as: .name).text) is not a time (30m, 2h, 1d, off)", isError: true)
        }
    }

    /// `/autoaccept WHO on|off MAXSIZE`: `on` without a size takes every size.
    private static func acceptAutomatically(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let id = scanner.contact(&state) else { return }
        let word = scanner.next()?.lowercased()
        let size = word == "on" ? scanner.next() : nil
        guard
            scanner.isEnd(of: "/autoaccept WHO on [MAXSIZE]|off|default", hint: "write 20M without a space", &state)
        else {
            return
        }
        switch word {
        case "off": effects.append(.run(.call(.setAutomaticAcceptance(0, from: id))))
        case "default": effects.append(.run(.call(.setAutomaticAcceptance(nil, from: id))))
        case "on":
            guard let limit = size == nil ? .max : size.flatMap(Units.bytes(of:)) else {
                state.note("\(SafeText(size ?? "", as: .name).text) is not a size (500k, 20M, 1G)", isError: true)
                return
            }
            effects.append(.run(.call(.setAutomaticAcceptance(limit, from: id))))
        case nil: state.note(acceptanceWords(id, state.world))
        case let other?:
            state.note(
                "Expected on [MAXSIZE], off or default, not \"\(SafeText(other, as: .name).text)\"", isError: true)
        }
    }

    static func acceptanceWords(_ id: ContactID, _ world: World) -> String {
        switch world.chat(id)?.peer.acceptsFilesUpTo {
        case nil: "Files from \(world.name(of: id)): as set for everybody (auto_accept_max)"
        case 0?: "Files from \(world.name(of: id)): blipchat always asks"
        case UInt64.max?: "Files from \(world.name(of: id)): blipchat accepts all without asking"
        case let limit?:
            "Files from \(world.name(of: id)): blipchat accepts up to \(Units.size(limit)) without asking"
        }
    }

    /// `2.3:1`: how many bytes the frames would have had for each one that they have; `1.0:1` when nothing was compressed.
    private static func ratio(_ bytes: UInt64, saved: Int64) -> String {
        guard bytes > 0 else { return "1.0:1" }
        let tenths = Int64(((Double(bytes) + Double(saved)) / Double(bytes) * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)):1"
    }

    /// /stats: what has gone over a link, and what waits.
    static func linkLines(_ contact: ContactID, _ traffic: LinkTraffic?, _ world: World) -> [String] {
        guard let chat = world.chat(contact) else { return [] }
        guard let traffic else { return ["\(chat.name.text): \(Sentences.words(for: chat.link))"] }
        var lines = ["\(chat.name.text): connected for \(Units.duration(traffic.age))"]
        lines.append(
            "sent \(Units.grouped(Int(clamping: traffic.framesSent))) frames, \(Units.size(traffic.bytesSent)); "
                + "received \(Units.grouped(Int(clamping: traffic.framesReceived))) frames, "
                + Units.size(traffic.bytesReceived))
        lines.append(
            "compression ratio \(Self.ratio(traffic.bytesSent, saved: traffic.bytesSavedSent)) sent, "
                + "\(Self.ratio(traffic.bytesReceived, saved: traffic.bytesSavedReceived)) received")
        lines.append("queued \(traffic.queued), \(traffic.waiting) of them sent but not answered")
        let running = world.transfers.running.filter { $0.contact == contact }
        if !running.isEmpty {
            lines.append(running.count == 1 ? "1 transfer is running" : "\(running.count) transfers are running")
        }
        if let roundTrip = traffic.roundTrip { lines.append("round trip \(Units.milliseconds(roundTrip))") }
        return lines
    }
}
