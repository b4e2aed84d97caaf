// `blipchat invite`, `reach` and `routes`: how contacts and we find each other.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatWords

struct InviteCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try context.streams.requireOutput()
        let seconds = try context.seconds(of: "--for")
        var place: MeetPlace?
        if let text = context.arguments.text("--at") {
            place = MeetPlace(text)
            guard place != nil else { throw .badValue("--at", text, "the HOST[:PORT] of a relay") }
        }
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let invitation = try await chat.ask(.invite(seconds: seconds, at: place), about: "invite")
            try context.print(Records.invitation(invitation)) { () throws(CommandError) in
                if let spoken = invitation.spoken { try context.streams.line(ReachWords.said(spoken)) }
                if let address = invitation.address { try context.streams.line("\(address)") }
            }
            for line in invitation.spoken.map(ReachWords.troubles) ?? [] { context.streams.note(line) }
            if let words = ReachWords.place(of: invitation) { context.streams.note(words) }
            return .done
        }
    }
}

struct NearbyCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try context.streams.requireOutput()
        let seconds = try context.seconds(of: "--show")
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let report = try await chat.ask(.nearby(showSeconds: seconds), about: "nearby")
            guard context.isJSON else {
                for line in ReachWords.lines(report, time: RFC3339.text) { try context.streams.line(line) }
                return .done
            }
            for neighbour in report.neighbours { try context.streams.json(Records.neighbour(neighbour)) }
            try context.streams.json(Records.nearby(report))
            return .done
        }
    }
}

extension CommandContext {
    /// The time that an option names, in seconds; `nil` when it is not given.
    fileprivate func seconds(of option: String) throws(CommandError) -> Int64? {
        guard let text = arguments.text(option) else { return nil }
        guard let seconds = Units.seconds(of: text) else {
            throw .badValue(option, text, "a time like 10m, 2h or 1d")
        }
        return seconds
    }
}

struct ReachCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try await context.withChat(.quiet) { chat throws(CommandError) in
            if context.arguments.command == .reachRenew { try await chat.ask(.renewReach, about: "reach") }
            let report = try await chat.ask(.reach, about: "reach")
            try context.print(Records.reach(report)) { () throws(CommandError) in
                for line in ReachWords.lines(report) { try context.streams.line(line) }
            }
            return .done
        }
    }
}

struct ReachTestCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try await context.withChat(.quiet) { chat throws(CommandError) in
            let trials = try await chat.ask(.testReach, about: "reach test")
            if context.isJSON {
                for trial in trials { try context.streams.json(Records.trial(trial)) }
            } else {
                for line in ReachWords.lines(trials) { try context.streams.line(line) }
            }
            return trials.contains(where: \.isAnswered) ? .done : .negative
        }
    }
}

/// `routes list`, `routes add` and `routes remove`.
struct RoutesCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let (who, operand) = (context.operand(0), context.operand(1))
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            switch context.arguments.command {
            case .routesAdd:
                guard let route = Route(operand) else {
                    throw CommandError(
                        .usage, operand, "not a way to call somebody", advice: "HOST:PORT, or HOST:PORT/RELAY/MAILBOX")
                }
                try await chat.ask(.addRoute(route, to: peer.id), about: operand)
            case .routesRemove:
                let routes = try await chat.ask(.routes(of: peer.id), about: who)
                guard let number = Int(operand), routes.indices.contains(number - 1) else {
                    throw CommandError(
                        .notFound, operand, "there is no way with this number", advice: "routes list WHO shows them")
                }
                try await chat.ask(.removeAddress(routes[number - 1].address, of: peer.id), about: operand)
            default: break
            }
            let routes = try await chat.ask(.routes(of: peer.id), about: who)
            guard context.isJSON else {
                for line in ReachWords.lines(routes) { try context.streams.line(line) }
                return .done
            }
            for (index, route) in routes.enumerated() {
                try context.streams.json(Records.route(route, number: index + 1, of: peer.name))
            }
            return .done
        }
    }
}
