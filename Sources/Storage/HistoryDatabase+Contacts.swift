// Contacts and contact requests.

package import ChatCore

extension HistoryDatabase {
    package func contacts() async throws(StoreError) -> [Peer] {
        try await reader.perform { connection throws(StoreError) in
            try connection.all("SELECT \(ContactRow.columns) FROM contacts c ORDER BY c.id") { row throws(StoreError) in
                try ContactRow.peer(from: row)
            }
        }
    }

    package func addContact(_ contact: NewContact) async throws(StoreError) -> Peer {
        try await writer.write { connection throws(StoreError) in
            if let peerID = contact.peerID, var known = try ContactRow.find(peerID, in: connection) {
                let others = known.addresses.filter { old in
                    !contact.addresses.contains { $0 == old || $0.isSamePlace(as: old) && old.isLearned }
                }
                // Of those that our user has given the latest ones are kept (REACH 6).
                let most = max(PeerAddress.mostVia, contact.addresses.count)
                var given = 0
                known.addresses = (contact.addresses + others).filter { address in
                    if !address.isLearned { given += 1 }
                    return address.isLearned || given <= most
                }
                if contact.isBlocked { known.isBlocked = true }
                try ContactRow.update(known, in: connection)
                return known
            }
            try ContactRow.refuseTakenName(contact.name, except: nil, in: connection)
            try connection.run(
                """
                INSERT INTO contacts(peer_id, name, folded_name, addresses, trust, blocked, added, name_is_provisional, kind,
                    room, room_left)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .optionalText(contact.peerID?.text), .text(contact.name), .text(ContactRow.fold(contact.name)),
                .text(ContactRow.encode(contact.addresses)), .text(contact.trust.rawValue),
                .flag(contact.isBlocked), .integer(contact.added.milliseconds), .flag(contact.isNameProvisional),
                .integer(ContactRow.kind(contact.room)), .optionalText(contact.room?.url.description),
                .flag(contact.room?.isLeft ?? false))
            let id = connection.lastInsertedRow
            try connection.run("INSERT INTO conversations(contact) VALUES (?)", .integer(id))
            var peer = Peer(
                id: ContactID(id), peerID: contact.peerID, name: contact.name, addresses: contact.addresses,
                trust: contact.trust, isBlocked: contact.isBlocked, added: contact.added)
            peer.isNameProvisional = contact.isNameProvisional
            peer.room = contact.room
            return peer
        }
    }

    package func updateContact(_ contact: Peer) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try ContactRow.refuseTakenName(contact.name, except: contact.id, in: connection)
            try ContactRow.update(contact, in: connection)
        }
    }

    package func recordContactRequest(
        peerID: PeerID, name: String, address: PeerAddress?, origin: String, at time: Timestamp, limit: Int
    ) async throws(StoreError) -> ContactRequest? {
        try await writer.write { connection throws(StoreError) in
            // They may have become a contact while their call was on its way here.
            let key = SQLiteValue.text(peerID.text)
            guard try !connection.has("SELECT 1 FROM contacts WHERE peer_id = ?", key) else { return nil }
            if try !connection.has("SELECT 1 FROM contact_requests WHERE peer_id = ?", key) {
                let known = try connection.all(Self.selectRequests + " ORDER BY received, id", [], Self.request)
                guard let displaced = ContactRequestRoom(limit: limit).displaced(by: origin, among: known) else {
                    return nil
                }
                for request in displaced {
                    try connection.run("DELETE FROM contact_requests WHERE id = ?", .integer(request.id))
                }
            }
            try connection.run(
                """
                INSERT INTO contact_requests(peer_id, name, address, origin, received) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT(peer_id) DO UPDATE SET name = ?2, address = ?3, origin = ?4, received = ?5
                """,
                key, .text(name), .optionalText(address?.description), .text(origin), .integer(time.milliseconds))
            return try connection.first(Self.selectRequests + " WHERE peer_id = ?", [key], Self.request)
        }
    }

    package func contactRequests() async throws(StoreError) -> [ContactRequest] {
        try await reader.perform { connection throws(StoreError) in
            try connection.all(Self.selectRequests + " ORDER BY received, id", [], Self.request)
        }
    }

    package func removeContactRequest(_ id: Int64) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run("DELETE FROM contact_requests WHERE id = ?", .integer(id))
        }
    }

    static let selectRequests = "SELECT id, peer_id, name, address, origin, received FROM contact_requests"

    static func request(from row: SQLiteRow) throws(StoreError) -> ContactRequest {
        guard let peerID = PeerID(row.text(1)) else { throw MessageRow.damaged("a contact request") }
        return ContactRequest(
            id: row.integer(0), peerID: peerID, name: row.text(2),
            address: row.optionalText(3).flatMap(ContactRow.decodeAddress), origin: row.text(4),
            received: Timestamp(milliseconds: row.integer(5)))
    }
}

/// Between rows of `contacts` and `Peer`.
enum ContactRow {
    static let columns = """
        c.id, c.peer_id, c.name, c.addresses, c.trust, c.blocked, c.added, c.last_seen, c.verified_at, c.muted_until, \
        c.accept_up_to, c.new_peer_id, c.former_peer_ids, c.name_is_provisional, c.kind, c.room, \
        c.room_left, c.met_at
        """
    /// How many they are: other columns of a query come after them.
    static let columnCount: Int32 = 18

    static func peer(from row: SQLiteRow) throws(StoreError) -> Peer {
        let peerID = row.optionalText(1).map { PeerID($0) }
        guard let trust = PeerTrust(rawValue: row.text(4)), peerID != .some(nil) else {
            throw MessageRow.damaged("a contact")
        }
        var peer = Peer(
            id: ContactID(row.integer(0)), peerID: peerID ?? nil, name: row.text(2),
            addresses: row.text(3).utf8.split(separator: UInt8(ascii: "\n")).compactMap {
                decodeAddress(String($0) ?? "")
            },
            trust: trust, isBlocked: row.flag(5), added: Timestamp(milliseconds: row.integer(6)),
            lastSeen: row.optionalInteger(7).map(Timestamp.init(milliseconds:)))
        peer.verifiedAt = row.optionalInteger(8).map(Timestamp.init(milliseconds:))
        peer.mutedUntil = row.optionalInteger(9).map(Timestamp.init(milliseconds:))
        peer.acceptsFilesUpTo = row.optionalInteger(10).map { UInt64(clamping: $0) }
        peer.newPeerID = row.optionalText(11).flatMap { PeerID($0) }
        peer.formerPeerIDs = (row.optionalText(12) ?? "").split(separator: "\n").compactMap { PeerID(String($0)) }
        peer.isNameProvisional = row.flag(13)
        peer.metAt = row.optionalInteger(17).map(Timestamp.init(milliseconds:))
        peer.room = try room(kind: row.integer(14), row.optionalText(15), isLeft: row.flag(16))
        return peer
    }

    /// The value of `contacts.kind` for a Socket.IO room; 1 is kept for rooms of our own (Docs/decisions/0029).
    static func kind(_ room: JoinedRoom?) -> Int64 { room == nil ? 0 : 2 }

    private static func room(kind: Int64, _ address: String?, isLeft: Bool) throws(StoreError) -> JoinedRoom? {
        guard kind != 0 else { return nil }
        guard kind == 2, let address, let url = try? RoomURL(parsing: address) else {
            throw MessageRow.damaged("a room")
        }
        return JoinedRoom(url: url, isLeft: isLeft)
    }

    static func find(_ peerID: PeerID, in connection: SQLiteConnection) throws(StoreError) -> Peer? {
        try connection.first("SELECT \(columns) FROM contacts c WHERE c.peer_id = ?", [.text(peerID.text)], peer)
    }

    static func update(_ contact: Peer, in connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            """
            UPDATE contacts SET peer_id = ?, name = ?, folded_name = ?, addresses = ?, trust = ?, blocked = ?,
                last_seen = ?, verified_at = ?, muted_until = ?, accept_up_to = ?, new_peer_id = ?, former_peer_ids = ?,
                name_is_provisional = ?, kind = ?, room = ?, room_left = ?, met_at = ?
            WHERE id = ?
            """,
            .optionalText(contact.peerID?.text), .text(contact.name), .text(fold(contact.name)),
            .text(encode(contact.addresses)), .text(contact.trust.rawValue), .flag(contact.isBlocked),
            .optionalInteger(contact.lastSeen?.milliseconds), .optionalInteger(contact.verifiedAt?.milliseconds),
            .optionalInteger(contact.mutedUntil?.milliseconds),
            .optionalInteger(contact.acceptsFilesUpTo.map { Int64(clamping: $0) }),
            .optionalText(contact.newPeerID?.text),
            .optionalText(
                contact.formerPeerIDs.isEmpty ? nil : contact.formerPeerIDs.map(\.text).joined(separator: "\n")),
            .flag(contact.isNameProvisional), .integer(kind(contact.room)),
            .optionalText(contact.room?.url.description), .flag(contact.room?.isLeft ?? false),
            .optionalInteger(contact.metAt?.milliseconds), .integer(contact.id.rawValue))
        if connection.changedRows == 0 { throw .notFound }
    }

    /// Names must differ as people see them. A contact that has its name already keeps it: two of earlier versions may
    /// differ by invisible characters only.
    static func refuseTakenName(
        _ name: String, except contact: ContactID?, in connection: SQLiteConnection
    ) throws(StoreError) {
        // Nearly every change is one of something else.
        if let contact {
            let own = try connection.first("SELECT name FROM contacts WHERE id = ?", [.integer(contact.rawValue)]) {
                row in row.text(0)
            }
            if let own, own.utf8.elementsEqual(name.utf8) { return }
        }
        let names = try connection.all("SELECT id, name FROM contacts") { row in (row.integer(0), row.text(1)) }
        let folded = ContactNames.folded(name)
        let taken = names.first { $0.0 != contact?.rawValue && ContactNames.folded($0.1) == folded }
        if let taken { throw .nameTaken(taken.1) }
    }

    /// For the column that keeps names apart in the file.
    static func fold(_ name: String) -> String { name.lowercased() }

    /// A line for each: `blip://…`, or `relay://ROUTE` for a way by a relay, over which older versions read.
    static func encode(_ addresses: [PeerAddress]) -> String {
        addresses.map { address in
            let origin = origins.first { $0.origin == address.origin }?.mark
            if case .relay = address.route {
                let parameters = [address.peerID.map { "id=\($0)" }, origin].compactMap { $0 }
                return relayScheme + "\(address.route)"
                    + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
            }
            guard let origin else { return plain(address).description }
            // Before the name, which begins with the only "#".
            let parts = plain(address).description.split(separator: "#", maxSplits: 1)
            let mark = (parts[0].contains("?") ? "&" : "?") + origin
            return parts.count > 1 ? "\(parts[0])\(mark)#\(parts[1])" : "\(parts[0])\(mark)"
        }.joined(separator: "\n")
    }

    /// Only the place: other ways have lines of their own, and an invitation is used once.
    private static func plain(_ address: PeerAddress) -> PeerAddress {
        PeerAddress(address.route, peerID: address.peerID, name: address.name)
    }

    private static let relayScheme = "relay://"

    /// How an address that nobody has given us is marked. Older versions read over it.
    private static let origins: [(mark: String, origin: PeerAddress.Origin)] = [
        ("from=hello", .heard), ("from=routes", .told),
    ]

    static func decodeAddress(_ text: String) -> PeerAddress? {
        let place = text.split(separator: "#", maxSplits: 1).first ?? ""
        let parts = place.split(separator: "?", maxSplits: 1)
        let parameters = (parts.dropFirst().first ?? "").split(separator: "&").map(String.init)
        var decoded: PeerAddress?
        if let start = parts.first, start.hasPrefix(relayScheme) {
            let id = parameters.first { $0.hasPrefix("id=") }.flatMap { PeerID(String($0.dropFirst(3))) }
            decoded = Route(String(start.dropFirst(relayScheme.count))).map { PeerAddress($0, peerID: id) }
        } else {
            do throws(PeerAddressError) { decoded = try PeerAddress(parsing: text) } catch { decoded = nil }
        }
        decoded?.origin = origins.first { parameters.contains($0.mark) }?.origin ?? .user
        return decoded
    }
}
