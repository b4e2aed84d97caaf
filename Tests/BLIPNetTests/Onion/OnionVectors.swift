// The vectors of Vectors/reach that are about Tor (its README explains them).

import TestSupport

@testable import BLIPNet

/// `tor_control.json`.
struct TorControlVectors: Decodable {
    struct Key: Decodable {
        var seed: String
        var key: String
        var address: String
    }
    struct SafeCookie: Decodable {
        var cookie: String
        var clientNonce: String
        var serverNonce: String
        var serverHash: String
        var clientHash: String

        private enum CodingKeys: String, CodingKey {
            case cookie
            case clientNonce = "client_nonce"
            case serverNonce = "server_nonce"
            case serverHash = "server_hash"
            case clientHash = "client_hash"
        }
    }
    var keys: [Key]
    var safeCookie: SafeCookie
    var session: [String]
    var refusals: [String]
    var starting: [String]

    private enum CodingKeys: String, CodingKey {
        case session, refusals, starting
        case keys = "onion_keys"
        case safeCookie = "safecookie"
    }

    /// What tor says to each command of the session.
    var answers: [String: [String]] {
        var answers: [String: [String]] = [:]
        var command = ""
        for line in session {
            let text = String(line.dropFirst(2))
            if line.hasPrefix(">") { command = text } else { answers[command, default: []].append(text) }
        }
        return answers
    }
}

/// `socks5.json`.
struct SOCKSVectors: Decodable {
    struct Answer: Decodable {
        var hex: String
        var meaning: String
    }
    var withoutName: [[String]]
    var withName: [[String]]
    var answers: [Answer]
    var malformed: [String]

    private enum CodingKeys: String, CodingKey {
        case answers, malformed
        case withoutName = "without_name"
        case withName = "with_name"
    }
}

/// The rows of `derived_keys.json` that have an onion service.
struct OnionKeyVectors: Decodable {
    struct Row: Decodable {
        var identitySeed: String
        var generation: UInt32
        var onionSeed: String?
        var onion: String?

        private enum CodingKeys: String, CodingKey {
            case generation, onion
            case identitySeed = "identity_seed"
            case onionSeed = "onion_seed"
        }
    }
    var rows: [Row]
}
