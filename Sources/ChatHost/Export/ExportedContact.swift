// What exports for people say of a contact beside its name.

import ChatCore
import ChatWords

enum ExportedContact {
    /// Their key; of a room its address.
    static func place(of peer: Peer) -> String {
        peer.room.map { SafeText.line("\($0.url)") } ?? peer.peerID?.text ?? "key not known"
    }
}
