// Whom an import would bring in: asked before anything is changed, because blipchat calls its contacts.

import ChatCore

extension HistoryImporter {
    /// The contact that a record means: the one with its key, else the one with its name and no other key.
    static func contact(_ peerID: PeerID?, named name: String, among known: [Peer]) -> Peer? {
        let folded = ContactNames.folded(name)
        return known.first { peerID != nil && $0.peerID == peerID }
            ?? known.first { (peerID == nil || $0.peerID == nil) && ContactNames.folded($0.name) == folded }
    }

    /// The names in the file that belong to none of the `known` contacts: an import adds these. Whatever else is wrong
    /// with the file is found by the import itself.
    ///
    /// Throws code 2 where a line is no record.
    func newContacts(besides known: [Peer]) throws(CommandError) -> [String] {
        var names: [String] = []
        var reader = try LineReader(path: path)
        _ = try reader.next()
        while let line = try reader.next() {
            guard case .contact(let json) = try record(line, reader.number) else { continue }
            let name = try name(json, at: reader.number)
            let peerID = json["peer_id"]?.stringValue.flatMap { PeerID($0) }
            if Self.contact(peerID, named: name, among: known) == nil { names.append(name) }
        }
        return names
    }

    /// What has to be asked before an import that adds `names` to a home with contacts; `nil`: nothing has to. A home
    /// without contacts is a new one, into which somebody moves.
    static func question(adding names: [String], to known: [Peer], from path: String) -> Confirmation? {
        guard !names.isEmpty, !known.isEmpty else { return nil }
        let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        let count = names.count.counted("contact")
        return Confirmation(
            subject: path, consequence: "it adds \(count) (\(shown)) for blipchat to call",
            question: "This adds \(count) for blipchat to call: \(shown). Import?")
    }
}
