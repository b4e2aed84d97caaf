// Texts of routes and addresses: every vector both ways, and what contacts may name.

import BLIPNet
import FoundationEssentials
import TestSupport
import Testing

@testable import ChatCore

/// `Vectors/reach` of BLIPNetTests.
enum ReachVectors {
    struct Routes: Decodable {
        struct Row: Decodable {
            var text: String
            var route: Place?
        }
        struct Place: Decodable {
            var kind: String
            var host: String
            var port: UInt16
            var relay: String?
            var mailbox: String?
        }
        struct AddressRow: Decodable {
            var text: String
            var address: Address?
        }
        struct Address: Decodable {
            var host: String?
            var port: UInt16?
            var peerId: String
            var name: String?
            var via: [String]
            var once: String?
        }
        var routes: [Row]
        var addresses: [AddressRow]
    }

    struct Meet: Decodable {
        struct Link: Decodable {
            var token: String
            var once: String
            var exporter: String
            var proofKey: String
            var proofGuest: String
            var proofHost: String
        }
        struct Reading: Decodable {
            var typed: String
            var words: String?
        }
        struct Code: Decodable {
            var words: [String]
            var indexes: [Int]
            var scrypt: String
            var mailboxSeed: String
            var proofKey: String
            var onionSeed: String
            var mailbox: String
            var onion: String
            var exporter: String
            var proofGuest: String
            var proofHost: String
        }
        var normalForm: [Reading]
        var codes: [Code]
        var link: Link
    }

    struct LAN: Decodable {
        struct Tag: Decodable {
            var unixTime: Int64
            var hour: Int64
            var t: String
        }
        struct Meeting: Decodable {
            var mailbox: String
            var m: String
        }
        var peerId: String
        var tags: [Tag]
        var meeting: Meeting
    }

    struct Mailbox: Decodable {
        struct Reading: Decodable {
            var text: String
            var bytes: String?
        }
        var reading: [Reading]
    }

    static func read(_ name: String) throws -> Data {
        let tests = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let path = tests + "/BLIPNetTests/Vectors/reach/" + name
        guard let data = FileManager.default.contents(atPath: path) else { throw ConditionNotMet("\(path) is there") }
        return data
    }

    static func load<Vectors: Decodable>(_ type: Vectors.Type, _ name: String) throws -> Vectors {
        let data = try read(name)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: data)
    }

    static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}

@Suite("Routes and addresses") struct RouteTests {
    @Test("each text of a route means what the vectors say, and is written so that it is read again")
    func routes() throws {
        let rows = try ReachVectors.load(ReachVectors.Routes.self, "routes.json").routes
        #expect(rows.count >= 20)
        for row in rows {
            let route = Route(row.text)
            guard let place = row.route else {
                #expect(route == nil, "\(row.text)")
                continue
            }
            let read = try #require(route, "\(row.text)")
            #expect(read.routeClass.rawValue == place.kind && read.host == place.host && read.port == place.port)
            if case .relay(let relay) = read {
                #expect(relay.relay.text == place.relay && relay.mailbox.text == place.mailbox)
            } else {
                #expect(place.relay == nil)
            }
            #expect(Route(read.description) == read)
        }
    }

    @Test("each address means what the vectors say, and is written so that it is read again")
    func addresses() throws {
        let rows = try ReachVectors.load(ReachVectors.Routes.self, "routes.json").addresses
        #expect(rows.count >= 8)
        for row in rows {
            guard let expected = row.address else {
                #expect(throws: PeerAddressError.self, "\(row.text)") { try PeerAddress(parsing: row.text) }
                continue
            }
            let address = try PeerAddress(parsing: row.text)
            let ways =
                (expected.host.map { ["\(Endpoint.host($0, port: expected.port ?? 4985))"] } ?? []) + expected.via
            #expect(([address.route] + address.via).map(\.description) == ways, "\(row.text)")
            #expect(address.peerID?.text == expected.peerId && address.name == expected.name)
            #expect(address.once == expected.once.map(ReachVectors.bytes))
            #expect(try PeerAddress(parsing: address.description) == address, "\(row.text)")
            #expect(address.places.allSatisfy { $0.via.isEmpty && $0.once == nil && $0.peerID == address.peerID })
        }
    }

    @Test("an address of one host is written as ever; a name with blanks and signs survives in both forms")
    func names() throws {
        let id = PeerID(try TLSIdentity.generate().fingerprint)
        let plain = PeerAddress(host: "192.0.2.7", port: 1, peerID: id, name: "Jo & Bo?")
        #expect(plain.description == "blip://192.0.2.7:1/\(id)#Jo%20%26%20Bo%3F")
        #expect(try PeerAddress(parsing: plain.description) == plain)
        var several = plain
        several.via = [.direct(host: "2001:db8::7", port: 2)]
        #expect(try PeerAddress(parsing: several.description) == several)
    }

    @Test("a list of routes has at most eight, and no more bytes than are read")
    func lists() throws {
        let relay = RelayID(ofCertificate: [1])
        let routes = (0..<9).map { Route.direct(host: "192.0.2.\($0)", port: 4985) }
        #expect(RouteList.routes(RouteList.text(routes)) == Array(routes.prefix(8)))
        let long = (0..<8).map { _ in
            Route.relay(RelayRoute(host: String(repeating: "a", count: 60), relay: relay, mailbox: relay))
        }
        let text = RouteList.text(long)
        #expect(text.utf8.count <= RouteList.mostBytes && RouteList.routes(text).count == 5)
        #expect(
            RouteList.routes("x y later:kind:of:route 192.0.2.1:5") == [
                .direct(host: "x", port: 4985), .direct(host: "y", port: 4985), .direct(host: "192.0.2.1", port: 5),
            ])
    }

    @Test("what leads to this machine or into private networks is known as such, in every form")
    func inside() {
        for host in [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.9", "169.254.1.1", "224.0.0.1", "0.0.0.0",
            "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "localhost",
        ] {
            #expect(Route.direct(host: host, port: 1).leadsInside, "\(host)")
        }
        for host in ["192.0.2.7", "172.32.0.1", "100.128.0.1", "2001:db8::7", "::ffff:192.0.2.1", "bob.example.org"] {
            #expect(!Route.direct(host: host, port: 1).leadsInside, "\(host)")
        }
    }
}

@Suite("Relays of our user") struct RelaySettingTests {
    private let line =
        "relay://relay.example.org:22067/?id=XCRK6H5-KEMKYTZ-CCIQM25-LAMRQLI-VC7DZKE-RXGQ5OS-SL4VI5I-4ZSJZAT&pingInterval=1m0s&networkTimeout=2m0s&sessionLimitBps=0&globalLimitBps=0&statusAddr=:22070&providedBy="

    @Test("ids are read as syncthing writes them, and slips are found")
    func ids() throws {
        let rows = try ReachVectors.load(ReachVectors.Mailbox.self, "mailbox.json").reading
        #expect(rows.count >= 7)
        for row in rows {
            #expect(RelayID(syncthing: row.text)?.bytes == row.bytes.map(ReachVectors.bytes), "\(row.text)")
        }
    }

    @Test("the line that strelaysrv prints is understood; two of them have a blank between")
    func lines() throws {
        let relay = try #require(try RelaySetting.list(line).first)
        #expect(relay.endpoint == .host("relay.example.org", port: 22067) && relay.token.isEmpty)
        #expect(relay.id?.text == "xcrk6h5kemkytcciqm25lamrqlvc7dzkerxgq5osl4vi5i4zsjza")
        let two = try RelaySetting.list("relay://a relay://[2001:db8::1]:443/?token=se%20cret")
        #expect(two.map(\.endpoint) == [.host("a", port: 22067), .host("2001:db8::1", port: 443)])
        #expect(two[1].token == "se cret" && two[1].id == nil)
        #expect(try RelaySetting.list("").isEmpty)
    }

    @Test("the public pool is refused, and so is what is no relay")
    func refused() {
        for text in ["pool", "dynamic+https://relays.syncthing.net/endpoint", "relay://relays.syncthing.net:443"] {
            #expect(throws: RelaySetting.Problem.pool) { try RelaySetting.list(text) }
        }
        #expect(throws: RelaySetting.Problem.tooMany) { try RelaySetting.list("relay://a relay://b relay://c") }
        for text in ["relay.example.org", "http://a", "relay://", "relay://0.0.0.0:22067/?id=x", "relay://a/?id=abc"] {
            #expect(throws: RelaySetting.Problem.unreadable) { try RelaySetting.list(text) }
        }
    }
}

@Suite("Proofs of invitations") struct MeetProofTests {
    @Test("both proofs are those of the vectors, and each side's is only its own")
    func vectors() throws {
        let link = try ReachVectors.load(ReachVectors.Meet.self, "meet.json").link
        let (token, exporter) = (ReachVectors.bytes(link.token), ReachVectors.bytes(link.exporter))
        #expect(Base32.encode(token) == link.once)
        let proof = MeetProof(token: token)
        #expect(proof.key == ReachVectors.bytes(link.proofKey))
        let (guest, host) = (proof.proof(of: .guest, exporter: exporter), proof.proof(of: .host, exporter: exporter))
        #expect(Base64.encode(guest) == link.proofGuest && Base64.encode(host) == link.proofHost)
        #expect(proof.accepts(guest, of: .guest, exporter: exporter))
        #expect(!proof.accepts(host, of: .guest, exporter: exporter))
        #expect(!proof.accepts(guest, of: .guest, exporter: exporter.reversed()))
        #expect(!proof.accepts([], of: .guest, exporter: exporter))
    }
}
