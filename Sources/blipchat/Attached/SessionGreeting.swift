// The first line in each direction of a session.

import ChatCore

/// Which protocol and version somebody speaks; the process that runs the chat says more.
struct SessionGreeting: Codable, Equatable {
    /// What both sides must have in common. To be raised when a call, an event or something in them changes its form.
    static let currentProtocol = 4

    /// `protocol` on the line.
    var number = currentProtocol
    var version: String? = Version.text
    /// The chat is served for its own sake (`blipchat serve`); a screen's ends with the screen.
    var stays: Bool?
    /// Whose chat it is.
    var identity: LocalIdentity?

    private enum CodingKeys: String, CodingKey {
        case number = "protocol"
        case version, stays, identity
    }

    var json: JSONValue { .record(["hello": (try? JSONValue(encoding: self)) ?? .null]) }

    init(stays: Bool? = nil, identity: LocalIdentity? = nil) {
        self.stays = stays
        self.identity = identity
    }

    /// `nil` when the line is none.
    init?(_ json: JSONValue) {
        guard let greeting = try? json["hello"]?.decode(SessionGreeting.self) else { return nil }
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
