// `blipchat join` and `leave`: invitations, and Socket.IO rooms.

import Arguments
import ChatCore
import ChatHost
import ChatSettings
import ChatWords

struct JoinCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        try context.streams.requireOutput()
        if PeerAddress.isMeant(by: context.operand(0)) {
            return try await AddContactCommand(context: context).run()
        }
        let typed = context.arguments.operands.joined(separator: " ")
        let name = context.arguments.text("--name")
        if let said = SpokenInvitation(typed) {
            return try await context.withChat { chat throws(CommandError) in
                let peer = try await chat.ask(.meet(said, name: name), about: "\(said)")
                try context.print(Records.contact(peer)) { () throws(CommandError) in
                    try context.streams.line(SafeText.name(peer.name))
                }
                return .done
            }
        }
        guard !MeetWords.isMeant(by: typed) else {
            throw CommandError(.usage, typed, ReachWords.mistyped, advice: ReachWords.form)
        }
        guard context.arguments.operands.count == 1 else {
            throw CommandError(
                .usage, context.operand(1), "unexpected argument", advice: "put a name after --name")
        }
        let url = try RoomURL(typed: context.operand(0))
        return try await context.withChat { chat throws(CommandError) in
            let peer = try await chat.ask(.joinRoom(url, name: name), about: name ?? "\(url.endpoint)")
            try context.print(Records.contact(peer)) { () throws(CommandError) in
                try context.streams.line(SafeText.name(peer.name))
            }
            context.streams.note("\(RoomWords.title(of: url)): \(RoomWords.warning(of: url))")
            return .done
        }
    }
}

struct LeaveCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let who = context.operand(0)
        return try await context.withChat(.quiet) { chat throws(CommandError) in
            let peer = try await chat.contact(who)
            try await chat.ask(.leaveRoom(peer.id), about: who)
            try context.print(Records.contact(try await chat.contact(peer.name)))
            return .done
        }
    }
}

extension RoomURL {
    /// As somebody has typed it.
    init(typed text: String) throws(CommandError) {
        do throws(RoomURLError) { try self.init(parsing: text) } catch {
            throw CommandError(
                .usage, text, RoomWords.reason(of: error), advice: "the address of a room is \(RoomWords.form)")
        }
    }
}
