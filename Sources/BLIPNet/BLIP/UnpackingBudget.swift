// How much of our processor time a peer's compressed data may take: a byte on the wire can mean a thousand to unpack.

/// How much the next compressed piece of a peer may unpack to, and why no more.
struct UnpackingAllowance: Equatable {
    enum Bound: Equatable { case frame, stranger }

    var bytes: Int
    var bound: Bound

    /// For the peer's programmer.
    var excess: String {
        switch bound {
        case .frame: "a frame unpacks to more than \(bytes) bytes"
        case .stranger: "too much compressed data before the peer was admitted"
        }
    }
}

/// How much one peer may still have us unpack. A stranger has a fixed number of bytes for good; an admitted peer has so
/// many a second, and once it has used them up, we do not read from it for a moment.
struct UnpackingBudget {
    private enum Phase {
        case stranger(left: Int)
        case admitted
    }

    private let maxFrame: Int
    /// Bytes per second; `nil`: no limit.
    private let rate: Double?
    private var phase: Phase
    /// Of an admitted peer; below 0 by what the last frame took too much.
    private var credit: Double
    private var filled: MonotonicTime?
    /// When reading resumes, while the budget is used up.
    private(set) var resumption: MonotonicTime?

    init(limits: BLIPLimits) {
        maxFrame = limits.maxInflatedFrame
        rate = limits.maxUnpackedPerSecond.map { Double(max($0, 1)) }
        credit = rate ?? 0
        phase = limits.maxUnpackedBeforeAdmission.map { .stranger(left: $0) } ?? .admitted
    }

    /// Nothing more should be unpacked before `resumption`.
    var isUsedUp: Bool { resumption != nil }

    /// The peer is no stranger any more.
    mutating func admit() { phase = .admitted }

    /// For the next frame.
    var allowance: UnpackingAllowance {
        guard case .stranger(let left) = phase, left < maxFrame else {
            return UnpackingAllowance(bytes: maxFrame, bound: .frame)
        }
        return UnpackingAllowance(bytes: left, bound: .stranger)
    }

    /// So many bytes have been unpacked.
    mutating func charge(_ bytes: Int, now: MonotonicTime) {
        guard bytes > 0 else { return }
        if case .stranger(let left) = phase { phase = .stranger(left: max(left - bytes, 0)) }
        guard let rate else { return }
        fill(now)
        credit -= Double(bytes)
        guard credit < 0, resumption == nil else { return }
        // Some frames' worth at a time, so that nobody wakes up for each.
        resumption = now + .seconds((rate * Self.refill - credit) / rate)
    }

    /// Whether the budget was used up and is not any longer.
    mutating func resume(now: MonotonicTime) -> Bool {
        guard let due = resumption, due <= now else { return false }
        resumption = nil
        fill(now)
        return true
    }

    /// How many seconds of the rate must accumulate before reading resumes.
    private static let refill = 1.0 / 16

    /// Saves up a second's worth at most.
    private mutating func fill(_ now: MonotonicTime) {
        guard let rate, let filled else { return filled = now }
        guard now > filled else { return }
        defer { self.filled = now }
        credit = min(credit + rate * ((now - filled) / .seconds(1)), rate)
    }
}
