// What is said of how contacts and we find each other: /reach, /routes, /invite and the commands of the same names.

package import BLIPNet
package import ChatCore

package enum ReachWords {
    /// How we can be reached, a line for each way.
    package static func lines(_ report: ReachReport, clock: LocalClock = .system) -> [String] {
        var lines = [
            report.listening.map { "direct  \($0)" + (report.isInside ? "  only in this network" : "") }
                ?? "direct  off: this blipchat does not listen"
        ]
        if let words = words(for: report.mapping, clock) { lines.append("mapped  \(words)") }
        lines += report.relays.map { "relay   \(host(of: $0))  \(words(for: $0.state))" }
        if !report.isReachable { lines.append(unreachable) }
        return lines
    }

    /// Nobody outside can call, and what changes that.
    package static let unreachable =
        "Only people in this network can reach you. A relay of your own (/set reach.relay, see Docs/relay.md) or a port of your router (/set reach.map on, or forward one by hand) changes that."

    /// What has become of asking the router; `nil` where that is no news.
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
            "the router gives no ports, and the sandbox keeps blipchat from running upnpc (/set security.sandbox off)"
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

    /// The ways to a contact, with their numbers.
    package static func lines(_ routes: [RouteReport]) -> [String] {
        guard !routes.isEmpty else { return ["no way to call them: they have to call"] }
        return routes.enumerated().map { index, route in
            let place = SafeText("\(route.address.endpoint)", as: .line).text
            return "\(index + 1) \(route.address.route.routeClass.rawValue)  \(place)  "
                + "\(words(for: route.address.origin)) · \(words(for: route.standing))"
        }
    }

    package static func words(for origin: PeerAddress.Origin) -> String {
        switch origin {
        case .user: "from you"
        case .heard: "from them, confirmed"
        case .told: "from them"
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

    /// An invitation, to be given to one person; `until` says when it ends.
    package static func lines(_ invitation: Invitation, until: String) -> [String] {
        var lines = ["Send this to one person (it works once, until \(until)):", "\(invitation.address)"]
        if !invitation.isReachable { lines.append(unreachable) }
        return lines
    }
}
