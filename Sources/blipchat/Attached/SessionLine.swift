// What an attached front end and the process that runs the chat say to each other, a JSON object on each line.

import ChatCore

/// A line of a session, after `attach` (Docs/scripting.md).
enum SessionLine {
    /// The front end calls; the number is its own and comes back in the reply.
    case call(number: Int, ServiceCall)
    case reply(number: Int, JSONValue)
    case failure(number: Int, ChatError)
    /// News for the `events` call with this number.
    case event(number: Int, ChatEvent)

    /// What both sides must have in common. To be raised when a call, an event or something in them changes its form.
    static let version: Int64 = 3
    static let operation = "attach"
    /// The number of the first reply of a session: the identity of its chat.
    static let greeting = 0

    /// The request that turns a connection to the control socket into a session.
    static let attach = JSONValue.record([
        "v": 1, "op": .string(operation), "service": .integer(version), "version": .string(Version.text),
    ])

    /// The answer to it. `stays`: the chat is served for its own sake (`blipchat serve`); a screen's ends with the screen.
    static func accepted(stays: Bool) -> JSONValue {
        guard case .object(let members) = ControlResult.done(.done).json else { return ControlResult.done(.done).json }
        return .object(members + [JSONValue.Member(name: "stays", value: .bool(stays))])
    }

    /// The line; throws only when something in it cannot be coded.
    func json() throws -> JSONValue {
        switch self {
        case .call(let number, let call):
            .record(["call": .integer(Int64(number)), "what": try JSONValue(encoding: call)])
        case .reply(let number, let value): .record(["reply": .integer(Int64(number)), "value": value])
        case .failure(let number, let error):
            .record(["reply": .integer(Int64(number)), "error": try JSONValue(encoding: error)])
        case .event(let number, let event):
            .record(["event": .integer(Int64(number)), "what": try JSONValue(encoding: event)])
        }
    }

    /// Reads a line; throws when it is none of a session.
    init(_ json: JSONValue) throws(JSONError) {
        func number(_ name: String) -> Int? { json[name]?.integerValue.flatMap { Int(exactly: $0) } }
        if let number = number("call"), let call = json["what"] {
            self = .call(number: number, try call.decode(ServiceCall.self))
        } else if let number = number("event"), let event = json["what"] {
            self = .event(number: number, try event.decode(ChatEvent.self))
        } else if let number = number("reply"), let error = json["error"] {
            self = .failure(number: number, try error.decode(ChatError.self))
        } else if let number = number("reply"), let value = json["value"] {
            self = .reply(number: number, value)
        } else {
            throw JSONError(reason: "not a line of a session", offset: 0)
        }
    }
}
