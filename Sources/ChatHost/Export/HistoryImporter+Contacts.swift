// The contacts that an import would add: listed before it changes anything, because blipchat calls its contacts.

import BLIPNet
package import ChatCore
package import ChatSettings

extension HistoryImporter {
    /// The contact that a record means: the one with its key, else the one with its name and no other key; of a room the one
    /// at its place.
    static func contact(_ peerID: PeerID?, _ room: RoomURL?, named name: String, among all: [Peer]) -> Peer? {
        if let room { return all.first { $0.room?.url.isSameRoom(as: room) == true } }
        let folded = ContactNames.folded(name)
        let known = all.filter { $0.room == nil }
        return known.first { peerID != nil && $0.peerID == peerID }
            ?? known.first { (peerID == nil || $0.peerID == nil) && ContactNames.folded($0.name) == folded }
    }

    /// The names in the file that belong to no contact in `known`: an import adds these. The import itself finds
    /// whatever else is wrong with the file.
    ///
    /// Throws code 2 where a line is no record.
    package func newContacts(besides known: [Peer]) throws(CommandError) -> [String] {
        var names: [String] = []
        var reader = try LineReader(path: path)
        _ = try reader.next()
        while let line = try reader.next() {
            guard case .contact(let json) = try record(line, reader.number) else { continue }
            let name = try name(json, at: reader.number)
            let peerID = json["peer_id"]?.stringValue.flatMap { PeerID($0) }
            // A room is not called before our user joins it.
            guard try room(json, at: reader.number) == nil else { continue }
            if Self.contact(peerID, nil, named: name, among: known) == nil { names.append(name) }
        }
        return names
    }
}
