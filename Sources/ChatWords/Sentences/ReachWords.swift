// Words for how contacts and we find each other: /reach, /routes, /invite and the commands of the same names.

package import BLIPNet
package import ChatCore

package enum ReachWords {
    /// How we can be reached, a line for each way.
    package static func lines(_ report: ReachReport, clock: LocalClock = .system) -> [String] {
        var lines = [
            report.listening.map { "direct  \($0)" + (report.isInside ? "  only in this network" : "") }
                ?? (report.onion?.isOnly == true
                    ? "direct  off: nothing but Tor is used" : "direct  off: this blipchat does not listen")
        ]
        if let words = words(for: report.mapping, clock) { lines.append("mapped  \(words)") }
        lines += report.relays.map { "relay   \(host(of: $0))  \(words(for: $0.state))" }
        if let onion = report.onion { lines.append("onion   \(words(for: onion))") }
        lines.append("nearby  \(words(for: report.neighbours))")
        if !report.isReachable { lines.append(unreachable) }
        return lines
    }

    private static func words(for onion: OnionReport) -> String {
        guard let host = onion.host else { return words(for: onion.state) }
        return "\(host)  \(words(for: onion.state))"
    }

    package static func words(for state: OnionState) -> String {
        switch state {
        case .off: "off"
        case .starting(let percent): OnionReason.starting(percent: percent).words
        case .ready: "tor runs"
        case .announced: "announced"
        case .failed(let reason): reason.words
        }
    }

    private static func words(for state: NeighbourState) -> String {
        switch state {
        case .off: "off"
        case .missing: "no avahi here (apt install avahi-daemon)"
        case .waiting: "avahi does not run"
        case .looking: "contacts in this network find you"
        }
    }

    /// Nobody outside can call, and what changes that.
    package static let unreachable =
        "Only people in this network can reach you. A relay of your own (/set reach.relay, see Docs/relay.md), Tor (/set reach.tor on) or a port of your router (/set reach.map on, or forward one by hand) changes that."

    /// How far we have come with asking the router; `nil` where that is no news.
    private static func words(for mapping: MappingState, _ clock: LocalClock) -> String? {
        switch mapping {
        case .off, .failed(.notNeeded): nil
        case .asking: "asking the router"
        case .mapped(let place, let until):
            "\(Endpoint.host(place.host, port: place.port))  by \(place.way.rawValue) until \(clock.time(until))"
        case .failed(let failure): "no: \(words(for: failure))"
        }
    }

    /// Why the router gives no port.
    package static func words(for failure: MappingFailure) -> String {
        switch failure {
        case .noGateway: "this network has no router for IPv4"
        case .silent, .refused: "the router gives no ports"
        case .noPublicAddress(let host): "the router has no public address itself (\(host))"
        case .noProgram: "the router gives no ports, and upnpc is not installed (apt install miniupnpc)"
        case .programKept:
            "the router gives no ports, and the sandbox keeps blipchat from running upnpc (start it again: then it may)"
        case .notNeeded: "this machine has a public address itself"
        }
    }

    private static func host(of relay: RelayReport) -> String { SafeText(relay.host, as: .line).text }

    package static func words(for state: RelayState) -> String {
        switch state {
        case .off: "not joined: this blipchat takes no calls"
        case .joining: "joining"
        case .joined(let roundTrip): "joined, \(Units.milliseconds(roundTrip))"
        case .failed(let reason): reason.words
        }
    }

    /// The results of calls to ourselves, a line for each way.
    package static func lines(_ trials: [ReachTrial]) -> [String] {
        guard !trials.isEmpty else {
            return ["Nobody can call you: no blipchat of yours takes calls now (start the chat, or blipchat serve)"]
        }
        var lines = trials.map { trial in
            let place = SafeText("\(trial.route.endpoint)", as: .line).text
            return "\(label(of: trial.way))  \(place)  \(words(for: trial.outcome))"
                + (trial.isInside && trial.isAnswered ? ", but only in this network" : "")
        }
        if trials.contains(where: \.mayLeadInFromOutside) { lines.append(hairpin) }
        if !trials.contains(where: { $0.isAnswered && !$0.isInside }) { lines.append(unreachable) }
        return lines
    }

    private static func label(of way: ReachTrial.Way) -> String {
        switch way {
        case .direct: "direct"
        case .mapped: "mapped"
        case .relay: "relay "
        case .onion: "onion "
        }
    }

    package static func words(for outcome: ReachTrial.Outcome) -> String {
        switch outcome {
        case .answered(let time): "works, \(Units.milliseconds(time))"
        case .somebodyElse: "somebody else answers there"
        case .failed(let reason): reason.words
        }
    }

    /// The note on a failed call from inside to a port of the router.
    private static let hairpin =
        "Many routers do not lead a call from inside back in, so the public address may still work: ask somebody outside."

    /// The ways to a contact, with their numbers.
    package static func lines(_ routes: [RouteReport]) -> [String] {
        guard !routes.isEmpty else { return ["no way to call them: they have to call"] }
        return routes.enumerated().map { index, route in
            let place = SafeText("\(route.address.endpoint)", as: .line).text
            let kind = route.address.origin == .seen ? "lan" : route.address.route.routeClass.rawValue
            return "\(index + 1) \(kind)  \(place)  "
                + "\(words(for: route.address.origin)) · \(words(for: route.standing))"
        }
    }

    package static func words(for origin: PeerAddress.Origin) -> String {
        switch origin {
        case .user: "from you"
        case .heard: "from them, confirmed"
        case .told: "from them"
        case .seen: "seen in this network"
        }
    }

    package static func words(for standing: RouteReport.Standing) -> String {
        switch standing {
        case .inUse: "IN USE"
        case .led: "worked last time"
        case .somebodyElse: "somebody else answers there"
        case .failed: "did not work last time"
        case .untried: "not tried"
        }
    }

    /// An invitation, to be given to one person; `time` says a time in words.
    package static func lines(_ invitation: Invitation, time: (Timestamp) -> String) -> [String] {
        var lines: [String] = []
        if let spoken = invitation.spoken {
            lines.append("Say:  \(said(spoken)) (once, until \(time(spoken.until)))")
            lines += troubles(of: spoken)
        }
        if let address = invitation.address {
            lines.append("Send this to one person (once, until \(time(invitation.until))):")
            lines.append("\(address)")
        }
        if let words = place(of: invitation) { lines.append(words) }
        return lines
    }

    /// Where the words do not work so far, and why, a line for each place.
    package static func troubles(of spoken: Invitation.Spoken) -> [String] {
        var lines: [String] = []
        if let trouble = spoken.trouble {
            let place = spoken.onion == nil ? "" : " at the relay"
            lines.append("The words do not work\(place) yet: \(trouble.words)")
        }
        if let reason = trouble(of: spoken.onion) { lines.append("The words do not work by Tor yet: \(reason)") }
        return lines
    }

    /// Why nobody is found there so far; `nil` where somebody is, or nobody waits.
    private static func trouble(of onion: OnionState?) -> String? {
        switch onion {
        case nil, .announced?: nil
        case .ready?: "it takes up to a minute until others find you there"
        case .off?, .starting?, .failed?: onion.map(words)
        }
    }

    /// The first reason for which an invitation does not work everywhere where it is meant to; `nil`: there is none.
    package static func reason(in invitation: Invitation) -> String? {
        invitation.spoken.flatMap { $0.trouble?.words ?? trouble(of: $0.onion) }
    }

    /// The words to say, and the relay at which the inviter waits for them.
    package static func said(_ spoken: Invitation.Spoken) -> String {
        spoken.words + (spoken.place.map { "@\(SafeText("\($0)", as: .line).text)" } ?? "")
    }

    /// Where an invitation works; `nil`: everywhere.
    package static func place(of invitation: Invitation) -> String? {
        if let spoken = invitation.spoken, spoken.onion != nil, spoken.place == nil {
            let near = spoken.isNear ? "in this network, and everywhere else " : ""
            return "The words work \(near)for somebody who uses Tor, too (/set reach.tor on)."
        }
        if invitation.isReachable { return nil }
        guard invitation.spoken?.place != nil else { return unreachable }
        return "The words work from everywhere, the link only in this network."
    }

    /// Says that a text that looks like words is wrong.
    package static let mistyped = "these are not four words of an invitation"
    /// How they are typed.
    package static let form = "tiger-lemon-orbit-cable, and @HOST after it if the other person sees one"

    package static func words(for failure: MeetFailure) -> String {
        switch failure {
        case .nobody: "nobody waits with these words: mistyped, used or over"
        case .nowhere:
            "there is no place to look for them (add @HOST as the other person sees it, "
                + "or use a relay or Tor like them: /set reach.relay, /set reach.tor on)"
        case .used: "this invitation has been used"
        case .unproved: "somebody answers who does not know the words; nobody was added"
        case .failed(let reason): reason.words
        case .noMemory: "the words need 32 MB of memory, and there is not so much"
        }
    }

    // MARK: Nearby

    /// The people in this network.
    package static func lines(_ report: NearbyReport, time: (Timestamp) -> String) -> [String] {
        var lines: [String] = []
        switch report.state {
        case .off: return ["People nearby are not found: reach.lan is off, or a proxy is set (net.proxy)"]
        case .missing: return ["No avahi here; people nearby are not found (apt install avahi-daemon)"]
        case .waiting: return ["Avahi does not run; people nearby are not found (systemctl start avahi-daemon)"]
        case .looking: break
        }
        for neighbour in report.neighbours {
            let name = SafeText(neighbour.name, as: .name).text
            let place = SafeText("\(neighbour.address.endpoint)", as: .line).text
            lines.append(
                neighbour.contact == nil
                    ? "\(name), no contact: /add \(SafeText("\(neighbour.address)", as: .line).text)"
                    : "\(name)  \(place)")
        }
        switch (report.strangers, report.neighbours.isEmpty) {
        case (0, true): lines.append("Nobody else with blipchat is in this network")
        case (0, false): break
        case (1, _): lines.append("1 other blipchat that does not say whose it is")
        case (let count, _): lines.append("\(count) other blipchats that do not say whose they are")
        }
        if let until = report.shownUntil { lines.append("You are seen here by name until \(time(until))") }
        return lines
    }
}

extension ReachTrial {
    /// A call from outside may get through where ours did not.
    fileprivate var mayLeadInFromOutside: Bool {
        guard case .failed = outcome, !isInside else { return false }
        return way == .mapped || way == .direct
    }
}
