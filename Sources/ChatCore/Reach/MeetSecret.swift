// The keys that follow from four spoken words: they show where the host is found, and prove that somebody knows the
// words (REACH 5, "Meeting").

import BLIPNet

/// The keys of one spoken invitation.
struct MeetSecret: Sendable, Equatable {
    /// 32 bytes: the mailbox with which the host joins relays.
    let mailboxSeed: [UInt8]
    let proof: MeetProof
    /// 32 bytes: the key of the onion service that the host adds.
    let onionSeed: [UInt8]

    /// Takes a tenth of a second and 32 MiB of memory, so that nobody tries many words; `nil` when there is not so much
    /// memory.
    init?(_ words: MeetWords) {
        let salt = Array("blipchat meet 1".utf8)
        guard
            let bytes = KeyedDigest.slowKey(
                from: Array("\(words)".utf8), salt: salt, cost: 1 << 15, blockSize: 8, byteCount: 96)
        else { return nil }
        mailboxSeed = Array(bytes[..<32])
        proof = MeetProof(key: Array(bytes[32..<64]))
        onionSeed = Array(bytes[64...])
    }

    /// The same away from the actors and their pool.
    static func made(of words: MeetWords) async -> MeetSecret? {
        await BlockingExecutor.run("blipchat.words") { MeetSecret(words) }
    }

    /// How the host is called by Tor.
    var onion: Route? { OnionService(seed: onionSeed).map { .onion(host: $0.host, port: TorCommand.port) } }

    /// The id by which relays know the host.
    var mailbox: RelayID? {
        do throws(TLSError) { return try TLSIdentity(mailboxSeed: mailboxSeed).relayID } catch { return nil }
    }
}
