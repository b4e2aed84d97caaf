// `blipchat contacts` and `blipchat requests`: reading. Changes are operations, see CommandRunner.

import ChatCore
import ChatTUI
import ChatWords
import Glibc
import Storage

extension CommandRunner {
    /// The address behind `contacts add`: a copied one may be broken into words, with pieces of a frame between them.
    func pastedAddress() throws(CommandError) -> String {
        guard arguments.operands.count > 1 else { return operand(0) }
        let (address, rest) = PastedAddress.split(arguments.operands.joined(separator: " "))
        guard rest.isEmpty else {
            throw CommandError(
                .usage, String(rest.prefix { $0 != " " }), "unexpected argument", advice: "put a name after --name")
        }
        return address
    }

    func contacts(_ paths: HomePaths) async throws(CommandError) -> ContactDirectory {
        let peers = try await HistoryFile.read(paths, damaged: { _ in }) { store throws(StoreError) in
            try await store.contacts()
        }
        return ContactDirectory(peers ?? [])
    }

    func listContacts() async throws(CommandError) -> ExitCode {
        let peers = try await contacts(try paths()).peers
        let twins = NameLikeness.twins(among: peers)
        for peer in peers.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) {
            guard !arguments.has("--names") else {
                try streams.line(safeName(peer.name))
                continue
            }
            try print(contact: peer, twin: twins[peer.id])
        }
        return .done
    }

    func showContact() async throws(CommandError) -> ExitCode {
        let directory = try await contacts(try paths())
        let peer = try directory.find(operand(0))
        let twin = NameLikeness.twins(among: directory.peers)[peer.id]
        guard !isJSON else {
            try print(contact: peer, twin: twin)
            return .done
        }
        try streams.line("name       \(safeName(peer.name))")
        if let twin { try streams.line("looks like \(safeName(twin)), but is someone else") }
        if let warning = NameLikeness.warning(of: peer.name) { try streams.line("the name   \(warning)") }
        try streams.line("key        \(peer.peerID?.text ?? "not known yet"), \(Records.word(peer.trust))")
        if let key = peer.newPeerID { try streams.line("new key    \(key.text), answers instead; nothing is sent") }
        for key in peer.formerPeerIDs { try streams.line("old key    \(key.text)") }
        for address in peer.addresses {
            let origin = address.isLearned ? "  (named by them, and proven)" : ""
            try streams.line("address    \(safeLine("\(address)"))\(origin)")
        }
        try streams.line("added      \(RFC3339.text(peer.added))")
        try streams.line("last seen  \(peer.lastSeen.map(RFC3339.text) ?? "never")")
        if peer.isBlocked { try streams.line("blocked    yes") }
        return .done
    }

    func verifyContact() async throws(CommandError) -> ExitCode {
        let number = try typedNumber()
        return try await perform(.verifyContact(operand(0), number: number)) { [streams] record throws(CommandError) in
            func print(_ member: String) throws(CommandError) {
                let words = (record[member]?.stringValue ?? "").split(separator: " ")
                for start in stride(from: 0, to: words.count, by: 4) {
                    try streams.line(words[start..<min(start + 4, words.count)].joined(separator: " "))
                }
            }
            try print("safety_number")
            try streams.line(record["trust"]?.stringValue ?? "")
            guard record["new_safety_number"] != nil else { return }
            try streams.line("the key that answers now:")
            try print("new_safety_number")
            try streams.line("a new machine of theirs, or someone in the middle: contacts accept-key or contacts block")
        }
    }

    /// With a contact everything goes that was ever written with them, so that is asked about where there is anything.
    func removeContact() async throws(CommandError) -> ExitCode {
        let peer = try await contacts(try paths()).find(operand(0))
        let count = try await HistoryFile.read(try paths()) { store throws(StoreError) in
            try await store.messageCount(of: peer.id)
        }
        if let count, count > 0 {
            let messages = "the chat with them (\(count.counted("message")))"
            try confirm(
                Confirmation(
                    subject: peer.name, consequence: "this deletes the contact and \(messages) from this machine",
                    question: "Delete \(safeName(peer.name)) and \(messages) from this machine?"))
        }
        return try await perform(.removeContact(operand(0)))
    }

    func acceptKey() async throws(CommandError) -> ExitCode {
        try await perform(.acceptKey(operand(0), number: try typedNumber())) { [streams] record throws(CommandError) in
            try streams.line(record["trust"]?.stringValue ?? "")
        }
    }

    /// The 60 digits behind the contact, without blanks; `nil` when there are none.
    private func typedNumber() throws(CommandError) -> String? {
        let typed = arguments.operands.dropFirst().joined()
        guard !typed.isEmpty else { return nil }
        let number = String(typed.filter { !$0.isWhitespace })
        guard number.utf8.count == 60, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommandError(.usage, typed, "not 60 digits", advice: "contacts verify shows the number")
        }
        return number
    }

    /// The requests that are named: one, or several of those that wait.
    func requestNumbers() async throws(CommandError) -> [Int64] {
        guard let set = NumberSet(operand(0)) else { return [try arguments.number(at: 0, of: "request")] }
        let requests = try await HistoryFile.read(try paths()) { store throws(StoreError) in
            try await store.contactRequests()
        }
        let numbers = (requests ?? []).map(\.id).filter(set.contains)
        guard !numbers.isEmpty else {
            throw CommandError(
                .notFound, operand(0), "there is no such request", advice: "blipchat requests list shows them")
        }
        return numbers
    }

    func approveRequests() async throws(CommandError) -> ExitCode {
        try streams.requireOutput()
        let numbers = try await requestNumbers()
        let name = arguments.text("--name")
        guard name == nil || numbers.count == 1 else {
            throw CommandError(.usage, "--name", "cannot name several requests", advice: "approve them one by one")
        }
        return try await performAll(numbers.map { .approveRequest($0, name: name) }, print: printContact)
    }

    func listRequests() async throws(CommandError) -> ExitCode {
        let requests = try await HistoryFile.read(try paths()) { store throws(StoreError) in
            try await store.contactRequests()
        }
        let peers = try await contacts(try paths()).peers
        for request in requests ?? [] {
            // Whoever chose the name has another key than the contact.
            let twin = NameLikeness.twin(of: request, among: peers)
            if isJSON {
                try streams.json(Records.request(request, twin: twin))
            } else {
                let mark =
                    NameLikeness.warning(of: request, among: peers).map { "  " + $0.terminalString() } ?? ""
                try streams.line(
                    "\(request.id)  \(safeName(request.name))  \(request.peerID)  from \(safeLine(request.origin))\(mark)"
                )
            }
        }
        return .done
    }

    /// Prints the record of a contact that was added or approved.
    @Sendable func printContact(_ record: JSONValue) throws(CommandError) {
        try streams.line(safeName(record["name"]?.stringValue ?? ""))
    }

    private func print(contact peer: Peer, twin: String?) throws(CommandError) {
        if isJSON {
            try streams.json(Records.contact(peer, twin: twin))
        } else {
            let state = peer.isBlocked ? "blocked" : Records.word(peer.trust)
            let address = peer.addresses.first.map { "\($0)" } ?? peer.peerID?.text ?? ""
            let mark =
                (twin.map { "looks like \(safeName($0))" } ?? NameLikeness.warning(of: peer.name)).map { "  " + $0 }
                ?? ""
            try streams.line("\(safeName(peer.name))  \(state)  \(safeLine(address))\(mark)")
        }
    }

    func safeName(_ text: String) -> String { SafeText(text, as: .name).terminalString() }
    func safeLine(_ text: String) -> String { SafeText(text, as: .line).terminalString() }
}
