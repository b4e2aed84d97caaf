// Thins out the progress of one transfer: what is worth showing, and what is worth storing. Pure: time is passed in.

import BLIPNet

struct ProgressMeter {
    /// Progress is shown at most this often (PRODUCT, "The screen" 5).
    static let interval = Duration.milliseconds(250)
    /// And written to the database at most this often.
    static let storeInterval = Duration.milliseconds(500)
    /// While nothing moves, the length of the standstill is told this often.
    static let stallInterval = Duration.seconds(1)

    let id: MessageID
    private var rate = TransferRate()
    private var shown: (bytes: UInt64, time: MonotonicTime)?
    private var stored: (bytes: UInt64, time: MonotonicTime)?

    init(id: MessageID) { self.id = id }

    /// So many bytes were there at `time`, before anything moved.
    mutating func begin(at bytes: UInt64, _ time: MonotonicTime) { rate.note(bytes, at: time) }

    /// Notes that `bytes` have been transferred in all; the first ones are no progress.
    mutating func note(
        _ bytes: UInt64, at now: MonotonicTime
    ) -> (progress: TransferProgress?, isWorthStoring: Bool) {
        rate.note(bytes, at: now)
        let stalled = rate.stalled(at: now)
        let isWorthStoring = stored.map { bytes != $0.bytes && now - $0.time >= Self.storeInterval } ?? true
        if isWorthStoring { stored = (bytes, now) }
        let pause = stalled > .zero ? Self.stallInterval : Self.interval - .milliseconds(10)
        if let shown, now - shown.time < pause { return (nil, isWorthStoring) }
        shown = (bytes, now)
        let speed = stalled > .zero ? 0 : rate.bytesPerSecond
        return (TransferProgress(id: id, transferred: bytes, rate: speed, stalled: stalled), isWorthStoring)
    }
}
