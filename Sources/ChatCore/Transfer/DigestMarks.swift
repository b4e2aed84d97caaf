// Remembers states of a file's digest on its way, so that nobody can make us read the whole file again and again.

import BLIPNet

/// States of a running SHA-256 at some places of a file. Confined to one owner.
struct DigestMarks {
    /// A state that has taken the first `position` bytes.
    struct State {
        var digest: SHA256Digest
        var position: UInt64
    }

    /// Bytes between two of them.
    static let spacing: UInt64 = 64 << 20
    /// A state takes some 500 bytes: of a file beyond 256 GiB the last ones are further apart.
    private static let mostMarks = 4096

    /// In order of position, each at a multiple of the spacing.
    private var marks: [State] = []
    /// The state that has come furthest.
    private(set) var front = State(digest: SHA256Digest(), position: 0)

    /// A copy of the best state from which the digest of the first `length` bytes can be reached.
    func start(for length: UInt64) -> State {
        let best = front.position <= length ? front : marks.last { $0.position <= length }
        guard let best else { return State(digest: SHA256Digest(), position: 0) }
        return State(digest: best.digest.copy(), position: best.position)
    }

    /// Where to stop reading at the latest on the way from `position`, to keep the state there.
    static func next(after position: UInt64) -> UInt64 {
        let (next, overflow) = (position / spacing + 1).multipliedReportingOverflow(by: spacing)
        return overflow ? .max : next
    }

    /// Forgets the states that have taken more than the first `position` bytes.
    mutating func forget(behind position: UInt64) {
        marks.removeAll { $0.position > position }
        guard front.position > position else { return }
        front = start(for: position)
    }

    /// Keeps a state that was reached, if it is worth it.
    mutating func keep(_ state: State) {
        if state.position > front.position {
            front = State(digest: state.digest.copy(), position: state.position)
        }
        guard state.position > marks.last?.position ?? 0, state.position.isMultiple(of: Self.spacing),
            marks.count < Self.mostMarks
        else { return }
        marks.append(State(digest: state.digest.copy(), position: state.position))
    }
}
