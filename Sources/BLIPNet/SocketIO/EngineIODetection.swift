// Finds out which revision a server speaks, by asking (SOCKETIO B1, trap 1).

/// Judges the first answers of a server: when we ask for revision 4, a server of revision 3 either ignores the number
/// and answers in its own form, or refuses with 400.
package struct EngineIODetection: Sendable, Equatable {
    /// The meaning of the first answer.
    package enum Outcome: Sendable, Equatable {
        case speaks(EngineIORevision)
        /// Ask again, for the revision that `asking` names now.
        case askAgain
        case failed(SocketIOError)
    }

    /// The only revision that will do; `nil` takes either.
    private let wanted: EngineIORevision?
    /// The revision to ask for.
    package private(set) var asking: EngineIORevision
    /// The error with which the server refused the first question.
    private var firstRefusal: SocketIOError?

    package init(wanted: EngineIORevision? = nil) {
        self.wanted = wanted
        asking = wanted ?? .eio4
    }

    /// Whether the server, if it accepts the question, must speak the revision that we asked for: it was the only
    /// choice, or the server has refused the other one.
    var isCertain: Bool { wanted != nil || firstRefusal != nil }

    /// The answer to the first GET of polling.
    package mutating func answered(status: Int, body: [UInt8]) -> Outcome {
        guard status == 200 else { return refused(status: status, body: body) }
        guard let spoken = Self.revision(of: body) else { return .failed(.notSocketIO) }
        if let wanted, wanted != spoken { return .failed(.wrongRevision(spoken)) }
        return .speaks(spoken)
    }

    /// An answer with another status than 200 (polling) or 101 (WebSocket).
    package mutating func refused(status: Int, body: [UInt8]) -> Outcome {
        let refusal = SocketIOError.refused(status: status, code: EngineIORefusal.code(of: body))
        if let firstRefusal { return .failed(status == 400 ? firstRefusal : refusal) }
        guard status == 400, wanted == nil else { return .failed(refusal) }
        firstRefusal = refusal
        asking = asking.other
        return .askAgain
    }

    /// The form of a first answer: `0{` is revision 4; a length, or the binary framing, is revision 3.
    private static func revision(of body: [UInt8]) -> EngineIORevision? {
        switch body.first {
        case UInt8(ascii: "0"): return body.count > 1 && body[1] == UInt8(ascii: "{") ? .eio4 : nil
        case .some(0x31...0x39):
            let digits = body.prefix(EngineIOPayload.maxLengthDigits).prefix(while: HTTPSyntax.isDigit).count
            return digits < body.count && body[digits] == UInt8(ascii: ":") ? .eio3 : nil
        case 0x00: return .eio3
        default: return nil
        }
    }
}

/// The reason in an HTTP answer with an error.
enum EngineIORefusal {
    /// The number in `{"code":n,"message":…}`; servers of Python send a string instead.
    static func code(of body: [UInt8]) -> Int? {
        guard body.count <= 4_096 else { return nil }
        do throws(JSONError) {
            return try JSONReader.read(body)["code"]?.integerValue.flatMap { Int(exactly: $0) }
        } catch {
            // A page for people.
            return nil
        }
    }
}
