// When a contact who is linked along a worse way is called along better ones (REACH 4). Pure: time is passed in.

import BLIPNet

/// The tries for one contact, as long as the link is not direct.
struct RouteUpgrade {
    /// Before the first try, and between two of them; the last one is repeated.
    static let pauses: [Duration] = [.zero, .seconds(60), .seconds(300), .seconds(900)]
    /// Between two tries for news, and between the last one and that of a new link: who tells new ways again and again, or
    /// calls again and again, makes us call no more often.
    static let leastPause = Duration.seconds(10)

    private enum State: Equatable {
        /// There is no link, or nothing better than it.
        case content
        case waiting(until: MonotonicTime)
    }

    private var state = State.content
    private var tries = 0
    private var lastTry: MonotonicTime?
    private var lastNews: MonotonicTime?
    /// The next try is for news.
    private var waitsForNews = false
    /// Calls to the contact that are under way: each of them tries better ways by itself.
    private var calls = 0

    /// When `next` may say yes, if nothing else happens.
    var due: MonotonicTime? {
        guard case .waiting(let time) = state, calls == 0 else { return nil }
        return time
    }

    /// A link is the contact's present one from now on.
    mutating func linked(_ routeClass: RouteClass, now: MonotonicTime) {
        tries = 0
        guard routeClass > .direct else {
            state = .content
            return
        }
        // The call that has led to it continues along better ways.
        if calls > 0 { noteTry(now) }
        wait(now)
    }

    /// The contact's link has ended: whatever is called now is called along all ways.
    mutating func ended() { state = .content }

    /// There may be a way that there was not: they have told new ones, or our user has.
    mutating func somethingNew(now: MonotonicTime) {
        guard case .waiting(let present) = state else { return }
        let time = max(now, lastNews.map { $0 + Self.leastPause } ?? now)
        // A try that is due is never postponed.
        guard time < present else { return }
        state = .waiting(until: time)
        waitsForNews = true
    }

    /// Our own network is another one: earlier failures say nothing about it.
    mutating func newNetwork(now: MonotonicTime) {
        tries = 0
        somethingNew(now: now)
    }

    /// Whether to call now; counts it.
    mutating func next(now: MonotonicTime) -> Bool {
        guard let due, now >= due else { return false }
        if waitsForNews { lastNews = now }
        noteTry(now)
        wait(now)
        return true
    }

    private mutating func noteTry(_ now: MonotonicTime) {
        tries += 1
        lastTry = now
    }

    private mutating func wait(_ now: MonotonicTime) {
        waitsForNews = false
        let pause = Self.pauses[min(tries, Self.pauses.count - 1)]
        state = .waiting(until: max(now + pause, lastTry.map { $0 + Self.leastPause } ?? now))
    }

    mutating func callBegan() { calls += 1 }

    mutating func callEnded() { calls = max(0, calls - 1) }
}

/// Ways along which links do not last: they are left alone for a while, where there are others.
struct RouteRests {
    /// A link that ends within this time was of no use.
    static let brief = Duration.seconds(30)
    /// So many of them in a row, and the way rests.
    static let most = 2
    static let rest = Duration.seconds(900)

    private var briefLinks: [Route: Int] = [:]
    private var restsUntil: [Route: MonotonicTime] = [:]

    /// A link along `route` has broken after `age`.
    mutating func broke(_ route: Route, after age: Duration, now: MonotonicTime) {
        guard age < Self.brief else {
            briefLinks[route] = nil
            return
        }
        briefLinks[route, default: 0] += 1
        guard briefLinks[route, default: 0] >= Self.most else { return }
        briefLinks[route] = nil
        restsUntil[route] = now + Self.rest
    }

    /// Our networks are others, and so is what is on the way.
    mutating func forget() { self = RouteRests() }

    /// Those that do not rest; all of them where each one does.
    func rested<Place>(_ places: [Place], now: MonotonicTime, route: (Place) -> Route) -> [Place] {
        let rested = places.filter { place in restsUntil[route(place)].map { now >= $0 } ?? true }
        return rested.isEmpty ? places : rested
    }
}
