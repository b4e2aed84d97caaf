// Onion services: what follows from the identity's key, and what tor is told.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Onion services") struct OnionServiceTests {
    @Test("32 bytes make one service: its name, and its key as tor takes it")
    func keys() throws {
        let vectors = try reachVector(TorControlVectors.self, "tor_control.json").keys
        #expect(vectors.count == 2)
        for vector in vectors {
            let service = try #require(OnionService(seed: bytes(hex: vector.seed)))
            #expect(service.host == vector.address)
            #expect(TorCommand.addOnion(service, target: "unix:/x").text.hasPrefix("ADD_ONION \(vector.key) "))
            let name = try #require(Base32.decode(service.id))
            #expect(OnionKey.isValid(name))
            for index in name.indices {
                var other = name
                other[index] ^= 1
                #expect(!OnionKey.isValid(other))
            }
        }
        #expect(OnionService(seed: [1, 2, 3]) == nil)
    }

    @Test("the service follows from the identity's key, another one for each generation")
    func derived() throws {
        let rows = try reachVector(OnionKeyVectors.self, "derived_keys.json").rows.filter { $0.onion != nil }
        #expect(rows.count == 4)
        for row in rows {
            let identity = try TLSIdentity(mailboxSeed: bytes(hex: row.identitySeed))
            #expect(identity.onionSeed(generation: row.generation) == bytes(hex: row.onionSeed ?? ""))
            #expect(identity.onionService(generation: row.generation)?.host == row.onion)
        }
    }
}
