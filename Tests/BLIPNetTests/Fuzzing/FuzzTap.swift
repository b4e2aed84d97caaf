// The tap: anything in both directions of a link, with bytes missing here and there.

import TestSupport

@testable import BLIPNet

/// Whatever comes, it tells no more than the bytes can mean, and holds little.
func fuzzTap(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    let dialects: [BLIPDialect?] = [nil, .blip3, .blip2, .blip2013]
    var tap = BLIPTap(dialect: dialects[Int(configuration & 3)], beginsLate: configuration & 4 != 0)
    while !input.isEmpty {
        let operation = input.byte()
        let direction: BLIPTap.Direction = operation & 1 == 0 ? .up : .down
        let piece = Array(input.piece())
        let events =
            operation & 2 == 0 ? tap.receive(piece[...], direction) : tap.lose(UInt64(piece.count), direction)
        try require(events.count <= bytes.count + 8, "\(events.count) events of \(bytes.count) bytes")
        try require(tap.heldBytes <= 8 << 20, "\(tap.heldBytes) bytes are held")
    }
}
