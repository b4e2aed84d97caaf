// Where unpredictable bytes come from: the system in the product, a seed in tests and simulations.

import Glibc

/// A source of random bytes that is handed to the protocol state machines, which draw none themselves.
package struct RandomSource: Sendable {
    /// Fills the whole buffer.
    package let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    package init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.fill = fill }

    /// The kernel's generator (getentropy(3)): unpredictable to everybody.
    package static let system = RandomSource { buffer in
        var filled = 0
        while filled < buffer.count {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<min(filled + 256, buffer.count)])
            let result = getentropy(piece.baseAddress, piece.count)
            precondition(result == 0, "the kernel has no random numbers")
            filled += piece.count
        }
    }

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }
}
