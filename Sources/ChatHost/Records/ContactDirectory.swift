// Finds contacts by what users call them, and their names by number.

package import ChatCore
package import ChatSettings
import ChatWords
import Synchronization

/// The contacts as they were read from the store. One that an earlier version let be called "me" has another name here,
/// "me 2": records say "me" of the user and of nobody else.
package struct ContactDirectory: Sendable {
    package let peers: [Peer]
    /// Where each one is among them. Logs look for a name with every event.
    private let places: [ContactID: Int]
    /// Those whose names in the store are others.
    private var renamed: Set<ContactID> = []
    private let known: KnownNames

    package init(_ peers: [Peer]) {
        let names = peers.map(\.name)
        var shown = peers
        for index in shown.indices where ContactNames.isReserved(shown[index].name) {
            shown[index].name = ContactNames.unique(shown[index].name, among: names)
            renamed.insert(shown[index].id)
        }
        self.peers = shown
        places = Dictionary(shown.indices.map { (shown[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        known = KnownNames(shown)
    }

    /// The skeletons of the names that people have (`NameLikeness`).
    var knownNames: Set<String> { known.skeletons }

    package func knows(_ id: ContactID) -> Bool { places[id] != nil }

    /// A name for records; a contact that is not there any more has none.
    package func name(of id: ContactID) -> String { places[id].map { peers[$0].name } ?? "(removed)" }

    /// The only contact whose name begins so.
    package func beginning(with who: String) -> Peer? {
        ContactNames.only(of: peers, beginningWith: who, name: \.name)
    }

    /// The contact that a filter of a search means: also by the beginning of a name that is nobody else's, as within
    /// the search.
    package func findForFilter(_ who: String) throws(CommandError) -> Peer {
        if let peer = try? find(who) { return peer }
        guard let peer = beginning(with: who) else { return try find(who) }
        return peer
    }

    /// By name as it is seen, without regard to case, by peer id, or by the address of nobody else.
    ///
    /// Throws code 10, with the nearest name as advice.
    package func find(_ who: String) throws(CommandError) -> Peer {
        if let peer = peers.first(where: { $0.name == who }) { return peer }
        let folded = ContactNames.folded(who)
        if let peer = peers.first(where: { ContactNames.folded($0.name) == folded }) { return peer }
        if let peer = peers.first(where: { ContactNames.folded(SafeText($0.name, as: .name).text) == folded }) {
            return peer
        }
        if let id = PeerID(who), let peer = peers.first(where: { $0.peerID == id }) { return peer }
        if ContactNames.isReserved(who), let peer = peers.first(where: { renamed.contains($0.id) }) { return peer }
        // A contact that was added by an address can be named by it, also after they have introduced themselves.
        // At a relay there are many.
        let there = peers.filter { peer in
            peer.addresses.contains {
                $0.route.routeClass == .direct && (who == $0.host || who == "\($0.host):\($0.port)")
            }
        }
        if there.count == 1, let peer = there.first { return peer }
        let nearest = NearestName.to(who, among: peers.map(\.name)).map { "did you mean \($0)?" }
        throw CommandError(
            .notFound, who, "no such contact",
            advice: nearest ?? "see blipchat contacts, or add one with blipchat contacts add ADDRESS")
    }
}

/// The looks of people's names. Only lines from rooms need it, each of them: made for the first one, and kept.
private final class KnownNames: Sendable {
    private let peers: [Peer]
    private let found = Mutex<Set<String>?>(nil)

    init(_ peers: [Peer]) { self.peers = peers }

    var skeletons: Set<String> {
        found.withLock { found in
            if let found { return found }
            let people = NameLikeness.likenesses(among: peers).people
            found = people
            return people
        }
    }
}
