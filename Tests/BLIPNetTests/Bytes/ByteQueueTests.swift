// The queue of bytes between two layers.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct ByteQueueTests {
    @Test("behaves as an array with removal at the front", arguments: 1...10)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = ByteQueue()
        var model: [UInt8] = []
        for step in 0..<1_000 {
            let bytes = random.bytes(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                queue.append(UInt8(truncatingIfNeeded: step))
                model.append(UInt8(truncatingIfNeeded: step))
            case 1, 2:
                queue.append(bytes)
                model += bytes
            case 3, 4:
                let written = queue.appendUninitialized(capacity: bytes.count + 50) { room in
                    room.copyBytes(from: bytes)
                    return bytes.count
                }
                #expect(written == bytes.count)
                model += bytes
            case 5 where step % 50 == 0:
                #expect(queue.takeAll() == model)
                model = []
            case 6:
                queue.withUnsafeMutableBytes { all in
                    for index in all.indices { all[index] ^= 0x5A }
                }
                for index in model.indices { model[index] ^= 0x5A }
            default:
                let count = Int.random(in: 0...400, using: &random)
                queue.consume(count)
                model.removeFirst(min(count, model.count))
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
            if let last = model.indices.last { #expect(queue[last] == model[last]) }
            if step % 20 == 0 { #expect(queue.withUnsafeBytes { Array($0) } == model) }
        }
    }

    @Test("a fill that throws leaves nothing behind")
    func throwing() {
        var queue = ByteQueue()
        queue.append("ab")
        #expect(throws: TestBodyError.self) {
            try queue.appendUninitialized(capacity: 100) { (_) throws(TestBodyError) -> Int in throw TestBodyError() }
        }
        #expect(queue.takeAll() == Array("ab".utf8))
    }

    @Test("a copy keeps its bytes whatever becomes of the original")
    func copies() {
        var queue = ByteQueue()
        queue.append("abc")
        var copy = queue
        queue.withUnsafeMutableBytes { $0[0] = 0x7A }
        queue.append("d")
        copy.append("e")
        #expect(queue.takeAll() == Array("zbcd".utf8))
        #expect(copy.takeAll() == Array("abce".utf8))
    }

    @Test("drops bytes at the end")
    func removeLast() {
        var queue = ByteQueue()
        queue.append("abcd")
        queue.consume(1)
        queue.removeLast(2)
        queue.append("x")
        #expect(queue.takeAll() == Array("bx".utf8))
        queue.removeLast(1)
        #expect(queue.isEmpty)
    }

    @Test("does not double beyond its limit, but takes more all the same")
    func growthLimit() {
        var queue = ByteQueue(growthLimit: 100_000)
        for _ in 0..<99 { queue.append([UInt8](repeating: 1, count: 1_000)) }
        #expect(queue.capacity <= 100_000)
        for _ in 0..<200 { queue.append([UInt8](repeating: 2, count: 1_000)) }
        #expect(queue.count == 299_000 && queue.capacity <= 400_000)
    }

    @Test("keeps storage that is used, and gives back what is large and hardly used")
    func storage() {
        var queue = ByteQueue()
        let large = [UInt8](repeating: 1, count: 1 << 20)
        queue.append(large)
        queue.removeAll()
        #expect(queue.capacity >= 1 << 20)
        queue.append(large)
        queue.consume(1 << 20)
        #expect(queue.capacity >= 1 << 20)
        queue.append("a")
        queue.removeAll()
        #expect(queue.capacity == 0)
        queue.append("a")
        queue.releaseUnused()
        #expect(queue.takeAll() == [0x61])
        queue.releaseUnused()
        #expect(queue.capacity == 0)
    }
}
