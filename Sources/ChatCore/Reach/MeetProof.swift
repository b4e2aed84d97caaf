// The proofs that somebody was invited: known to both, bound to their TLS session, unknown to anybody between (REACH 5,
// "Meeting").

import BLIPNet

/// Proofs of one invitation.
struct MeetProof: Sendable, Equatable {
    /// Whose proof it is: nobody can send one back to who made it.
    enum Role: String, Sendable, CaseIterable {
        case guest
        case host
    }

    /// The key that only the two know.
    let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Of the token in a link.
    init(token: [UInt8]) { key = KeyedDigest.hmac(Array("blipchat once 1".utf8), key: token) }

    /// `exporter`: of the session over which the proof goes (`LinkInfo.exporter`).
    func proof(of role: Role, exporter: [UInt8]) -> [UInt8] {
        KeyedDigest.hmac(Array("blipchat meet 1 \(role.rawValue)\0".utf8) + exporter, key: key)
    }

    /// Whether `proof` is that of `role` on this session.
    func accepts(_ proof: [UInt8], of role: Role, exporter: [UInt8]) -> Bool {
        KeyedDigest.areEqual(proof, self.proof(of: role, exporter: exporter))
    }
}
