// Ways and invitations in JSON (Docs/scripting.md).

package import BLIPNet
package import ChatCore
import ChatWords

extension Records {
    package static func invitation(_ invitation: Invitation) -> JSONValue {
        .record([
            "v": 1, "type": "invitation", "address": invitation.address.map { .string("\($0)") } ?? .null,
            "until": .time(invitation.until), "reachable": .bool(invitation.isReachable),
            "words": invitation.spoken.map { .string($0.words) } ?? .null,
            "words_until": invitation.spoken.map { .time($0.until) } ?? .null,
            "relay": invitation.spoken?.place.map { .string("\($0)") } ?? .null,
            "nearby": .bool(invitation.spoken?.isNear == true),
            "onion": invitation.spoken?.onion.map { .string(name(of: $0)) } ?? .null,
            "reason": ReachWords.reason(in: invitation).map(JSONValue.string),
            "reason_code": invitation.spoken.flatMap { $0.trouble?.code ?? $0.onion?.code }.map(JSONValue.string),
        ])
    }

    /// Somebody in this network who says who they are, or is a contact.
    package static func neighbour(_ neighbour: NearbyReport.Neighbour) -> JSONValue {
        .record([
            "v": 1, "type": "neighbour", "name": .string(neighbour.name), "known": .bool(neighbour.contact != nil),
            "address": .string("\(neighbour.address)"), "seen": .time(neighbour.seen),
        ])
    }

    /// The facts about this network as a whole.
    package static func nearby(_ report: NearbyReport) -> JSONValue {
        .record([
            "v": 1, "type": "nearby", "state": .string(report.state.rawValue),
            "strangers": .integer(Int64(report.strangers)),
            "shown_until": report.shownUntil.map(JSONValue.time) ?? .null,
        ])
    }

    package static func reach(_ report: ReachReport) -> JSONValue {
        .record([
            "v": 1, "type": "reach", "listening": report.listening.map(JSONValue.string) ?? .null,
            "inside": .bool(report.isInside), "reachable": .bool(report.isReachable),
            "mapping": mapping(report.mapping), "relays": .array(report.relays.map(relay)),
            "onion": report.onion.map(onion) ?? .null, "nearby": .string(report.neighbours.rawValue),
        ])
    }

    /// The outcome of a call to ourselves along one of our ways.
    package static func trial(_ trial: ReachTrial) -> JSONValue {
        let outcome: String
        var (took, reason): (Duration?, LinkReason?)
        switch trial.outcome {
        case .answered(let time): (outcome, took) = ("answered", time)
        case .somebodyElse: outcome = "somebody-else"
        case .failed(let failure): (outcome, reason) = ("failed", failure)
        }
        return .record([
            "v": 1, "type": "trial", "way": .string(trial.way.rawValue), "route": .string("\(trial.route)"),
            "inside": .bool(trial.isInside), "outcome": .string(outcome),
            "took_ms": took.map { .integer(Int64($0.wholeMilliseconds)) }, "reason": reason.map { .string($0.words) },
            "reason_code": reason.map { .string($0.code) },
        ])
    }

    private static func onion(_ onion: OnionReport) -> JSONValue {
        let failure = onion.state.trouble
        var percent: Int?
        if case .starting(let now) = onion.state { percent = now }
        return .record([
            "host": onion.host.map(JSONValue.string) ?? .null, "state": .string(name(of: onion.state)),
            "only": .bool(onion.isOnly), "percent": percent.map { .integer(Int64($0)) },
            "reason": failure.map { .string($0.words) }, "reason_code": failure.map { .string($0.code) },
        ])
    }

    private static func name(of state: OnionState) -> String {
        switch state {
        case .off: "off"
        case .starting: "starting"
        case .ready: "ready"
        case .announced: "announced"
        case .failed: "failed"
        }
    }

    private static func mapping(_ mapping: MappingState) -> JSONValue {
        switch mapping {
        case .off: .record(["state": "off"])
        case .asking: .record(["state": "asking"])
        case .mapped(let place, let until):
            .record([
                "state": "mapped", "host": .string(place.host), "port": .integer(Int64(place.port)),
                "way": .string(place.way.rawValue), "until": .time(until),
            ])
        case .failed(let failure):
            .record([
                "state": "failed", "reason": .string(ReachWords.words(for: failure)),
                "reason_code": .string(failure.code),
            ])
        }
    }

    private static func relay(_ relay: RelayReport) -> JSONValue {
        var state: String
        var failure: LinkReason?
        switch relay.state {
        case .off: state = "off"
        case .joining: state = "joining"
        case .joined: state = "joined"
        case .failed(let reason):
            state = "failed"
            failure = reason
        }
        return .record([
            "host": .string(relay.host), "port": .integer(Int64(relay.port)), "state": .string(state),
            "reason": failure.map { .string($0.words) }, "reason_code": failure.map { .string($0.code) },
        ])
    }

    package static func route(_ route: RouteReport, number: Int, of name: String) -> JSONValue {
        .record([
            "v": 1, "type": "route", "contact": .string(name), "number": .integer(Int64(number)),
            "class": .string(route.address.route.routeClass.rawValue), "route": .string("\(route.address.route)"),
            "from": .string(route.address.origin.rawValue), "standing": .string(route.standing.rawValue),
        ])
    }
}
