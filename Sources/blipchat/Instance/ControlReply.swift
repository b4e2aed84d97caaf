// What comes back from an operation: records while it goes on, then one result. The same in process and on the socket.

/// The end of an operation.
enum ControlResult: Sendable, Equatable {
    case done(ExitCode)
    case failed(CommandError)
    /// Not done, or not to the end: the process that runs the chat ends, or is only there for another command. Who runs
    /// it next is to be asked again.
    case again

    /// `{"v":1,"type":"result","exit":0}`, or with `"error":{"subject":...,"reason":...,"advice":...}` or `"again":true`.
    var json: JSONValue {
        switch self {
        case .done(let exit):
            .record(["v": 1, "type": "result", "exit": .integer(Int64(exit.rawValue))])
        case .failed(let error):
            .record([
                "v": 1, "type": "result", "exit": .integer(Int64(error.exit.rawValue)),
                "error": .record([
                    "subject": .string(error.subject), "reason": .string(error.reason),
                    "advice": error.advice.map(JSONValue.string),
                    "out_of_reach": error.outOfReach.map(JSONValue.string),
                ]),
            ])
        case .again:
            .record([
                "v": 1, "type": "result", "exit": .integer(Int64(ExitCode.network.rawValue)), "again": .bool(true),
            ])
        }
    }

    /// `nil` when the value is not a result but a record.
    init?(_ json: JSONValue) {
        guard json["type"]?.stringValue == "result" else { return nil }
        let exit = json["exit"]?.integerValue.flatMap { Int32(exactly: $0) }.flatMap(ExitCode.init) ?? .network
        if json["again"]?.boolValue == true {
            self = .again
        } else if let error = json["error"] {
            var failure = CommandError(
                exit, error["subject"]?.stringValue ?? "", error["reason"]?.stringValue ?? "",
                advice: error["advice"]?.stringValue)
            failure.outOfReach = error["out_of_reach"]?.stringValue
            self = .failed(failure)
        } else {
            self = .done(exit)
        }
    }
}

/// Takes the records of an operation as they come.
typealias RecordSink = @Sendable (JSONValue) async -> Void
