// What `blipwire tap` prints: a line for people, or the same facts as JSON.

package import BLIPNet

/// One line.
package struct TapLine: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// A connection that others have made. `isLate`: it was there before the first of its packets that were recorded.
        case begun(from: String, to: String, isLate: Bool)
        case seen(TapEvent)
        /// A connection has ended; says how.
        case ended(String)
        /// About all of them.
        case note(String)
    }

    /// Nanoseconds since the first packet, or since the tap began.
    package var time: Int64
    /// Connections count from 1; `nil` for a line about all of them.
    package var connection: Int?
    package var content: Content

    package init(time: Int64, connection: Int?, _ content: Content) {
        self.time = time
        self.connection = connection
        self.content = content
    }

    // MARK: For people

    /// Seconds, connection, `->` (from the caller) or `<-`, and what it is. Text from outside is escaped.
    package var text: String {
        let place = [connection.map { "\($0)" }, mark].compactMap(\.self)
        return ([Self.seconds(time)] + place + [words]).joined(separator: " ")
    }

    private var mark: String? {
        guard case .seen(let event) = content else { return connection == nil ? nil : "--" }
        if case .opened = event.content { return "--" }
        return event.direction == .up ? "->" : "<-"
    }

    private var words: String {
        switch content {
        case .begun(let from, let to, let isLate):
            "\(from) calls \(to)" + (isLate ? "; its beginning is not in the capture" : "")
        case .seen(let event): event.content.words
        case .ended(let how): how
        case .note(let text): text
        }
    }

    /// With six digits after the point, and room for four before it.
    private static func seconds(_ time: Int64) -> String {
        let microseconds = time.magnitude / 1_000
        let fraction = String(microseconds % 1_000_000)
        let text =
            (time < 0 ? "-" : "") + "\(microseconds / 1_000_000)."
            + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
        return String(repeating: " ", count: max(0, 11 - text.utf8.count)) + text
    }

    // MARK: JSON

    /// One object: `event`, `seconds`, `connection`, `direction` where there is one, and the facts of the event.
    package var json: JSONValue {
        var object = JSONObject()
        let (name, facts) = event
        object.add("event", .string(name))
        object.add("seconds", .number(Double(time) / 1e9))
        if let connection { object.add("connection", .integer(Int64(connection))) }
        if case .seen(let event) = content { object.add("direction", .string(event.direction.rawValue)) }
        return .object(object.members + facts.members)
    }

    private var event: (String, JSONObject) {
        switch content {
        case .begun(let from, let to, let isLate):
            ("begin", JSONObject([("from", .string(from)), ("to", .string(to)), ("late", .bool(isLate))]))
        case .seen(let event): (event.content.name, event.content.facts)
        case .ended(let how): ("end", JSONObject([("how", .string(how))]))
        case .note(let text): ("note", JSONObject([("text", .string(text))]))
        }
    }
}

/// The members of an object in the order in which they are printed.
struct JSONObject {
    private(set) var members: [JSONValue.Member] = []

    init(_ members: [(String, JSONValue)] = []) {
        for (name, value) in members { add(name, value) }
    }

    mutating func add(_ name: String, _ value: JSONValue) {
        members.append(JSONValue.Member(name: name, value: value))
    }

    /// A number that may be too large for most readers of JSON.
    mutating func add(_ name: String, _ number: UInt64) {
        let value: JSONValue = Int64(exactly: number).map { .integer($0) } ?? .digits("\(number)")
        add(name, value)
    }
}
