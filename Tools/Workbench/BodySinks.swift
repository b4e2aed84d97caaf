// Where bodies go whose bytes are only counted or digested. For the workbench's profiles and measurements.

internal import BLIPNet
internal import Synchronization

/// Counts the bytes of a body and forgets them.
package final class DiscardingSink: BodySink {
    private let counter = Atomic<UInt64>(0)

    package init() {}

    package var byteCount: UInt64 { counter.load(ordering: .relaxed) }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        counter.wrappingAdd(UInt64(bytes.count), ordering: .relaxed)
    }
}

/// Counts and digests the bytes of a body. A sink and the handler that reads its result are called on the queue of one
/// link only, so the state needs no lock.
package final class DigestingSink: BodySink, @unchecked Sendable {
    private var byteCount: UInt64 = 0
    private let digest = SHA256Digest()
    private var result: [UInt8]?

    package init() {}

    package func write(_ bytes: UnsafeRawBufferPointer) {
        byteCount += UInt64(bytes.count)
        digest.update(bytes)
    }

    /// How many bytes there were, and their SHA-256 in hexadecimal digits. Ends the sink.
    package func finish() -> (byteCount: UInt64, sha256: String) {
        let result = self.result ?? digest.finish()
        self.result = result
        return (byteCount, result.hex)
    }
}
