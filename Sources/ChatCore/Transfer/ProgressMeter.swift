// Thins out the progress of one transfer: what is worth showing, and what is worth storing. Pure: time is passed in.

import BLIPNet

struct ProgressMeter {
    /// Progress is shown at most this often (PRODUCT, "The screen" 5).
    static let interval = Duration.milliseconds(250)
    /// And written to the database at most this often.
    static let storeInterval = Duration.milliseconds(500)
    /// A limit that holds a range back for longer than this is a standstill like every other.
    static let longestHold = Duration.seconds(5)
    /// A transfer that moves in bursts is at a standstill when it has paused for longer than twice its usual pause, or
    /// than this.
    static let longestPause = Duration.seconds(20)
    /// While nothing moves, the meter reports the length of the standstill this often.
    static let stallInterval = Duration.seconds(1)

    let id: MessageID
    private let number: TransferNumber?
    private let size: UInt64?
    private var rate = TransferRate()
    private var shown: (bytes: UInt64, time: MonotonicTime)?
    private var stored: (bytes: UInt64, time: MonotonicTime)?

    /// `transfer`: as far as it is known.
    init(id: MessageID, of transfer: FileTransfer? = nil) {
        self.id = id
        number = transfer?.number
        size = transfer?.size
    }

    /// So many bytes were there at `time`, before anything moved.
    mutating func begin(at bytes: UInt64, _ time: MonotonicTime) { rate.note(bytes, at: time) }

    /// Notes that `bytes` have been transferred in all; the first ones are no progress. `limit`: bytes per second that
    /// the user allows.
    mutating func note(
        _ bytes: UInt64, at now: MonotonicTime, limit: UInt64? = nil
    ) -> (progress: TransferProgress?, isWorthStoring: Bool) {
        rate.note(bytes, at: now)
        // A limit holds whole ranges back: it is no standstill before the longest one had time to go, if that is soon.
        let held =
            limit.map {
                min(Duration.seconds(Double(RangePlanner.largest) / Double(max(1, $0))), Self.longestHold)
            } ?? .zero
        // We do not know the limit of the other side: with one, we ask for ranges only now and then.
        let patience = max(held, min(rate.usualPause * 2, Self.longestPause))
        let pause = rate.stalled(at: now)
        let stalled = pause > patience ? pause : .zero
        let isWorthStoring = stored.map { bytes != $0.bytes && now - $0.time >= Self.storeInterval } ?? true
        if isWorthStoring { stored = (bytes, now) }
        let interval = stalled > .zero ? Self.stallInterval : Self.interval - .milliseconds(10)
        if let shown, now - shown.time < interval { return (nil, isWorthStoring) }
        shown = (bytes, now)
        var speed = stalled > .zero ? 0 : rate.bytesPerSecond
        if let limit, stalled == .zero, pause > .zero, speed == 0 { speed = Double(limit) }
        let progress = TransferProgress(
            id: id, number: number, size: size, transferred: bytes, rate: speed, stalled: stalled)
        return (progress, isWorthStoring)
    }
}
