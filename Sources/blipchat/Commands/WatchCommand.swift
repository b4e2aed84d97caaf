// `blipchat watch`.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords

struct WatchCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        var name: String?
        if let who = context.arguments.operands.first {
            name = try await HistoryFile.contacts(try context.paths()).find(who).name
        }
        let streams = context.streams
        let lines = EventLines(usesColor: streams.usesColor)
        let following = Following(
            context: context, needs: ChatNeeds(listens: true, endsWithChat: true), asJSON: context.isJSON
        ) { report throws(CommandError) in
            // It may run for days.
            SystemZone.lookAgain()
            for line in lines.lines(of: report) { try streams.line(line) }
        }
        return try await following.run { [name] chat, reports throws(CommandError) in
            try await EventFollower(chat: chat) { report in
                guard name == nil || report.contact == name else { return }
                await reports(report)
            }.run()
        }
    }
}
