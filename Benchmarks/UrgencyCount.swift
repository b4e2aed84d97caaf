// How urgency works out in frames: pure counting, the same on every machine.

internal import BLIPNet

/// Counts the frames that a BLIP connection puts on the wire.
enum UrgencyCount {
    struct Outcome {
        var framesBefore = 0
        var bytesBefore = 0
    }

    private static func connection() -> BLIPConnection {
        BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { _ in nil }
    }

    private static func send(_ count: Int, _ byteCount: Int, urgent: Bool, on connection: inout BLIPConnection) {
        for _ in 0..<count {
            let body = BLIPBody.bytes([UInt8](repeating: 0, count: byteCount))
            _ = connection.send(BLIPRequest(profile: "x", body: body, urgent: urgent), sink: nil, noReply: true)
        }
    }

    /// Queues an urgent request while `bulkBodies` bodies are on their way, and counts what goes out before it.
    static func measure(bulkBodies: Int) -> Outcome {
        var connection = connection()
        send(bulkBodies, 1 << 20, urgent: false, on: &connection)
        var frame = ByteQueue()
        for _ in 0..<(3 * bulkBodies) where connection.nextFrame(into: &frame) { frame.removeAll() }
        send(1, 32, urgent: true, on: &connection)
        var outcome = Outcome()
        while connection.nextFrame(into: &frame) {
            // The first byte of a frame is its message's number, if that is below 128.
            if frame[0] == UInt8(bulkBodies + 1) { break }
            outcome.framesBefore += 1
            outcome.bytesBefore += frame.count
            frame.removeAll()
        }
        return outcome
    }

    /// The percentage of frames that belong to normal messages while urgent ones wait all the time.
    static func normalShare() -> Int {
        var connection = connection()
        send(4, 100_000, urgent: false, on: &connection)
        send(4, 100_000, urgent: true, on: &connection)
        var frame = ByteQueue()
        var normal = 0
        let frames = 20
        for _ in 0..<frames where connection.nextFrame(into: &frame) {
            if frame[0] <= 4 { normal += 1 }
            frame.removeAll()
        }
        return normal * 100 / frames
    }

    static func report() {
        Report.heading("counts, beside 16 bulk bodies")
        let outcome = measure(bulkBodies: 16)
        Report.row(
            "bulk frames before an urgent message's frame", "\(outcome.framesBefore)",
            goal: .atMost(2, Double(outcome.framesBefore)))
        Report.row("  their bytes", "\(outcome.bytesBefore)")
        let share = normalShare()
        Report.row(
            "share of frames of normal messages in a flood", "\(share) %", goal: .atLeast(40, Double(share), unit: " %")
        )
        Report.end()
    }
}
