// A TLS client and a TLS server in memory whose bytes cross by hand.

@testable import BLIPNet

struct TLSPair {
    let client: TLSSession
    let server: TLSSession

    init(client: TLSConfiguration, server: TLSConfiguration, host: String? = "localhost") throws {
        self.client = try TLSSession(role: .client, configuration: client, host: host)
        self.server = try TLSSession(role: .server, configuration: server)
    }

    /// Carries bytes until nobody has any. The error of either side ends it.
    func shakeHands() throws {
        while try transfer(client, server) || transfer(server, client) {}
    }

    /// Shakes hands, carries one byte each way, and says which error each side saw.
    func outcome() -> (client: TLSError?, server: TLSError?) {
        var errors: (client: TLSError?, server: TLSError?) = (nil, nil)
        for _ in 0..<6 {
            do { _ = try transfer(client, server) } catch { errors.server = errors.server ?? error as? TLSError }
            do { _ = try transfer(server, client) } catch { errors.client = errors.client ?? error as? TLSError }
            do { _ = try Self.read(server) } catch { errors.server = errors.server ?? error as? TLSError }
            do { _ = try Self.read(client) } catch { errors.client = errors.client ?? error as? TLSError }
        }
        return errors
    }

    func transfer(_ from: TLSSession, _ to: TLSSession) throws -> Bool {
        var wire = ByteQueue()
        guard from.nextOutgoing(into: &wire) else { return false }
        try wire.withUnsafeBytes { try to.receive($0) }
        return true
    }

    /// One byte from each side to the other.
    func exchange() throws -> Bool {
        for (from, to) in [(client, server), (server, client)] {
            try [UInt8(42)].withUnsafeBytes { try from.write($0) }
            _ = try transfer(from, to)
            guard try Self.read(to) == [42] else { return false }
        }
        return true
    }

    static func read(_ session: TLSSession) throws -> [UInt8] {
        var plain = ByteQueue()
        while try session.read(into: &plain, max: .max) > 0 {}
        return plain.takeAll()
    }
}
