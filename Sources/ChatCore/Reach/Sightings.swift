// Other chats in this network, as they show themselves: read within limits, whatever a neighbour sends. Pure (REACH 5).

import BLIPNet

/// The texts with which a service describes itself (RFC 6763 section 6).
struct NeighbourTexts: Equatable {
    /// The tag of the hour, by which contacts recognise each other.
    var tag: LANTag?
    /// The tags of the words with which callers are expected there.
    var marks: [LANTag] = []
    /// Only while somebody wants to be seen by name.
    var id: PeerID?
    var name: String?

    /// Bytes that are read at most.
    static let mostBytes = 512
    private static let version = "1"

    init() {}

    /// Reads them; `nil` when they are of another version, or too long. Of a key that comes twice the first one counts.
    init?(_ texts: [[UInt8]]) {
        guard texts.reduce(0, { $0 + $1.count + 1 }) <= Self.mostBytes else { return nil }
        var values: [String: String] = [:]
        for text in texts {
            guard let text = String(validating: text, as: UTF8.self) else { continue }
            let parts = text.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values[parts[0].lowercased()] == nil else { continue }
            values[parts[0].lowercased()] = String(parts[1])
        }
        guard values["v"] == Self.version else { return nil }
        tag = values["t"].flatMap { LANTag($0) }
        marks = (values["m"] ?? "").split(separator: ",").prefix(OpenInvitations.mostSpoken).compactMap { LANTag($0) }
        id = values["id"].flatMap { PeerID($0) }
        name = values["n"].map { ContactNames.cleaned($0, fallback: "somebody") }
    }

    var texts: [String] {
        ["v=\(Self.version)"] + (tag.map { ["t=\($0)"] } ?? [])
            + (marks.isEmpty ? [] : ["m=" + marks.map(\.description).joined(separator: ",")])
            + (id.map { ["id=\($0)"] } ?? []) + (name.map { ["n=\($0)"] } ?? [])
    }
}

/// The neighbours in this network.
struct Sightings {
    struct Neighbour: Equatable {
        var route: Route
        var texts: NeighbourTexts
        var seen: Timestamp
    }

    /// More are not kept: a neighbour can show thousands.
    static let most = 256
    /// Places of one contact.
    static let mostOfOne = 2

    private(set) var neighbours: [NeighbourKey: Neighbour] = [:]
    /// Neighbours may be at loopback addresses: for tests.
    private let allowsThisMachine: Bool

    init(allowsThisMachine: Bool = false) { self.allowsThisMachine = allowsThisMachine }

    /// Returns whether that is news.
    mutating func found(
        _ key: NeighbourKey, host: String, port: UInt16, texts: [[UInt8]], now: Timestamp
    ) -> Bool {
        // A name would be looked up, and an address elsewhere is not that of a neighbour.
        guard port > 0, let address = SocketAddress(host: host, port: 0),
            address.isOfNeighbour || allowsThisMachine && address.isLocal, let read = NeighbourTexts(texts)
        else { return gone(key) }
        guard neighbours[key] != nil || neighbours.count < Self.most else { return false }
        let old = neighbours[key]
        neighbours[key] = Neighbour(route: .direct(host: host, port: port), texts: read, seen: now)
        return old?.route != neighbours[key]?.route || old?.texts != read
    }

    mutating func gone(_ key: NeighbourKey) -> Bool { neighbours.removeValue(forKey: key) != nil }

    mutating func forgetAll() { neighbours = [:] }

    /// Those who fit, those seen last before others; of each machine the IPv4 address first.
    private func sorted(_ fits: (Neighbour) -> Bool) -> [Neighbour] {
        neighbours.filter { fits($0.value) }.sorted {
            ($1.value.seen, $0.key.isIPv6 ? 1 : 0, $0.key.instance) < (
                $0.value.seen, $1.key.isIPv6 ? 1 : 0, $1.key.instance
            )
        }.map(\.value)
    }

    /// Where those are who wait for certain words.
    func routes(showing mark: LANTag) -> [Route] {
        var routes: [Route] = []
        for neighbour in sorted({ $0.texts.marks.contains(mark) }) where !routes.contains(neighbour.route) {
            routes.append(neighbour.route)
        }
        return Array(routes.prefix(Self.mostOfOne * 2))
    }

    /// Where contacts are, whose tags are known.
    func sightings(of tags: [LANTag: PeerID]) -> [PeerID: [Neighbour]] {
        var found: [PeerID: [Neighbour]] = [:]
        for neighbour in sorted({ $0.texts.tag.map { tags[$0] != nil } ?? false }) {
            guard let tag = neighbour.texts.tag, let peer = tags[tag] else { continue }
            guard found[peer, default: []].count < Self.mostOfOne,
                found[peer]?.contains(where: { $0.route == neighbour.route }) != true
            else { continue }
            found[peer, default: []].append(neighbour)
        }
        return found
    }

    /// The tags of peers now: clocks of neighbours may be an hour apart.
    static func tags(of peers: [PeerID], at hour: Int64) -> [LANTag: PeerID] {
        var tags: [LANTag: PeerID] = [:]
        for peer in peers {
            for hour in hour - 1...hour + 1 { tags[LANTag(of: peer, hour: hour)] = peer }
        }
        return tags
    }

    /// The neighbours that are there, for people. A machine with several addresses appears once.
    func report(
        state: NeighbourState, tags: [LANTag: PeerID], contacts: [Peer], shownUntil: Timestamp?
    ) -> NearbyReport {
        var report = NearbyReport(state: state, neighbours: [], strangers: 0, shownUntil: shownUntil)
        var instances: Set<String> = []
        let ordered = neighbours.sorted {
            ($0.key.instance, $0.key.isIPv6 ? 1 : 0) < ($1.key.instance, $1.key.isIPv6 ? 1 : 0)
        }
        for (key, neighbour) in ordered where instances.insert(key.instance).inserted {
            let id = neighbour.texts.tag.flatMap { tags[$0] } ?? neighbour.texts.id
            let peer = id.flatMap { id in contacts.first { $0.peerID == id } }
            guard let id, let name = peer?.name ?? neighbour.texts.name else {
                report.strangers += 1
                continue
            }
            report.neighbours.append(
                NearbyReport.Neighbour(
                    contact: peer?.id, name: name, address: PeerAddress(neighbour.route, peerID: id, name: name),
                    seen: neighbour.seen))
        }
        return report
    }
}
