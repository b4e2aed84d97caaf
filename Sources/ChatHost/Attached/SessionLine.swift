// The lines between an attached process and the one that runs the chat, a JSON object on each.

import BLIPNet
import ChatCore

/// A line of a session, after the greetings (Docs/scripting.md).
enum SessionLine {
    /// The attached process calls; the number is its own and comes back in the reply.
    case call(number: Int, AnyCall)
    /// It asks for the news from now on, until the connection ends.
    case events(number: Int)
    case reply(number: Int, JSONValue)
    case failure(number: Int, ChatError)
    /// News for the process that has asked with this number.
    case event(number: Int, ChatEvent)
    /// The process that runs the chat ends, and has done what it answered and nothing else; `continues`: others that
    /// are attached continue the chat.
    case bye(continues: Bool)

    /// The line; throws only when something in it cannot be coded.
    func json() throws -> JSONValue {
        switch self {
        case .call(let number, let call):
            .record(["call": .integer(Int64(number)), "what": try JSONValue(encoding: call)])
        case .events(let number): .record(["events": .integer(Int64(number))])
        case .reply(let number, let value): .record(["reply": .integer(Int64(number)), "value": value])
        case .failure(let number, let error):
            .record(["reply": .integer(Int64(number)), "error": try JSONValue(encoding: error)])
        case .event(let number, let event):
            .record(["event": .integer(Int64(number)), "what": try JSONValue(encoding: event)])
        case .bye(let continues): .record(["bye": .record(["continues": .bool(continues)])])
        }
    }

    /// Reads a line; throws when it is not a line of a session.
    init(_ json: JSONValue) throws(JSONError) {
        func number(_ name: String) -> Int? { json[name]?.integerValue.flatMap { Int(exactly: $0) } }
        if let number = number("call"), let call = json["what"] {
            self = .call(number: number, try call.decode(AnyCall.self))
        } else if let number = number("events") {
            self = .events(number: number)
        } else if let number = number("event"), let event = json["what"] {
            self = .event(number: number, try event.decode(ChatEvent.self))
        } else if let number = number("reply"), let error = json["error"] {
            self = .failure(number: number, try error.decode(ChatError.self))
        } else if let number = number("reply"), let value = json["value"] {
            self = .reply(number: number, value)
        } else if let continues = json["bye"]?["continues"]?.boolValue {
            self = .bye(continues: continues)
        } else {
            throw JSONError(reason: "not a line of a session", offset: 0)
        }
    }
}
