// Finds contacts by what users call them, and their names by number.

import ChatCore
import ChatTUI

/// The contacts as they were read from the store. One that an earlier version let be called "me" has another name here,
/// "me 2": records say "me" of the user and of nobody else.
struct ContactDirectory: Sendable {
    let peers: [Peer]
    /// Those whose names in the store are others.
    private var renamed: Set<ContactID> = []

    init(_ peers: [Peer]) {
        let names = peers.map(\.name)
        var shown = peers
        for index in shown.indices where ContactNames.isReserved(shown[index].name) {
            shown[index].name = ContactNames.unique(shown[index].name, among: names)
            renamed.insert(shown[index].id)
        }
        self.peers = shown
    }

    /// A name for records; a contact that is not there any more has none.
    func name(of id: ContactID) -> String { peers.first { $0.id == id }?.name ?? "(removed)" }

    /// The only contact whose name begins so.
    func beginning(with who: String) -> Peer? {
        ContactNames.only(of: peers, beginningWith: who, name: \.name)
    }

    /// By name as it is seen, without regard to case, or by peer id.
    ///
    /// Throws code 10, with the nearest name as advice.
    func find(_ who: String) throws(CommandError) -> Peer {
        if let peer = peers.first(where: { $0.name == who }) { return peer }
        let folded = ContactNames.folded(who)
        if let peer = peers.first(where: { ContactNames.folded($0.name) == folded }) { return peer }
        if let peer = peers.first(where: { ContactNames.folded(SafeText($0.name, as: .name).text) == folded }) {
            return peer
        }
        if let id = PeerID(who), let peer = peers.first(where: { $0.peerID == id }) { return peer }
        if ContactNames.isReserved(who), let peer = peers.first(where: { renamed.contains($0.id) }) { return peer }
        let nearest = NearestName.to(who, among: peers.map(\.name)).map { "did you mean \($0)?" }
        throw CommandError(
            .notFound, who, "no such contact",
            advice: nearest ?? "see blipchat contacts, or add one with blipchat contacts add ADDRESS")
    }
}
