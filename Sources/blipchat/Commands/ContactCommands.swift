// `blipchat contacts`: reading, from the disk; and changes, by calls.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords
import Glibc
import Storage

struct ListContactsCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let peers = try await HistoryFile.contacts(try context.paths()).peers
        let twins = NameLikeness.twins(among: peers)
        for peer in peers.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) {
            guard !context.arguments.has("--names") else {
                try context.streams.line(SafeText.name(peer.name))
                continue
            }
            try ContactLines(context: context).print(peer, twin: twins[peer.id])
        }
        return .done
    }
}

struct ShowContactCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let directory = try await HistoryFile.contacts(try context.paths())
        let peer = try directory.find(context.operand(0))
        let twin = NameLikeness.twins(among: directory.peers)[peer.id]
        guard !context.isJSON else {
            try ContactLines(context: context).print(peer, twin: twin)
            return .done
        }
        try context.streams.line("name       \(SafeText.name(peer.name))")
        if let twin { try context.streams.line("looks like \(SafeText.name(twin)), but is someone else") }
        if let warning = NameLikeness.warning(of: peer.name) { try context.streams.line("the name   \(warning)") }
        if let room = peer.room {
            try context.streams.line("room       \(SafeText.line("\(room.url)"))")
            try context.streams.line("protected  \(RoomWords.trust(in: room.url)); \(RoomWords.warning(of: room.url))")
            if room.isLeft { try context.streams.line("left       yes") }
            try context.streams.line("added      \(RFC3339.text(peer.added))")
            return .done
        }
        try context.streams.line("key        \(peer.peerID?.text ?? "not known yet"), \(Records.word(peer.trust))")
        if let key = peer.newPeerID {
            try context.streams.line("new key    \(key.text), answers instead; nothing is sent")
        }
        for key in peer.formerPeerIDs { try context.streams.line("old key    \(key.text)") }
        for address in peer.addresses {
            let origin =
                switch address.origin {
                case .user: ""
                case .heard: "  (named by them, and proven)"
                case .told: "  (named by them)"
                case .seen: "  (seen in this network)"
                }
            try context.streams.line("address    \(SafeText.line("\(address)"))\(origin)")
        }
        try context.streams.line("added      \(RFC3339.text(peer.added))")
        if let met = peer.metAt { try context.streams.line("met        \(RFC3339.text(met)), by invitation") }
        try context.streams.line("last seen  \(peer.lastSeen.map(RFC3339.text) ?? "never")")
        if peer.isBlocked { try context.streams.line("blocked    yes") }
        return .done
    }
}

/// Prints contacts, a line for each.
private struct ContactLines {
    let context: CommandContext

    func print(_ peer: Peer, twin: String?) throws(CommandError) {
        if context.isJSON {
            try context.streams.json(Records.contact(peer, twin: twin))
        } else {
            let state = peer.isBlocked ? "blocked" : Records.standing(of: peer)
            let address =
                (peer.room?.url).map { "\($0)" } ?? peer.addresses.first.map { "\($0)" } ?? peer.peerID?.text ?? ""
            let mark =
                (twin.map { "looks like \(SafeText.name($0))" } ?? NameLikeness.warning(of: peer.name)).map {
                    "  " + $0
                }
                ?? ""
            try context.streams.line("\(SafeText.name(peer.name))  \(state)  \(SafeText.line(address))\(mark)")
        }
    }
}

struct AddContactCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        // What cannot be taken back and has a result that scripts need: that it has nowhere to go is said before.
        try context.streams.requireOutput()
        let text = try pastedAddress()
        let name = context.arguments.text("--name")
        return try await context.withChat { chat throws(CommandError) in
            let address = try PeerAddress(typed: text)
            let known = Set(try await chat.directory().peers.map(\.id))
            var peer = try await chat.ask(.addContact(address, name: name), about: text)
            // A known contact gets the name that the user gave: it is what a script calls them by from now on.
            if let name, known.contains(peer.id), name != peer.name || peer.isNameProvisional {
                try await chat.ask(.renameContact(peer.id, to: name), about: name)
                peer = try await chat.directory().peers.first { $0.id == peer.id } ?? peer
            }
            try context.print(Records.contact(peer)) { () throws(CommandError) in
                try context.streams.line(SafeText.name(peer.name))
            }
            return .done
        }
    }

    /// The address after `contacts add`: a copied one may be broken into words, with pieces of a frame between them.
    private func pastedAddress() throws(CommandError) -> String {
        guard context.arguments.operands.count > 1 else { return context.operand(0) }
        let (address, rest) = PastedAddress.split(context.arguments.operands.joined(separator: " "))
        guard rest.isEmpty else {
            throw CommandError(
                .usage, String(rest.prefix { $0 != " " }), "unexpected argument", advice: "put a name after --name")
        }
        return address
    }
}

/// `contacts remove-address`, `rename`, `block` and `unblock`.
struct ChangeContactCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let (who, operand) = (context.operand(0), context.operand(1))
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            switch context.arguments.command {
            case .contactsRemoveAddress:
                try await chat.ask(.removeAddress(try PeerAddress(typed: operand), of: peer.id), about: operand)
            case .contactsRename: try await chat.ask(.renameContact(peer.id, to: operand), about: who)
            case .contactsBlock:
                try await chat.ask(.setBlocked(peer.id, true), about: who)
                let own = await chat.service.identity.address
                if let words = Sentences.blockedStillSees(own, renewal: "blipchat reach renew") {
                    context.streams.note("blipchat: \(SafeText.name(peer.name)) \(words)")
                }
            default: try await chat.ask(.setBlocked(peer.id, false), about: who)
            }
            // How they are known now. Another command may have removed them meanwhile.
            let changed = try await chat.directory().peers.first { $0.id == peer.id } ?? peer
            try context.print(Records.contact(changed))
            return .done
        }
    }
}

struct RemoveContactCommand: Command {
    let context: CommandContext

    /// Removing a contact deletes the whole chat with them, so the command asks first when there is one.
    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let peer = try await HistoryFile.contacts(try context.paths()).find(who)
        let count = try await HistoryFile.read(try context.paths()) { store throws(StoreError) in
            try await store.messageCount(of: peer.id)
        }
        if let count, count > 0 {
            let messages = "the chat with them (\(count.counted("message")))"
            try context.confirm(
                Confirmation(
                    subject: peer.name, consequence: "this deletes the contact and \(messages) from this machine",
                    question: "Delete \(SafeText.name(peer.name)) and \(messages) from this machine?"))
        }
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            try await chat.ask(.removeContact(peer.id), about: who)
            try context.print(Records.contact(peer, isRemoved: true))
            return .done
        }
    }
}

struct VerifyContactCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let number = try context.typedSafetyNumber()
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            var peer = try await chat.contact(who)
            guard let groups = try await chat.ask(.safetyNumber(for: peer.id), about: who) else {
                throw CommandError(
                    .identity, peer.name, "their key is not known yet",
                    advice: "wait until they have been online once")
            }
            let new = peer.trust == .keyChanged ? peer.newPeerID : nil
            let own = await chat.service.identity.peerID
            let newNumber = new.map { SafetyNumber.groups(own, $0) }
            if let number {
                try check(number, against: groups, newNumber, of: peer)
                try await chat.ask(.setVerified(peer.id), about: who)
                peer = try await chat.contact(who)
            }
            let record = JSONValue.record([
                "v": 1, "type": "safety-number", "name": .string(peer.name), "trust": .string(Records.word(peer.trust)),
                "safety_number": .string(groups.joined(separator: " ")),
                "new_peer_id": new.map { .string($0.text) },
                "new_safety_number": newNumber.map { .string($0.joined(separator: " ")) },
            ])
            let trust = Records.word(peer.trust)
            try context.print(record) { () throws(CommandError) in try print(groups, trust, newNumber) }
            return .done
        }
    }

    private func check(
        _ number: String, against groups: [String], _ newNumber: [String]?, of peer: Peer
    ) throws(CommandError) {
        guard number != newNumber?.joined() else {
            throw CommandError(
                .identity, peer.name, "this is the number for the key that answers now, not for the known one",
                advice: "accept it with contacts accept-key and the same number")
        }
        guard number == groups.joined() else {
            throw CommandError(
                .identity, peer.name, "the numbers differ, so someone may be in the middle",
                advice: "make sure you are both comparing the right contact; do not send secrets")
        }
    }

    private func print(_ groups: [String], _ trust: String, _ newNumber: [String]?) throws(CommandError) {
        let streams = context.streams
        func print(_ words: [String]) throws(CommandError) {
            for start in stride(from: 0, to: words.count, by: 4) {
                try streams.line(words[start..<min(start + 4, words.count)].joined(separator: " "))
            }
        }
        try print(groups)
        try streams.line(trust)
        guard let newNumber else { return }
        try streams.line("the key that answers now:")
        try print(newNumber)
        try streams.line("a new machine of theirs, or someone in the middle: contacts accept-key or contacts block")
    }
}

struct AcceptKeyCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        let number = try context.typedSafetyNumber()
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            guard peer.trust == .keyChanged, let key = peer.newPeerID else {
                throw CommandError(.identity, peer.name, "no other key has answered for them; nothing was changed")
            }
            let groups = SafetyNumber.groups(await chat.service.identity.peerID, key)
            guard number == nil || number == groups.joined() else {
                throw CommandError(
                    .identity, peer.name, "the numbers differ, so someone may be in the middle; nothing was changed",
                    advice: "refuse the key with contacts block")
            }
            try await chat.ask(.acceptNewKey(key, of: peer.id, verified: number != nil), about: who)
            let changed = try await chat.contact(who)
            try context.print(Records.contact(changed)) { () throws(CommandError) in
                try context.streams.line(Records.word(changed.trust))
            }
            return .done
        }
    }
}

extension CommandContext {
    /// The 60 digits after the contact, without blanks; `nil` when there are none.
    fileprivate func typedSafetyNumber() throws(CommandError) -> String? {
        let typed = arguments.operands.dropFirst().joined()
        guard !typed.isEmpty else { return nil }
        let number = String(typed.filter { !$0.isWhitespace })
        guard number.utf8.count == 60, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommandError(.usage, typed, "not 60 digits", advice: "contacts verify shows the number")
        }
        return number
    }
}

extension PeerAddress {
    /// An address as a user gives it.
    fileprivate init(typed text: String) throws(CommandError) {
        do { self = try PeerAddress(parsing: text) } catch { throw CommandError(error, address: text) }
    }
}
