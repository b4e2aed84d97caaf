// /invite /nearby /routes /reach: how contacts and we find each other.

import ChatCore
import ChatWords

/// Commands about ways and invitations.
enum ReachCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .invite:
            var (seconds, place) = (Int64?.none, MeetPlace?.none)
            while let word = scanner.next() {
                if word.hasPrefix("@") {
                    place = MeetPlace(String(word.dropFirst()))
                } else {
                    seconds = Units.seconds(of: word)
                }
                guard word.hasPrefix("@") ? place != nil : seconds != nil else {
                    return state.note(
                        "/invite [TIME] [@HOST]: 10m, 2h or 1d, at most 7d; a relay to wait at", isError: true)
                }
            }
            effects.append(.run(.call(.invite(seconds: seconds, at: place))))
        case .nearby:
            switch scanner.next() {
            case nil: effects.append(.ask(.call(.nearby(showSeconds: nil))))
            case "show":
                let word = scanner.next() ?? "10m"
                guard let seconds = Units.seconds(of: word) else { fallthrough }
                effects.append(.ask(.call(.nearby(showSeconds: seconds))))
            case _?: state.note("/nearby, or /nearby show 10m (at most 1h)", isError: true)
            }
        case .routes: routes(&scanner, &state, &effects)
        case .reach:
            switch scanner.next() {
            case nil: effects.append(.ask(.call(.reach)))
            case "test":
                state.note("Calling yourself along each of your ways; this takes up to 30 s")
                effects.append(.ask(.call(.testReach)))
            case "renew": effects.append(.run(.call(.renewReach)))
            case _?: state.note("/reach, /reach test or /reach renew", isError: true)
            }
        // The table leads no other one here.
        default: break
        }
    }

    /// Whether what was typed is an address of a person, and not that of a room.
    static func isLink(_ text: String) -> Bool {
        PeerAddress.isMeant(by: String(text.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }))
    }

    private static func routes(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let id = scanner.isAtEnd ? SlashArguments.contact(nil, &state) : scanner.contact(&state) else { return }
        switch scanner.next() {
        case nil: effects.append(.ask(.call(.routes(of: id))))
        case "add":
            guard let route = scanner.next().flatMap({ Route($0) }) else {
                return state.note("/routes WHO add ROUTE: HOST:PORT, or HOST:PORT/RELAY/MAILBOX", isError: true)
            }
            effects.append(.run(.call(.addRoute(route, to: id))))
        case "remove":
            guard let number = scanner.next().flatMap({ Int($0) }), number > 0 else {
                return state.note("/routes WHO remove N: the number of a way, as /routes shows it", isError: true)
            }
            effects.append(.run(.removeRoute(id, number)))
        case _?: state.note("/routes WHO [add ROUTE|remove N]", isError: true)
        }
    }

    /// The ways to a contact.
    static func lines(_ routes: [RouteReport], of contact: ContactID, _ state: AppState) -> [String] {
        ["\(state.world.name(of: contact)):"] + ReachWords.lines(routes).map { " " + $0 }
    }
}
