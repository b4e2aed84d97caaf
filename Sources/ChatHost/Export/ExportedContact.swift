// The details of a contact, beside its name, in exports for people.

import ChatCore
import ChatWords

enum ExportedContact {
    /// Their key; of a room its address.
    static func place(of peer: Peer) -> String {
        peer.room.map { SafeText.line("\($0.url)") } ?? peer.peerID?.text ?? "key not known"
    }
}
