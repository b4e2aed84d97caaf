// Heap allocations per frame, counted in the codecs without I/O.

internal import BLIPNet
internal import CAllocationCount
internal import Workbench

/// The part `allocations`.
enum AllocationPart {
    private static let rounds = 2_000

    static func run() throws {
        Report.heading("heap allocations per frame, steady path", "frames", "allocations", "per frame")
        for byteCount in [32, 16_384, 1 << 20] {
            guard var loop = WebSocketCodecLoop(byteCount: byteCount) else {
                throw BenchmarkFailure("the WebSocket handshake failed")
            }
            let rounds = byteCount > 65_536 ? rounds / 20 : rounds
            // The first messages let the buffers grow.
            _ = loop.run(rounds: 20)
            let (allocations, arrived) = count { loop.run(rounds: rounds) }
            guard arrived == 2 * rounds else { throw BenchmarkFailure("\(arrived) of \(2 * rounds) messages arrived") }
            row("WebSocket codec, messages of \(byteCount) bytes", allocations, frames: arrived)
        }
        for (dialect, compressed) in [
            (BLIPDialect.blip3, false), (.blip3, true), (.blip2, false), (.blip2, true), (.blip2013, false),
        ] {
            var loop = BLIPCodecLoop(dialect: dialect, compressed: compressed)
            // Until the first ACK has been sent, too.
            _ = try loop.run(frames: 1_000)
            let (allocations, moved) = count { Result { try loop.run(frames: rounds) } }
            let frames = try moved.get()
            guard frames == rounds else { throw BenchmarkFailure("\(frames) of \(rounds) frames were moved") }
            row("\(dialect), frames of a \(compressed ? "compressed " : "")body", allocations, frames: frames)
        }
        Report.end()
    }

    private static func count<Value>(_ body: () -> Value) -> (allocations: UInt64, Value) {
        let before = callocation_count()
        let value = body()
        return (callocation_count() - before, value)
    }

    private static func row(_ name: String, _ allocations: UInt64, frames: Int) {
        let perFrame = Double(allocations) / Double(frames)
        Report.row(
            name, "\(frames)", "\(allocations)", "\((perFrame * 1000).rounded() / 1000)", goal: .atMost(0, perFrame))
    }
}
