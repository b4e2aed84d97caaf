// TLS between two of our sessions with a vandal on the wire: what arrives is what was sent, or nothing.

import TestSupport

@testable import BLIPNet

private struct TLSEnd {
    var session: TLSSession
    var wire = ByteQueue()
    var written: [UInt8] = []
    var read = ByteQueue()
    var failure: TLSError?

    mutating func attempt(_ body: (TLSSession) throws(TLSError) -> Void) throws(FuzzFinding) {
        guard case .failure(let error) = Result(catching: { () throws(TLSError) in try body(session) }) else {
            try require(failure == nil, "alive after \(String(describing: failure))")
            return
        }
        if error == .notEstablished || error == .closed { return }
        try require(failure == nil || failure == error, "\(error) after \(String(describing: failure))")
        failure = error
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(FuzzFinding) {
        try attempt { (session) throws(TLSError) in try session.receive(bytes) }
        var plain = read
        read = ByteQueue()
        try attempt { (session) throws(TLSError) in
            while try session.read(into: &plain, max: 4_096) > 0 {}
        }
        read = plain
    }

    mutating func collect() {
        var out = wire
        while session.nextOutgoing(into: &out) {}
        wire = out
    }
}

private enum TLSFixture {
    static let client = Result { () throws(TLSError) in try TLSIdentity.generate() }
    static let server = Result { () throws(TLSError) in try TLSIdentity.generate() }
}

/// Operations: pass bytes on, change them, lose them, invent some, write and close, at any moment of the session.
func fuzzTLS(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let identities = [try TLSFixture.client.get(), try TLSFixture.server.get()]
    var ends = [
        TLSEnd(session: try TLSSession(role: .client, identity: identities[0])),
        TLSEnd(session: try TLSSession(role: .server, identity: identities[1])),
    ]
    func pass(from sender: Int, at most: Int = .max) throws {
        ends[sender].collect()
        let count = min(most, ends[sender].wire.count)
        let piece = ends[sender].wire.withUnsafeBytes { Array($0[..<count]) }
        ends[sender].wire.consume(count)
        try piece.withUnsafeBytes { piece in try ends[1 - sender].receive(piece) }
    }
    // How far the handshake gets before anything happens.
    for step in 0..<Int(input.byte() & 7) { try pass(from: step & 1) }
    var operations = 0
    while !input.isEmpty, operations < 500 {
        operations += 1
        let operation = input.byte()
        let side = Int(operation & 1)
        switch operation >> 1 & 7 {
        case 0, 1: try pass(from: side)
        case 2: try pass(from: side, at: input.word() & 0x3FF)
        case 3:
            let text = Array(input.bytes(Int(operation >> 4) * 16))
            if ends[side].session.isEstablished, ends[side].failure == nil { ends[side].written += text }
            try ends[side].attempt { (session) throws(TLSError) in
                try text.withUnsafeBytes { bytes in
                    Result { () throws(TLSError) in try session.write(bytes) }
                }.get()
            }
        case 4:
            ends[side].collect()
            let (offset, change) = (input.word(), input.byte())
            ends[side].wire.withUnsafeMutableBytes { if offset < $0.count { $0[offset] ^= change } }
        case 5:
            ends[side].collect()
            ends[side].wire.consume(Int(input.byte()))
        case 6: try ends[side].receive(input.bytes(Int(input.byte())))
        default: ends[side].session.closeNotify()
        }
        for end in ends {
            try require(end.wire.count < 1 << 20, "\(end.wire.count) bytes of output")
            if end.session.isEstablished { try require(end.session.peerFingerprint != nil, "nobody is there") }
        }
    }
    for side in 0...1 {
        let arrived = ends[side].read.takeAll()
        try require(ends[1 - side].written.starts(with: arrived), "bytes arrive that nobody sent")
        if let peer = ends[side].session.peerFingerprint {
            try require(peer == identities[1 - side].fingerprint, "somebody else is there")
        }
    }
}
