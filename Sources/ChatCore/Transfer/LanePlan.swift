// When a file goes over connections of its own (Docs/decisions/0034). Pure: time and what the kernel counts are passed in.

import BLIPNet

/// The sender's decision, for one link.
///
/// On a path that loses packets by itself one TCP connection takes a small part of what the path could take, and
/// several take several times that. On a path where a queue is the limit they would only make the queue longer. So
/// lanes need three things: losses that continue for many round trips, no queue, and a file that is worth it. They stay
/// when they bring more, and go one by one when a queue shows.
struct LanePlan {
    enum Step: Equatable {
        case stays
        /// So many lanes are wanted in all.
        case opens(Int)
        /// So many are to be closed.
        case closes(Int)
    }

    private enum State {
        case alone
        /// So many bytes per second went before we asked for lanes; they have until then to open.
        case asked(rate: Double, until: MonotonicTime)
        /// They are open, and have to show what they bring.
        case proving(rate: Double)
        case open
        case resting(until: MonotonicTime)
    }

    /// The kernel's counts within some time on all connections together.
    private struct Window {
        var began: MonotonicTime
        var ended: MonotonicTime
        var segments: UInt64 = 0
        var segmentsAgain: UInt64 = 0
        var acknowledged: UInt64 = 0
        var hasQueue = false
    }

    /// A window has so much time, a round trip, and so many segments.
    private static let window = Duration.milliseconds(200)
    private static let windowSegments: UInt64 = 16
    private static let remembered = 12
    /// After a rest of the files what was counted before says nothing any more.
    private static let forgetting = Duration.seconds(2)
    /// Losses that continue: in so many windows, so far apart in time and in round trips, and this share of all
    /// segments. The losses of the slow start at a full queue are over sooner.
    private static let lossyWindows = 3
    private static let lossTime = Duration.milliseconds(600)
    private static let lossRoundTrips = 6
    private static let lossShare = 0.004
    /// A piece of a range takes so long.
    private static let pieceTime = 0.5
    /// The remaining bytes must take so long without lanes.
    private static let worthwhile = 2.0
    /// Opening a lane takes three round trips and two processors.
    private static let openingTime = Duration.seconds(10)
    /// Lanes have so much time, or so many round trips, to bring so many times what went without them.
    private static let proofTime = Duration.seconds(2)
    private static let proofRoundTrips = 10
    private static let gain = 1.3
    /// Of so many windows so many have a queue.
    private static let queuedWindows = (3, 2)
    /// How long nothing is tried after lanes have brought nothing, or have gone for a queue; and after they have gone by
    /// themselves.
    private static let rest = Duration.seconds(60)
    private static let pause = Duration.seconds(5)

    private let most: Int
    private var state = State.alone
    private var windows: [Window] = []
    private var current: Window?
    /// By connection; 0 is the link itself.
    private var last: [Int: LossCounters] = [:]
    private var notedAt: MonotonicTime?
    private var roundTrip = Duration.zero

    /// `most`: lanes that may be open.
    init(most: Int) { self.most = most }

    /// Takes what the kernel has counted on the link (0) and on each lane, while files go out. `remaining`: bytes of those files
    /// that have not gone.
    mutating func note(_ counters: [Int: LossCounters], remaining: UInt64, now: MonotonicTime) -> Step {
        let lanes = counters.keys.count { $0 != 0 }
        add(counters, now: now)
        switch state {
        case .alone:
            guard lanes == 0, areWorthwhile(for: remaining) else { return .stays }
            state = .asked(rate: rate, until: now + Self.openingTime)
            return .opens(most)
        case .asked(let rate, let end):
            if lanes > 0 {
                state = .proving(rate: rate)
                forget()
            } else if now >= end {
                state = .resting(until: now + Self.rest)
            }
            return .stays
        case .proving(let before):
            if let step = ended(lanes, now) ?? makesRoom(lanes, now) { return step }
            guard let first = windows.first, let last = windows.last,
                last.ended - first.began >= max(Self.proofTime, roundTrip * Self.proofRoundTrips)
            else { return .stays }
            guard rate >= before * Self.gain else { return closes(lanes, now) }
            state = .open
            return .stays
        case .open: return ended(lanes, now) ?? makesRoom(lanes, now) ?? .stays
        case .resting(let end):
            guard now >= end else { return .stays }
            state = .alone
            forget()
            return .stays
        }
    }

    /// How much of a range goes over the link at once, in bytes, while lanes may be about to open: a piece that has
    /// been begun there stays there, and would come after everything else. `nil`: all of it.
    var piece: UInt64? {
        switch state {
        case .alone, .asked: losesMuch ? max(RangePlanner.first, UInt64(rate * Self.pieceTime)) : nil
        case .proving, .open, .resting: nil
        }
    }

    // MARK: News of the path

    private mutating func add(_ counters: [Int: LossCounters], now: MonotonicTime) {
        if let notedAt, now - notedAt > Self.forgetting {
            forget()
            last = [:]
        }
        notedAt = now
        var window = current ?? Window(began: now, ended: now)
        for (connection, counted) in counters {
            guard let before = last[connection], counted.segments >= before.segments,
                counted.segmentsAgain >= before.segmentsAgain, counted.acknowledged >= before.acknowledged
            else { continue }
            window.segments += counted.segments - before.segments
            window.segmentsAgain += counted.segmentsAgain - before.segmentsAgain
            window.acknowledged += counted.acknowledged - before.acknowledged
            if counted.hasQueue { window.hasQueue = true }
        }
        last = counters
        roundTrip = counters[0]?.roundTrip ?? roundTrip
        window.ended = now
        let time = now - window.began
        guard time >= max(Self.window, roundTrip), window.segments >= Self.windowSegments else {
            // Nothing goes: that says nothing about the path.
            current = time < max(Self.window * 20, roundTrip * 20) ? window : nil
            return
        }
        current = Window(began: now, ended: now)
        windows.append(window)
        if windows.count > Self.remembered { windows.removeFirst() }
    }

    private mutating func forget() {
        windows = []
        current = nil
    }

    /// Bytes per second.
    private var rate: Double {
        let bytes = windows.reduce(0) { $0 + $1.acknowledged }
        let time = windows.reduce(Duration.zero) { $0 + ($1.ended - $1.began) }
        return time > .zero ? Double(bytes) / (time / .seconds(1)) : 0
    }

    // MARK: Decisions

    /// Whether the path loses so much, without a queue, that lanes are worth opening for what is left.
    private func areWorthwhile(for remaining: UInt64) -> Bool {
        let lossy = windows.filter { $0.segmentsAgain > 0 }
        guard losesMuch, lossy.count >= Self.lossyWindows, let first = lossy.first, let last = lossy.last,
            last.ended - first.began >= max(Self.lossTime, roundTrip * Self.lossRoundTrips)
        else { return false }
        return Double(remaining) >= rate * Self.worthwhile
    }

    /// Whether much is lost of late, and not at a queue.
    private var losesMuch: Bool {
        guard !windows.contains(where: \.hasQueue) else { return false }
        let again = windows.reduce(0) { $0 + $1.segmentsAgain }
        let all = windows.reduce(0) { $0 + $1.segments }
        return again > 0 && Double(again) >= Double(all) * Self.lossShare
    }

    /// All lanes have gone by themselves: whatever has ended them may do so again at once.
    private mutating func ended(_ lanes: Int, _ now: MonotonicTime) -> Step? {
        guard lanes == 0 else { return nil }
        state = .resting(until: now + Self.pause)
        return .stays
    }

    /// The path is full: one lane less.
    private mutating func makesRoom(_ lanes: Int, _ now: MonotonicTime) -> Step? {
        let (all, queued) = Self.queuedWindows
        guard windows.suffix(all).count(where: \.hasQueue) >= queued else { return nil }
        forget()
        return lanes > 1 ? .closes(1) : closes(lanes, now)
    }

    private mutating func closes(_ lanes: Int, _ now: MonotonicTime) -> Step {
        state = .resting(until: now + Self.rest)
        forget()
        return .closes(lanes)
    }
}
