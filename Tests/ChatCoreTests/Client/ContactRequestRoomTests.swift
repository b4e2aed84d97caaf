// Whose contact request goes when the list is full.

import Testing

@testable import ChatCore

@Suite("Room for contact requests") struct ContactRequestRoomTests {
    private func request(_ id: Int64, _ origin: String) throws -> ContactRequest {
        ContactRequest(
            id: id, peerID: try #require(PeerID(String(repeating: "a", count: 52))), name: "x", address: nil,
            origin: origin, received: Timestamp(milliseconds: id))
    }

    /// The ids of those that go, of requests from `origins` in this order.
    private func gone(_ limit: Int, _ origins: [String], for origin: String) throws -> [Int64]? {
        let requests = try origins.enumerated().map { try request(Int64($0.offset), $0.element) }
        return ContactRequestRoom(limit: limit).displaced(by: origin, among: requests)?.map(\.id)
    }

    @Test("while there is room nobody goes")
    func room() throws {
        #expect(try gone(3, ["10.0.0.1:1", "10.0.0.1:2"], for: "10.0.0.1:3") == [])
    }

    @Test("the oldest of the network that has most goes, wherever the new one comes from")
    func most() throws {
        let origins = ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.2:2", "10.0.0.3:1"]
        #expect(try gone(4, origins, for: "10.0.0.9:1") == [1])
        #expect(try gone(4, origins, for: "10.0.0.2:7") == [1])
    }

    @Test("the new one counts with its own network")
    func own() throws {
        // Two and two: with the new one it is three of the second.
        let origins = ["10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1", "10.0.0.2:2"]
        #expect(try gone(4, origins, for: "10.0.0.2:3") == [2])
        #expect(try gone(4, origins, for: "10.0.0.1:3") == [0])
    }

    @Test("where all have as many, the oldest goes")
    func even() throws {
        #expect(try gone(3, ["10.0.0.3:1", "10.0.0.1:1", "10.0.0.2:1"], for: "10.0.0.4:1") == [0])
    }

    @Test("the addresses of one IPv6 network are one")
    func networks() throws {
        let origins = ["10.0.0.1:1", "[2001:db8:0:1::1]:5", "[2001:db8:0:1::2]:5", "[2001:db8:0:2::3]:5"]
        #expect(try gone(4, origins, for: "10.0.0.2:1") == [1])
    }

    @Test("a limit that has become smaller holds, and none is none")
    func smaller() throws {
        let origins = ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.1:2", "10.0.0.3:1"]
        #expect(try gone(2, origins, for: "10.0.0.4:1") == [0, 1, 2])
        #expect(try gone(0, [], for: "10.0.0.4:1") == nil)
    }
}
