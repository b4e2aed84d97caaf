// The format of the record beside a partial file: two slots for records, then the digests of the pieces. Pure.

import BLIPNet

/// One record of a partial file. Each new one overwrites the last but one, so that a write that is cut short leaves a whole one.
struct PartRecord: Equatable {
    /// The size of a slot in bytes.
    static let place = 4096
    /// A slot has room for this many ranges. A record leaves out any further ones, which the next run fetches again.
    static let mostRanges = 200

    /// Each record of a partial file has the next number: of two the higher one is the newer.
    var number: UInt64
    /// The inode of the partial file, and the size and time of the offer. They tell whether a record is of this very file.
    var inode: UInt64
    var size: UInt64
    var modified: Timestamp
    /// The start of the system in which the record was written (`SystemStart`). After a later one, bytes may be lost.
    var start: [UInt8]
    /// How many pieces from the beginning have their digests in the file.
    var checked: UInt64
    /// In order of offset, not touching each other.
    var ranges: [FileRange]

    private static let magic = Array("blipmap1".utf8)

    /// The offset of its slot in the file.
    var offset: UInt64 { number % 2 * UInt64(Self.place) }

    /// The offset in the file of the digest of the first `pieces` pieces (1 or more).
    static func offset(ofDigest pieces: UInt64) -> UInt64 {
        2 * UInt64(place) + (pieces - 1) * UInt64(SHA256Digest.byteCount)
    }

    func encoded() -> [UInt8] {
        var bytes = Self.magic + start.prefix(SystemStart.byteCount)
        let kept = ranges.prefix(Self.mostRanges)
        let numbers =
            [number, inode, size, UInt64(bitPattern: modified.milliseconds), checked, UInt64(kept.count)]
            + kept.flatMap { [$0.offset, $0.length] }
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        return bytes + SHA256Digest.hash(bytes)
    }

    /// Reads a slot. `nil` when it holds no whole record.
    init?(decoding bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        let head = Self.magic.count + SystemStart.byteCount
        func number(_ index: Int) -> UInt64 {
            let begin = head + 8 * index
            return bytes[begin..<begin + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard bytes.count >= head + 48 + SHA256Digest.byteCount, bytes.starts(with: Self.magic),
            let count = Int(exactly: number(5)), count <= Self.mostRanges
        else { return nil }
        let end = head + 48 + 16 * count
        guard bytes.count >= end + SHA256Digest.byteCount,
            SHA256Digest.hash(Array(bytes[..<end])).elementsEqual(bytes[end..<end + SHA256Digest.byteCount])
        else { return nil }
        self.number = number(0)
        inode = number(1)
        size = number(2)
        modified = Timestamp(milliseconds: Int64(bitPattern: number(3)))
        start = Array(bytes[Self.magic.count..<head])
        checked = number(4)
        ranges = (0..<count).map { FileRange(offset: number(6 + 2 * $0), length: number(7 + 2 * $0)) }
        guard ranges.allSatisfy({ $0.offset <= size && $0.length <= size - $0.offset }) else { return nil }
    }

    init(
        number: UInt64, inode: UInt64, size: UInt64, modified: Timestamp, start: [UInt8], checked: UInt64,
        ranges: [FileRange]
    ) {
        self.number = number
        self.inode = inode
        self.size = size
        self.modified = modified
        self.start = start
        self.checked = checked
        self.ranges = ranges
    }
}

/// Ranges of a file that do not touch each other, in order.
struct FileRanges: Sendable, Equatable {
    private(set) var all: [FileRange] = []

    /// The bytes of all ranges together.
    var count: UInt64 { all.reduce(0) { $0 + $1.length } }

    /// The ranges have every byte before this offset.
    var contiguous: UInt64 { all.first.map { $0.offset == 0 ? $0.length : 0 } ?? 0 }

    mutating func insert(_ range: FileRange) {
        guard range.length > 0 else { return }
        let first = all.firstIndex { $0.end >= range.offset } ?? all.endIndex
        let behind = all[first...].firstIndex { $0.offset > range.end } ?? all.endIndex
        var merged = range
        if first < behind {
            merged.offset = min(merged.offset, all[first].offset)
            merged.length = max(range.end, all[behind - 1].end) - merged.offset
        }
        all.replaceSubrange(first..<behind, with: [merged])
    }

    mutating func remove(_ range: FileRange) {
        guard range.length > 0 else { return }
        all = all.flatMap { part in
            [
                FileRange(offset: part.offset, length: min(part.end, max(range.offset, part.offset)) - part.offset),
                FileRange(
                    offset: max(part.offset, min(range.end, part.end)),
                    length: part.end - max(part.offset, min(range.end, part.end))),
            ]
            .filter { $0.length > 0 }
        }
    }

    /// The gaps that the ranges leave in a file of `size` bytes.
    func missing(of size: UInt64) -> [FileRange] {
        var rest: [FileRange] = []
        var end: UInt64 = 0
        for range in all + [FileRange(offset: size, length: 0)] {
            if range.offset > end { rest.append(FileRange(offset: end, length: range.offset - end)) }
            end = max(end, range.end)
        }
        return rest
    }
}
