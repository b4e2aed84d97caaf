// One deflate stream and one checksum for a connection's life.

import CZlib
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPCompressionTests {
    @Test(
        "a peer that unpacks each compressed frame with its tail gets through the empty end of a body", arguments: 1...3
    )
    func emptyLastFrame(frames: Int) throws {
        // Ends exactly with a frame: only the next look into the source tells that it is over.
        let room = BLIPLimits().frameOut - 2 - FrameChecksum.byteCount - FrameDeflater.maxGrowth(BLIPLimits().frameOut)
        let prefix = 1 + "Profile".utf8.count + 1 + "sink".utf8.count + 1
        var client = BLIPConnection()
        let source = MemorySource([UInt8](repeating: 7, count: frames * room - prefix))
        _ = client.send(
            BLIPRequest(profile: "sink", body: .source(source), compressed: true), sink: nil, noReply: false)
        client.send("echo", [1, 2, 3], compressed: true)
        let sent = client.allFrames()
        #expect(sent.count == frames + 2)
        var peer = StrictInflater()
        for frame in sent { try peer.take(frame) }
        var server = BLIPConnection()
        for frame in sent { try server.receive(frame) }
        #expect(server.allEvents().compactMap(\.request).map(\.body.count).sorted() == [3, frames * room - prefix])
    }

    @Test("frames of any kind of data come back, in one stream", arguments: 1...5)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let deflater = FrameDeflater()
        let inflater = FrameInflater()
        for _ in 0..<40 {
            let count = Int.random(in: 0...60_000, using: &random)
            let data = random.bytes(count, alphabet: .random(using: &random) ? 255 : 3)
            let packed = deflate(data, deflater)
            #expect(packed.count <= data.count + FrameDeflater.maxGrowth(data.count))
            #expect(data.isEmpty == packed.isEmpty)
            #expect(try inflate(packed, inflater) == data)
        }
    }

    @Test("an empty frame may be no bytes or the byte 00")
    func empty() throws {
        let inflater = FrameInflater()
        #expect(try inflate([], inflater) == [])
        #expect(try inflate([0x00], inflater) == [])
        let deflater = FrameDeflater()
        #expect(try inflate(deflate([1, 2, 3], deflater), inflater) == [1, 2, 3])
    }

    @Test(
        "refuses what is not deflate, and a stream that ends", arguments: [[0x07], [0x03, 0x00], [0xFF, 0xFF, 0xFF]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: BLIPViolation.badFrame("malformed compressed data")) {
            try inflate(bytes, FrameInflater())
        }
    }

    @Test("a bomb stops at the limit")
    func bomb() {
        let packed = deflate([UInt8](repeating: 0, count: 8 << 20), FrameDeflater(level: 9))
        #expect(packed.count < 9_000)
        #expect(throws: BLIPViolation.self) { try inflate(packed, FrameInflater(), limit: (8 << 20) - 1) }
        #expect(throws: Never.self) { try inflate(packed, FrameInflater(), limit: 8 << 20) }
    }

    @Test("the checksum is zlib's, over everything so far")
    func checksum() {
        var checksum = FrameChecksum()
        Array("1234".utf8).withUnsafeBytes { checksum.update($0) }
        [UInt8]().withUnsafeBytes { checksum.update($0) }
        Array("56789".utf8).withUnsafeBytes { checksum.update($0) }
        #expect(checksum.value == 0xCBF4_3926)
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.withUnsafeMutableBytes { checksum.write(into: $0) }
        #expect(bytes == [0xCB, 0xF4, 0x39, 0x26])
        #expect(bytes.withUnsafeBytes { FrameChecksum.read($0) } == 0xCBF4_3926)
    }

    private func deflate(_ data: [UInt8], _ deflater: FrameDeflater) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: data.count + FrameDeflater.maxGrowth(data.count))
        let count = data.withUnsafeBytes { input in room.withUnsafeMutableBytes { deflater.deflate(input, into: $0) } }
        return Array(room[..<count])
    }

    private func inflate(_ bytes: [UInt8], _ inflater: FrameInflater, limit: Int = 1 << 20) throws -> [UInt8] {
        defer { inflater.shrink() }
        let allowance = UnpackingAllowance(bytes: limit, bound: .frame)
        return try bytes.withUnsafeBytes { Array(try inflater.inflate($0, allowance)) }
    }
}

/// A peer that hands the data of each compressed frame and the four bytes behind it to its inflater, and takes it for
/// lost when that does nothing.
private struct StrictInflater {
    private let stream = ZlibStream(.inflate) { czlib_inflate_init_raw($0, 15) }

    mutating func take(_ frame: [UInt8]) throws {
        try #require((FrameOnWire(frame)?.flags ?? 0) & 8 != 0)
        let data = Array(frame.dropFirst(2).dropLast(4)) + [0x00, 0x00, 0xFF, 0xFF]
        var output = [UInt8](repeating: 0, count: 70_000)
        let status = data.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { room in
                stream.setInput(input)
                stream.setOutput(room)
                return stream.run(flush: Z_SYNC_FLUSH)
            }
        }
        #expect(status == Z_OK && stream.unread == 0 && stream.isBetweenBlocks)
    }
}
