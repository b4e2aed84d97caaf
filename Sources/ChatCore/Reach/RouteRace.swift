// Several ways to a contact at once: which is tried when, and what becomes of the others when one has led there (REACH 4).
// Pure: time is passed in.

import BLIPNet

/// One round of calls to a contact. Routes are known by their index in the order in which they were given: the best first.
struct RouteRace {
    enum Step: Equatable {
        /// Begin to call along this route.
        case start(Int)
        /// Cancel this attempt: another one was better, or its time is over.
        case cancel(Int)
    }

    private enum State: Equatable {
        case untried
        case running(since: MonotonicTime)
        case over
    }

    /// When attempts of a class begin, and how many and how long they may be.
    private struct Rule {
        /// The first one, unless nothing better is left before.
        var start: Duration
        /// Between two of them, unless nothing else of the class runs.
        var gap: Duration
        /// At once.
        var most: Int
        /// From its start.
        var limit: Duration

        static func of(_ routeClass: RouteClass, _ directLimit: Duration) -> Rule {
            switch routeClass {
            case .direct: Rule(start: .zero, gap: .milliseconds(250), most: 4, limit: directLimit)
            case .relay: Rule(start: .milliseconds(300), gap: .seconds(1), most: 2, limit: .seconds(10))
            case .onion: Rule(start: .seconds(3), gap: .seconds(1), most: 1, limit: .seconds(100))
            }
        }
    }

    private let classes: [RouteClass]
    private var states: [State]
    private let directLimit: Duration
    private let began: MonotonicTime
    private var lastStart: [RouteClass: MonotonicTime] = [:]

    /// `directLimit`: how long a direct way may take, from its name to the end of its handshake.
    init(_ routes: [RouteClass], directLimit: Duration = .seconds(20), now: MonotonicTime) {
        classes = routes
        self.directLimit = directLimit
        states = routes.map { _ in .untried }
        began = now
    }

    /// Nothing runs, and nothing is to be begun any more.
    var isOver: Bool { states.allSatisfy { $0 == .over } }

    // MARK: Events

    /// An attempt has come to nothing.
    mutating func failed(_ index: Int) {
        if states.indices.contains(index) { states[index] = .over }
    }

    /// An attempt has led to the contact, with the right key: attempts that are no better end. Returns a `cancel` for
    /// each that runs.
    mutating func linked(_ index: Int) -> [Step] {
        guard states.indices.contains(index) else { return [] }
        states[index] = .over
        return reached(classes[index])
    }

    /// There is a link of this class, whoever has made it.
    mutating func reached(_ routeClass: RouteClass) -> [Step] {
        var steps: [Step] = []
        for index in states.indices where classes[index] >= routeClass {
            if case .running = states[index] { steps.append(.cancel(index)) }
            states[index] = .over
        }
        return steps
    }

    // MARK: Time

    /// The steps to take at `now`, when `free` more attempts may run.
    mutating func next(now: MonotonicTime, free: Int) -> [Step] {
        var steps: [Step] = []
        for index in states.indices {
            guard case .running(let since) = states[index], now >= since + rule(of: classes[index]).limit else {
                continue
            }
            states[index] = .over
            steps.append(.cancel(index))
        }
        var free = free
        while free > 0, let index = startable(now: now) {
            states[index] = .running(since: now)
            lastStart[classes[index]] = now
            steps.append(.start(index))
            free -= 1
        }
        return steps
    }

    /// When `next` may have something, if nothing else happens and `free` more attempts may run.
    func deadline(free: Int) -> MonotonicTime? {
        let ends = states.indices.compactMap { index -> MonotonicTime? in
            guard case .running(let since) = states[index] else { return nil }
            return since + rule(of: classes[index]).limit
        }
        let starts = free > 0 ? RouteClass.allCases.compactMap { startTime(of: $0) } : []
        return (ends + starts).min()
    }

    private func startable(now: MonotonicTime) -> Int? {
        for routeClass in RouteClass.allCases {
            guard let time = startTime(of: routeClass), time <= now else { continue }
            return states.indices.first { classes[$0] == routeClass && states[$0] == .untried }
        }
        return nil
    }

    /// When the next attempt of a class may begin; `nil` when there is none, or when it takes an end for that.
    private func startTime(of routeClass: RouteClass) -> MonotonicTime? {
        guard count(.untried, of: routeClass) > 0 else { return nil }
        let rule = rule(of: routeClass)
        let running = states.indices.count { isRunning($0) && classes[$0] == routeClass }
        guard running < rule.most else { return nil }
        guard let last = lastStart[routeClass] else { return hasBetter(than: routeClass) ? began + rule.start : began }
        return running > 0 ? last + rule.gap : began
    }

    /// Whether something better may still lead there. A link of a worse class does not end the wait for a better one.
    private func hasBetter(than routeClass: RouteClass) -> Bool {
        states.indices.contains { classes[$0] < routeClass && states[$0] != .over }
    }

    private func rule(of routeClass: RouteClass) -> Rule { Rule.of(routeClass, directLimit) }

    private func count(_ state: State, of routeClass: RouteClass) -> Int {
        states.indices.count { classes[$0] == routeClass && states[$0] == state }
    }

    private func isRunning(_ index: Int) -> Bool {
        if case .running = states[index] { true } else { false }
    }
}
