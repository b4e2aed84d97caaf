// What is written down about a partial file: nothing that is not true, and nearly everything (decision 0035).

import BLIPNet
import Glibc
import TestSupport
import Testing

@testable import ChatCore

@Suite("What is written down about a partial file") struct PartMapTests {
    private let cage: Cage
    private let folder: DownloadFolder
    private let file: OpenFile
    private let bytes = pseudoRandom(8 << 20, seed: 3)
    private let start = [UInt8](repeating: 7, count: SystemStart.byteCount)

    init() throws {
        cage = try Cage()
        folder = try DownloadFolder(path: cage.downloads)
        file = try folder.createPartial(".p")
    }

    private func transfer(size: UInt64 = 8 << 20, modified: Int64 = 5) -> FileTransfer {
        let time = Timestamp(milliseconds: 0)
        return FileTransfer(
            id: MessageID(at: time), number: TransferNumber(1), contact: ContactID(1), direction: .incoming, name: "f",
            size: size, modified: Timestamp(milliseconds: modified), offered: time)
    }

    /// Writes a range as the link's queue does.
    private func bring(_ offset: UInt64, _ count: Int, _ map: PartMap) throws {
        let sink = RangeSink(file: file, range: FileRange(offset: offset, length: UInt64(count)), map: map)
        for begin in stride(from: 0, to: count, by: 16_384) {
            let place = Int(offset) + begin
            try bytes[place..<place + min(16_384, count - begin)].withUnsafeBytes(sink.write)
        }
    }

    private func fresh() throws -> PartMap {
        let map = PartMap(of: transfer(), in: try file.facts(), start: start)
        map.keep(in: try folder.createPartial(".m"))
        return map
    }

    /// As the next run of the program finds it, the last one having been killed.
    private func load(_ transfer: FileTransfer? = nil, start: [UInt8]? = nil) throws -> PartMap? {
        let record = try #require(try folder.openPartial(".m"))
        return try PartMap.load(
            record, of: transfer ?? self.transfer(), in: try file.facts(), start: start ?? self.start)
    }

    @Test("ranges in any order are what a set of their bytes is", arguments: 1...20 as ClosedRange<UInt64>)
    func ranges(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ranges = FileRanges()
        var model: Set<UInt64> = []
        for _ in 0..<60 {
            let offset = UInt64.random(in: 0..<50, using: &generator)
            let range = FileRange(offset: offset, length: UInt64.random(in: 0..<8, using: &generator))
            if Int.random(in: 0..<3, using: &generator) == 0 {
                ranges.remove(range)
                model.subtract(range.offset..<range.end)
            } else {
                ranges.insert(range)
                model.formUnion(range.offset..<range.end)
            }
            #expect(Set(ranges.all.flatMap { $0.offset..<$0.end }) == model && ranges.count == UInt64(model.count))
            #expect(zip(ranges.all, ranges.all.dropFirst()).allSatisfy { $0.end < $1.offset }, "they do not touch")
            #expect(!model.contains(ranges.contiguous) && (0..<ranges.contiguous).allSatisfy(model.contains))
            let missing = ranges.missing(of: 60).flatMap { $0.offset..<$0.end }
            #expect(missing == (0..<60).filter { !model.contains($0) })
        }
    }

    @Test("after a kill at any moment at most 512 KiB that have come are not known, and nothing is that has not come")
    func kill() throws {
        let map = try fresh()
        var come: UInt64 = 0
        // Six ranges at once, of which each frame may be the last.
        for step in 0..<64 {
            let range = UInt64(step % 6) << 20 + UInt64(step / 6) * 16_384
            try bring(range, 16_384, map)
            come += 16_384
            let found = try load()
            let known = found?.count ?? 0
            #expect(come - known < PartMap.mostUnrecorded, "after \(step) frames")
            for part in found?.present ?? [] {
                #expect(map.present.contains { $0.offset <= part.offset && part.end <= $0.end })
            }
        }
        map.recordNews()
        #expect(try load()?.present == map.present)
        #expect(map.present.count == 6)
    }

    @Test("what is written down of another file, another offer or nothing whole is not used")
    func strange() throws {
        let map = try fresh()
        try bring(0, 2 << 20, map)
        map.close()
        #expect(try load()?.count == 2 << 20)
        #expect(try load(transfer(modified: 6)) == nil)
        #expect(try load(transfer(size: 9 << 20)) == nil)
        let other = try folder.createPartial(".other")
        try other.truncate(to: 4 << 20)
        let record = try #require(try folder.openPartial(".m"))
        #expect(try PartMap.load(record, of: transfer(), in: try other.facts(), start: start) == nil)
        // Nothing is added to it any more: the next run may have it.
        try bring(4 << 20, 1 << 20, map)
        #expect(try load()?.count == 2 << 20)
        // The partial file became shorter.
        try file.truncate(to: 1_500_000)
        #expect(try load()?.present == [FileRange(offset: 0, length: 1_500_000)])
        // The newer record is torn: the older one counts.
        let whole = try #require(PartRecord(decoding: try record.contents(upTo: PartRecord.place)[...]))
        let newer = try #require(
            PartRecord(decoding: try record.contents(upTo: 2 * PartRecord.place).dropFirst(PartRecord.place)))
        let last = max(whole.number, newer.number) == whole.number ? whole : newer
        try [UInt8](repeating: 0, count: 40).withUnsafeBytes { try record.write($0, at: last.offset + 20) }
        let older = try #require(try load())
        #expect(older.count > 0 && older.count <= 1_500_000)
    }

    @Test("a record with one changed bit is none")
    func bits() throws {
        let record = PartRecord(
            number: 3, inode: 4, size: 1 << 40, modified: Timestamp(milliseconds: 9), start: start, checked: 2,
            ranges: [FileRange(offset: 0, length: 5 << 20), FileRange(offset: 1 << 30, length: 7)])
        let encoded = record.encoded()
        let padded = encoded + [UInt8](repeating: 9, count: PartRecord.place - encoded.count)
        #expect(PartRecord(decoding: padded[...]) == record)
        for bit in 0..<encoded.count * 8 {
            var changed = padded
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(PartRecord(decoding: changed[...]) == nil)
        }
        for count in 0..<encoded.count { #expect(PartRecord(decoding: encoded[..<count]) == nil) }
        var many = record
        many.ranges = (0..<1000).map { FileRange(offset: $0 * 10, length: 5) }
        #expect(many.encoded().count <= PartRecord.place)
        #expect(PartRecord(decoding: many.encoded()[...])?.ranges == Array(many.ranges.prefix(PartRecord.mostRanges)))
        var outside = record
        outside.ranges = [FileRange(offset: 1 << 39, length: .max)]
        #expect(PartRecord(decoding: outside.encoded()[...]) == nil)
    }

    @Test("after another start of the system only pieces count whose digests are kept")
    func otherStart() async throws {
        let map = try fresh()
        try bring(0, 3_500_000, map)
        try bring(5 << 20, 1 << 20, map)
        let digest = PrefixDigest(file: file, map: map)
        try await digest.advance(to: 3_500_000)
        map.close()
        #expect(try load()?.count == 3_500_000 + 1 << 20)
        let later = try #require(try load(start: [UInt8](repeating: 8, count: SystemStart.byteCount)))
        #expect(later.present == [FileRange(offset: 0, length: 3 << 20)])
        #expect(later.isOfEarlierRun)
    }

    @Test("damage in a piece is found at its end; it and what was read behind it come again", arguments: [0, 2, 4])
    func damage(piece: UInt64) async throws {
        let map = try fresh()
        try bring(0, 5 << 20, map)
        try bring(6 << 20, 1 << 20, map)
        try await PrefixDigest(file: file, map: map).advance(to: 5 << 20)
        map.close()
        try [bytes[Int(piece) << 20 + 77] ^ 1].withUnsafeBytes { try file.write($0, at: piece << 20 + 77) }
        let next = try #require(try load())
        let digest = PrefixDigest(file: file, map: next)
        #expect(try await digest.hex(of: 5 << 20) == nil)
        #expect(
            next.missing == [
                FileRange(offset: piece << 20, length: (6 - piece) << 20), FileRange(offset: 7 << 20, length: 1 << 20),
            ]
                || next.missing == [
                    FileRange(offset: piece << 20, length: (5 - piece) << 20),
                    FileRange(offset: 5 << 20, length: 1 << 20), FileRange(offset: 7 << 20, length: 1 << 20),
                ])
        #expect(try await digest.hex(of: 8 << 20) == nil, "not all of it is there")
        #expect(next.contiguous == piece << 20, "what is damaged was not taken for good")
        for gap in next.missing { try bring(gap.offset, Int(gap.length), next) }
        #expect(next.isComplete)
        #expect(try await digest.hex(of: 8 << 20) == SHA256Digest.hash(bytes).hex)
    }

    @Test("a small file has no record")
    func small() throws {
        #expect(!PartMap(of: transfer(size: 1 << 20), in: try file.facts()).needsRecord)
        let map = PartMap(of: transfer(), in: try file.facts())
        #expect(map.needsRecord)
        map.close()
        #expect(!map.needsRecord)
    }
}
