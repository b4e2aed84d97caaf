// The queue that messages, events and ACKs wait in.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct FIFOTests {
    @Test("behaves as an array with removal at the front", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = FIFO<Int>()
        var model: [Int] = []
        for step in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                queue.append(step)
                model.append(step)
            case 2:
                let position = Int.random(in: 0...model.count, using: &random)
                queue.insert(step, at: position)
                model.insert(step, at: position)
            default:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count && queue.first == model.first && queue.isEmpty == model.isEmpty)
            let position = Int.random(in: -1...model.count, using: &random)
            #expect(queue[position] == (model.indices.contains(position) ? model[position] : nil))
        }
    }
}
