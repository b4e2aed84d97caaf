// Slash commands about ourselves, about links, and about what single contacts may do: /nick /away /back /mute
// /autoaccept /disconnect /ping /stats.

import ChatCore
import ChatWords

extension AppState {
    mutating func runPresence(_ verb: SlashVerb, _ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        switch verb {
        case .nick:
            guard let name = scanner.name() else { return }
            // Before the settings have it.
            guard ContactNames.isWellFormed(name) else {
                return note(Sentences.sentence(for: .badName(name), doing: "That did not work"), isError: true)
            }
            guard !ContactNames.isReserved(name) else {
                return note("Nobody can be called \"me\": that is what histories call you", isError: true)
            }
            effects.append(.run(.setOwnName(name)))
            unkeptKeys.insert("name")
            effects.append(.run(.settings(.set(key: "name", words: name))))
        case .away:
            let limit = LocalIdentity.longestAway
            let reason = scanner.remainder() ?? ""
            guard reason.utf8.count <= limit else {
                let words = "The text is too long: \(reason.utf8.count) bytes, /away takes at most \(limit)"
                return note(words, isError: true)
            }
            effects.append(.run(.setAway(reason)))
        case .back:
            guard identity.away != nil else { return note("You are not away (/away [TEXT] says that you are)") }
            effects.append(.run(.setAway(nil)))
        case .mute: mute(&scanner, &effects)
        case .autoAccept: acceptAutomatically(&scanner, &effects)
        case .disconnect:
            if let id = who(scanner.remainder()) { effects.append(.run(.disconnect(id))) }
        case .ping: if let id = who(scanner.remainder()), !saysBlocked(id) { effects.append(.ask(.ping(id))) }
        default: if let id = who(scanner.remainder()) { effects.append(.ask(.traffic(id))) }
        }
    }

    /// `/mute WHO [TIME|off]`
    private mutating func mute(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let id = nextContact(&scanner) else { return }
        guard let word = scanner.next() else {
            effects.append(.run(.setMuted(id, until: .endless)))
            return
        }
        guard isEnd(&scanner, of: "/mute WHO [TIME|off]", hint: "write 2h without a space") else { return }
        if word.lowercased() == "off" {
            effects.append(.run(.setMuted(id, until: nil)))
        } else if let seconds = Units.seconds(of: word) {
            let until = Timestamp(milliseconds: moment.wall.milliseconds + seconds * 1000)
            effects.append(.run(.setMuted(id, until: until)))
        } else {
            note("\(SafeText(word, as: .name).text) is not a time (30m, 2h, 1d, off)", isError: true)
        }
    }

    /// `/autoaccept WHO on|off MAXSIZE`: `on` without a size takes every size.
    private mutating func acceptAutomatically(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let id = nextContact(&scanner) else { return }
        let word = scanner.next()?.lowercased()
        let size = word == "on" ? scanner.next() : nil
        guard isEnd(&scanner, of: "/autoaccept WHO on [MAXSIZE]|off|default", hint: "write 20M without a space") else {
            return
        }
        switch word {
        case "off": effects.append(.run(.setAutomaticAcceptance(id, 0)))
        case "default": effects.append(.run(.setAutomaticAcceptance(id, nil)))
        case "on":
            guard let limit = size == nil ? .max : size.flatMap(Units.bytes(of:)) else {
                note("\(SafeText(size ?? "", as: .name).text) is not a size (500k, 20M, 1G)", isError: true)
                return
            }
            effects.append(.run(.setAutomaticAcceptance(id, limit)))
        case nil: note(acceptanceWords(id))
        case let other?:
            note("Expected on [MAXSIZE], off or default, not \"\(SafeText(other, as: .name).text)\"", isError: true)
        }
    }

    func acceptanceWords(_ id: ContactID) -> String {
        switch chat(id)?.peer.acceptsFilesUpTo {
        case nil: "Files from \(name(of: id)): as set for everybody (auto_accept_max)"
        case 0?: "Files from \(name(of: id)): blipchat always asks"
        case UInt64.max?: "Files from \(name(of: id)): blipchat accepts all without asking"
        case let limit?: "Files from \(name(of: id)): blipchat accepts up to \(Units.size(limit)) without asking"
        }
    }

    /// `until 14:00`, `until you say /mute WHO off`.
    func muteWords(_ peer: Peer) -> String? {
        guard let until = peer.mutedUntil, peer.isMuted(at: moment.wall) else { return nil }
        return until == .endless ? "muted" : "muted until \(clock.dayAndTime(until, now: moment.wall))"
    }

    /// `2.3:1`: how many bytes the frames would have had for each one that they have; `1.0:1` when nothing was compressed.
    private static func ratio(_ bytes: UInt64, saved: Int64) -> String {
        guard bytes > 0 else { return "1.0:1" }
        let tenths = Int64(((Double(bytes) + Double(saved)) / Double(bytes) * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)):1"
    }

    /// /stats: what has gone over a link, and what waits.
    func linkLines(_ contact: ContactID, _ traffic: LinkTraffic?) -> [String] {
        guard let chat = chat(contact) else { return [] }
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
        let running = transfers.running.filter { $0.contact == contact }
        if !running.isEmpty {
            lines.append(running.count == 1 ? "1 transfer is running" : "\(running.count) transfers are running")
        }
        if let roundTrip = traffic.roundTrip { lines.append("round trip \(Units.milliseconds(roundTrip))") }
        return lines
    }
}
