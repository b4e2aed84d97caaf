// A body that is made while it is sent. For the workbench's profiles and measurements.

internal import BLIPNet
internal import Synchronization

/// A body of a given size whose bytes follow from a rule, so that both sides know them.
package final class GeneratedSource: BodySource {
    package enum Kind: String, Sendable {
        /// The top bytes of a 64-bit linear congruential generator (PROTOCOL 5). Does not compress.
        case rand
        /// Words. Compresses well.
        case text
        case zero
    }

    private struct State {
        var left: UInt64
        var readCount: UInt64 = 0
        var generator: UInt64
        var textOffset = 0
    }

    private static let text = Array("the quick brown fox jumps over the lazy dog and comes back for more; ".utf8)

    private let kind: Kind
    private let state: Mutex<State>

    package init(kind: Kind, byteCount: UInt64, seed: UInt64 = 0) {
        self.kind = kind
        state = Mutex(State(left: byteCount, generator: seed))
    }

    /// Ends the body with what has been read so far.
    package func stop() { state.withLock { $0.left = 0 } }

    /// How many bytes have been read so far.
    package var readCount: UInt64 { state.withLock { $0.readCount } }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = Int(min(UInt64(buffer.count), state.left))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            switch kind {
            case .zero: part.initializeMemory(as: UInt8.self, repeating: 0)
            case .rand: Self.fillRandom(part, &state.generator)
            case .text: Self.fillText(part, &state.textOffset)
            }
            state.left -= UInt64(count)
            state.readCount += UInt64(count)
            return count
        }
    }

    private static func fillRandom(_ buffer: UnsafeMutableRawBufferPointer, _ generator: inout UInt64) {
        for index in 0..<buffer.count {
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            buffer[index] = UInt8(truncatingIfNeeded: generator >> 56)
        }
    }

    private static func fillText(_ buffer: UnsafeMutableRawBufferPointer, _ offset: inout Int) {
        // Run by run: byte by byte, unoptimised tests take minutes.
        text.withUnsafeBytes { text in
            var filled = 0
            while filled < buffer.count {
                let run = text[offset..<min(text.count, offset + buffer.count - filled)]
                buffer[filled..<filled + run.count].copyBytes(from: run)
                filled += run.count
                offset = run.endIndex == text.count ? 0 : run.endIndex
            }
        }
    }
}

extension GeneratedSource {
    /// Hands over all that is left, block by block.
    package func forEachBlock(_ body: (UnsafeRawBufferPointer) -> Void) {
        var block = [UInt8](repeating: 0, count: 65_536)
        block.withUnsafeMutableBytes { block in
            while true {
                let count = read(into: block)
                guard count > 0 else { return }
                body(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
    }

    /// All that is left, in memory.
    package func allBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        forEachBlock { bytes += $0 }
        return bytes
    }
}
