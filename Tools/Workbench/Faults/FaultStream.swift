// One direction of a connection through the fault proxy: decides what becomes of each byte. Pure, without I/O.

/// Takes the bytes of a direction in order and says what is to be done next.
struct FaultStream {
    /// The next step for the bytes that wait.
    enum Step: Equatable {
        /// So many bytes go through; the first of them changed by the mask if there is one.
        case pass(count: Int, mask: UInt8)
        /// Nothing goes through for so long.
        case wait(Duration)
        /// The connection ends, or goes silent, in this way.
        case end(Fault.Kind)
    }

    private var faults: ArraySlice<Fault>
    /// Bytes that have gone through.
    private(set) var position: UInt64 = 0
    private var trickles = false
    /// The faults that have happened so far.
    private(set) var fired: [Fault] = []

    /// Takes those of `script` that are for `direction`; at one place they happen in the order of the script.
    init(_ script: FaultScript, _ direction: Fault.Direction) {
        let own = script.faults.enumerated().filter { $0.element.direction == direction }
        let sorted = own.sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
        faults = sorted.map(\.element)[...]
    }

    /// What to do now that `available` bytes wait; `nil`: nothing until more come. The caller does it before it asks
    /// again, and calls `passed`.
    mutating func next(available: Int) -> Step? {
        while let fault = faults.first, fault.offset <= position {
            switch fault.kind {
            case .cut, .reset, .silence:
                fire()
                return .end(fault.kind)
            case .stall(let time):
                fire()
                return .wait(time)
            case .trickle:
                fire()
                trickles = true
            case .corrupt(let mask):
                guard available > 0 else { return nil }
                fire()
                return .pass(count: 1, mask: mask)
            }
        }
        guard available > 0 else { return nil }
        let untilNext = faults.first.map { Int(clamping: $0.offset - position) } ?? .max
        return .pass(count: min(available, untilNext, trickles ? 1 : .max), mask: 0)
    }

    /// So many bytes have gone through.
    mutating func passed(_ count: Int) { position += UInt64(count) }

    private mutating func fire() { if let fault = faults.popFirst() { fired.append(fault) } }
}
