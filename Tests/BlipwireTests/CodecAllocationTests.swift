// The codecs allocate nothing per frame once their buffers have grown (issue 3): counted here, so that it stays so.

import BLIPNet
import CAllocationCount
import Testing
import Workbench

@Suite(.enabled(if: callocation_counts(), "sanitizers have allocation functions of their own"))
struct CodecAllocationTests {
    /// What 500 messages in each direction may allocate. Only optimised code keeps all values off the heap; without
    /// optimisation the receiver takes one allocation for each message.
    private var budget: Int {
        #if DEBUG
            1_000
        #else
            0
        #endif
    }

    @Test("WebSocket messages allocate nothing once the buffers have grown", arguments: [32, 16_384])
    func webSocket(byteCount: Int) throws {
        var loop = try #require(WebSocketCodecLoop(byteCount: byteCount))
        _ = loop.run(rounds: 20)
        let before = callocation_count()
        let arrived = loop.run(rounds: 500)
        let allocations = callocation_count() - before
        #expect(arrived == 1_000)
        #expect(allocations <= budget)
    }

    @Test("BLIP frames of a body allocate nothing", arguments: BLIPDialect.all, [false, true])
    func blip(dialect: BLIPDialect, compressed: Bool) throws {
        var loop = BLIPCodecLoop(dialect: dialect, compressed: compressed)
        _ = try loop.run(frames: 1_000)
        let before = callocation_count()
        let frames = try loop.run(frames: 1_000)
        let allocations = callocation_count() - before
        #expect(frames == 1_000)
        #expect(allocations == 0)
    }

    @Test("the counter counts")
    func counter() {
        let before = callocation_count()
        let array = [UInt8](repeating: 1, count: Int.random(in: 10_000...20_000))
        #expect(callocation_count() > before)
        #expect(array.first == 1)
    }
}
