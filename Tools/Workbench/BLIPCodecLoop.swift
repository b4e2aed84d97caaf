// BLIP frames from one end of a connection to the other in memory, to measure the codec without any I/O.

package import BLIPNet

/// A sender of one endless body and its receiver; ACKs go back. Every buffer is kept, as a driver keeps it.
package struct BLIPCodecLoop {
    private var sender: BLIPConnection
    private var receiver: BLIPConnection
    private var frame = ByteQueue()
    private let sink = DiscardingSink()
    private let now = MonotonicTime(nanoseconds: 0)

    package init(dialect: BLIPDialect, compressed: Bool) {
        let sink = sink
        sender = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in nil }
        receiver = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in sink }
        let body = BLIPBody.source(GeneratedSource(kind: .text, byteCount: .max))
        _ = sender.send(
            BLIPRequest(profile: "discard", body: body, compressed: compressed), sink: nil, noReply: true)
    }

    /// How many bytes of the body have arrived.
    package var byteCount: UInt64 { sink.byteCount }

    /// Moves `count` frames of the body and the ACKs that they bring about; returns how many frames were moved.
    package mutating func run(frames count: Int) throws(BLIPViolation) -> Int {
        var moved = 0
        while moved < count, sender.nextFrame(into: &frame) {
            try Self.deliver(&frame, to: &receiver, now)
            moved += 1
            while receiver.nextFrame(into: &frame) { try Self.deliver(&frame, to: &sender, now) }
        }
        return moved
    }

    private static func deliver(
        _ frame: inout ByteQueue, to connection: inout BLIPConnection, _ now: MonotonicTime
    ) throws(BLIPViolation) {
        // The closure of withUnsafeBytes cannot carry a typed error; the result does.
        let outcome = frame.withUnsafeBytes { bytes -> Result<Void, BLIPViolation> in
            do throws(BLIPViolation) {
                return .success(try connection.receive(frame: bytes, now: now))
            } catch {
                return .failure(error)
            }
        }
        frame.removeAll()
        try outcome.get()
    }
}
