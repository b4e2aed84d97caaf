// What our user has set for a contact, as an export has it: beside the contact's own record, and back.

import BLIPNet
import ChatCore
import Storage

/// Nothing in it trusts the other side more than before: whether a key was compared, and which files are taken without
/// asking, is not believed to a file (see HistoryImporter).
struct ContactSettings: Equatable {
    var lastSeen: Timestamp?
    var mutedUntil: Timestamp?
    var keep: Retention?

    private static let forGood = "forever"

    init(_ peer: Peer, keep: Retention?) {
        lastSeen = peer.lastSeen
        mutedUntil = peer.mutedUntil
        self.keep = keep
    }

    /// Reads the record of a contact in an export; what is missing or unreadable is not set.
    init(_ record: JSONValue) {
        func time(_ name: String) -> Timestamp? { record[name]?.stringValue.flatMap { RFC3339.read($0) } }
        lastSeen = time("last_seen")
        mutedUntil = record["muted_until"]?.stringValue == Self.forGood ? .endless : time("muted_until")
        keep = record["keep"]?.stringValue.flatMap { Retention($0) }
    }

    /// The record of the contact with what it does not have yet (`last_seen` is one of every contact).
    func added(to record: JSONValue) -> JSONValue {
        guard case .object(var members) = record else { return record }
        if let mutedUntil {
            let text = mutedUntil == .endless ? JSONValue.string(Self.forGood) : .time(mutedUntil)
            members.append(.init(name: "muted_until", value: text))
        }
        if let keep { members.append(.init(name: "keep", value: .string(keep.text))) }
        return .object(members)
    }

    /// Gives them to a contact that an import has just made.
    func apply(to contact: Peer, in store: HistoryDatabase) async throws(StoreError) {
        if lastSeen != nil || mutedUntil != nil {
            var contact = contact
            contact.lastSeen = lastSeen
            contact.mutedUntil = mutedUntil
            try await store.updateContact(contact)
        }
        if let keep { try await store.setRetention(keep, of: contact.id) }
    }
}
