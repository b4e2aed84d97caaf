// The vectors of Vectors/reach that are about relays (its README explains them).

import FoundationEssentials
import TestSupport

@testable import BLIPNet

/// `relay_messages.json`.
struct RelayMessageVectors: Decodable {
    struct Message: Decodable {
        var name: String
        var dir: String
        var hex: String
        var fields: Fields?
    }
    struct Fields: Decodable {
        var code: UInt32?
        var message: String?
        var id: String?
        var key: String?
        var token: String?
        var from: String?
        var address: String?
        var port: UInt16?
        var isServer: Bool?

        private enum CodingKeys: String, CodingKey {
            case code, message, id, key, token, address, port
            case from = "from_"
            case isServer = "server_socket"
        }
    }
    struct Malformed: Decodable {
        var name: String
        var hex: String
    }
    var messages: [Message]
    var malformed: [Malformed]
}

/// `relay_transcript.json`.
struct RelayTranscript: Decodable {
    struct Line: Decodable {
        var connection: String
        var dir: String
        var name: String
        var hex: String
    }
    var lines: [Line]

    /// What passes on one connection, in order.
    func bytes(_ connection: String, _ dir: String) -> [[UInt8]] {
        lines.filter { $0.connection == connection && $0.dir == dir }.map { BLIPNetTests.bytes(hex: $0.hex) }
    }
}

/// `mailbox.json`.
struct MailboxVectors: Decodable {
    struct Identity: Decodable {
        var seed: String
        var certificate: String
        var mailbox: String

        private enum CodingKeys: String, CodingKey {
            case seed, certificate
            case mailbox = "mailbox_bytes"
        }
    }
    var identities: [Identity]
}

/// `derived_keys.json`; rows about onion services have no relay.
struct DerivedKeyVectors: Decodable {
    struct Row: Decodable {
        var identitySeed: String
        var relay: String?
        var generation: UInt32
        var slot: UInt8?
        var mailboxSeed: String?

        private enum CodingKeys: String, CodingKey {
            case relay, generation, slot
            case identitySeed = "identity_seed"
            case mailboxSeed = "mailbox_seed"
        }
    }
    var rows: [Row]
}

func reachVector<Vectors: Decodable>(_ type: Vectors.Type, _ name: String) throws -> Vectors {
    guard let vectors = load(type, "reach/" + name) else { throw ConditionNotMet("Vectors/reach/\(name) can be read") }
    return vectors
}
