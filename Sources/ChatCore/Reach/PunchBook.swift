// Our agreements with peers to call each other at the same moment (REACH 4). Pure: time is passed in.

import BLIPNet

struct PunchBook {
    /// An agreement with a peer who has asked: it waits for their word.
    struct Agreement: Sendable, Equatable {
        let link: LinkNumber
        let round: Int
        /// From where we call, and where.
        let port: UInt16
        let candidates: [Endpoint]
        let until: MonotonicTime
    }

    /// How long a contact's word about our address counts.
    static let seenFor = Duration.seconds(3600)
    /// How long an agreement waits for its moment.
    static let patience = Duration.seconds(30)
    /// A contact can begin anew once in so long.
    static let leastPause = RouteUpgrade.leastPause

    /// Contacts with whom we are trying as the one who asks.
    private var running: Set<ContactID> = []
    private var agreements: [ContactID: Agreement] = [:]
    /// When contacts have last begun, and the round that came last.
    private var asked: [ContactID: (began: MonotonicTime, round: Int)] = [:]
    private var seen: (host: String, until: MonotonicTime)?

    // MARK: Our address

    /// A contact whom we have called, or a server, says from where that came.
    mutating func noteSeen(_ host: String, now: MonotonicTime) { seen = (host, now + Self.seenFor) }

    /// Our networks are others.
    mutating func forgetSeen() { seen = nil }

    func seenHost(now: MonotonicTime) -> String? {
        guard let seen, now < seen.until else { return nil }
        return seen.host
    }

    // MARK: Asking

    /// `false`: we are at it already.
    mutating func begin(_ contact: ContactID) -> Bool { running.insert(contact).inserted }

    mutating func end(_ contact: ContactID) { running.remove(contact) }

    // MARK: Being asked

    /// Whether a contact may ask for this round now: the rounds in their order, and not all the time.
    mutating func takes(_ round: Int, from contact: ContactID, now: MonotonicTime) -> Bool {
        if round == PunchRequest.rounds.lowerBound {
            if let last = asked[contact], now - last.began < Self.leastPause { return false }
            asked[contact] = (now, round)
            return true
        }
        guard let last = asked[contact], round == last.round + 1 else { return false }
        asked[contact]?.round = round
        return true
    }

    /// We have told them where we call from: their word begins it.
    mutating func agree(_ agreement: Agreement, with contact: ContactID) { agreements[contact] = agreement }

    /// Their word has come; `nil` when there is nothing that it could begin.
    mutating func go(_ round: Int, from contact: ContactID, on link: LinkNumber, now: MonotonicTime) -> Agreement? {
        guard let agreement = agreements.removeValue(forKey: contact), agreement.round == round,
            agreement.link == link, now < agreement.until
        else { return nil }
        return agreement
    }
}
