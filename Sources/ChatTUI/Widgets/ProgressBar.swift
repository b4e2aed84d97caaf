// How much of a file has arrived, as a row of blocks.

import ChatCore
import ChatWords

/// Bars such as `██████▌···`.
enum ProgressBar {
    /// A bar of `width` columns; half blocks show half steps. It is full only when everything is there.
    static func text(_ part: UInt64, of whole: UInt64, width: Int) -> String {
        guard width > 0 else { return "" }
        let fraction = whole == 0 ? 1 : min(1, Double(part) / Double(whole))
        var halves = Int(fraction * Double(width) * 2)
        if part < whole { halves = min(halves, width * 2 - 1) }
        let full = halves / 2
        let half = halves % 2
        return String(repeating: "█", count: full) + (half == 1 ? "▌" : "")
            + String(repeating: "·", count: width - full - half)
    }
}

/// What is said of a file or folder that is on its way: rate and remaining time.
struct TransferPace {
    /// Bytes.
    let transferred: UInt64
    let size: UInt64
    let progress: TransferProgress?

    init(transferred: UInt64, size: UInt64, progress: TransferProgress?) {
        self.transferred = transferred
        self.size = size
        self.progress = progress
    }

    init(transfer: FileTransfer, progress: TransferProgress?) {
        self.init(transferred: transfer.transferred, size: transfer.size, progress: progress)
    }

    /// Nothing has moved for long enough to say so.
    var isStalled: Bool { (progress?.stalled ?? .zero) >= .seconds(3) }

    var percent: String { "\(Units.percent(transferred, of: size))%" }

    /// `1.2 MB/s`, or `stalled 12 s`; `nil` before anything is known.
    var rate: String? {
        guard let progress else { return nil }
        if isStalled { return "stalled \(Units.duration(progress.stalled))" }
        return Units.rate(progress.rate)
    }

    /// `1 s`; `nil` while it cannot be known.
    var remaining: String? {
        guard let progress, !isStalled, progress.rate.isFinite, progress.rate >= 1,
            size >= transferred
        else { return nil }
        let seconds = Double(size - transferred) / progress.rate
        return Units.duration(Int64(min(seconds.rounded(), 1e9)))
    }
}
