// The first line in each direction of a session.

import BLIPNet
package import ChatCore
import ChatSettings

/// The activity whose end is also the end of a process's chat.
package enum ChatEnd: String, Codable, Sendable {
    /// `blipchat serve`: it is there for its own sake.
    case service
    /// A front end runs it, and others that are attached continue it.
    case screen
    /// A command that takes long runs it (`watch`, `receive`); one of those that are attached continues it.
    case command
    /// The same for a command that takes a moment: nothing for a front end to attach to.
    case moment
}

/// A process's account of the chat that it runs.
package struct RunningChat: Codable, Equatable, Sendable {
    var until: ChatEnd
    package var process: Int32
    /// It keeps itself to its own folders.
    package var isConfined: Bool
    package var identity: LocalIdentity

    private enum CodingKeys: String, CodingKey {
        case until, process
        case isConfined = "confined"
        case identity
    }
}

/// Which protocol and version somebody speaks; the process that runs the chat says more.
struct SessionGreeting: Codable, Equatable {
    /// The number that both sides must have in common. Raise it when a call, an event or something in them changes its
    /// form.
    static let currentProtocol = 10

    /// `protocol` on the line.
    var number = currentProtocol
    var version: String? = Version.text
    /// Only from the process that runs the chat.
    var chat: RunningChat?
    /// This front end continues the chat when that process ends.
    var continues: Bool?
    /// No question in this session will concern contacts: a chat that calls nobody need not begin to.
    var isQuiet: Bool?

    private enum CodingKeys: String, CodingKey {
        case number = "protocol"
        case version, chat, continues
        case isQuiet = "quiet"
    }

    var json: JSONValue { .record(["hello": (try? JSONValue(encoding: self)) ?? .null]) }

    init(chat: RunningChat) { self.chat = chat }

    init(continues: Bool = false, isQuiet: Bool = false) {
        self.continues = continues ? true : nil
        self.isQuiet = isQuiet ? true : nil
    }

    /// `nil` when the line is none. Of another protocol only the number and the version are read.
    init?(_ json: JSONValue) {
        guard let hello = json["hello"], let number = hello["protocol"]?.integerValue.flatMap({ Int(exactly: $0) })
        else { return nil }
        guard number == Self.currentProtocol else {
            self.number = number
            version = hello["version"]?.stringValue
            return
        }
        guard let greeting = try? hello.decode(SessionGreeting.self) else { return nil }
        self = greeting
    }

    /// Why no session begins with a chat that says this; `nil` when one does.
    var refusal: CommandError? {
        guard number != Self.currentProtocol else { return nil }
        return CommandError(
            .usage, "running blipchat", "is version \(version ?? "unknown"), this is version \(Version.text)",
            advice: "stop the running one and start it again")
    }
}
