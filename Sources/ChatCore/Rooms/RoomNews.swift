// Between the events of a room and what the chat makes of them. Pure; what a server may call its events and fields is in
// RoomURL.Names.

/// A line as somebody in a room has written it.
struct RoomLine: Sendable, Equatable {
    var text: String
    /// As it came; `nil`: the server does not say.
    var sender: String?
    var sent: Timestamp?
    var id: MessageID?
}

/// A file as it came with a binary event.
struct RoomBinary: Sendable, Equatable {
    var bytes: [UInt8]
    var caption: String
    var name: String?
    var sender: String?
    var sent: Timestamp?
    var id: MessageID?
}

/// The meaning of an event of a room.
enum RoomNews: Sendable, Equatable {
    case line(RoomLine)
    case file(RoomBinary)
    /// The people there.
    case people([String])
    /// Nothing that is shown in the conversation: the log has it.
    case other(event: String)
    /// An event that we know, without what belongs to it.
    case malformed(event: String)

    /// More names than anybody reads are not kept.
    static let mostPeople = 500

    init(_ event: RoomEvent, _ names: RoomURL.Names) {
        let fields: [String: RoomValue] = if case .object(let fields)? = event.values.first { fields } else { [:] }
        let sender = Self.text(fields[names.sender])
        let sent = Self.time(fields[names.time])
        let id = names.id.isEmpty ? nil : Self.text(fields[names.id]).flatMap { MessageID($0.lowercased()) }
        switch event.name {
        case names.line:
            // A server may send the text alone.
            guard let text = Self.text(fields[names.text]) ?? Self.text(event.values.first) else {
                self = .malformed(event: event.name)
                return
            }
            self = .line(RoomLine(text: text, sender: sender, sent: sent, id: id))
        case names.binary:
            guard let bytes = Self.bytes(fields[names.data]) ?? Self.bytes(event.values.first) else {
                self = .malformed(event: event.name)
                return
            }
            self = .file(
                RoomBinary(
                    bytes: bytes, caption: Self.text(fields[names.caption]) ?? "",
                    name: Self.text(fields[names.fileName]), sender: sender, sent: sent, id: id))
        case names.people:
            guard let people = Self.people(event.values.first, names) else {
                self = .malformed(event: event.name)
                return
            }
            self = .people(people)
        default: self = .other(event: event.name)
        }
    }

    /// A list of names, or of objects with names, perhaps within an object.
    private static func people(_ value: RoomValue?, _ names: RoomURL.Names) -> [String]? {
        switch value {
        case .array(let items)?:
            return items.prefix(mostPeople).compactMap { item in
                if case .object(let fields) = item { text(fields[names.sender] ?? fields["name"]) } else { text(item) }
            }
        case .object(let fields)?:
            return people(fields[names.people], names)
        default: return nil
        }
    }

    private static func text(_ value: RoomValue?) -> String? {
        switch value {
        case .text(let text)?: text
        case .number(let number)?: Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        default: nil
        }
    }

    private static func bytes(_ value: RoomValue?) -> [UInt8]? {
        if case .bytes(let bytes)? = value { bytes } else { nil }
    }

    /// Milliseconds or seconds since 1970; of another form nothing is known.
    private static func time(_ value: RoomValue?) -> Timestamp? {
        guard let text = text(value), let number = Double(text), number.isFinite, number > 0 else { return nil }
        // 10^11 seconds are in the year 5138, 10^11 milliseconds in 1973.
        let milliseconds = number < 1e11 ? number * 1000 : number
        return Int64(exactly: milliseconds.rounded()).map(Timestamp.init(milliseconds:))
    }
}

extension RoomEvent {
    /// A line of ours.
    static func line(_ message: ChatMessage, _ text: String, from sender: String, _ names: RoomURL.Names) -> RoomEvent {
        RoomEvent(names.line, [.object(head(of: message, from: sender, names, [names.text: .text(text)]))])
    }

    /// A file of ours.
    static func file(
        _ message: ChatMessage, _ file: FileTransfer, _ bytes: [UInt8], from sender: String, _ names: RoomURL.Names
    ) -> RoomEvent {
        let fields: [String: RoomValue] = [
            names.data: .bytes(bytes), names.caption: .text(file.caption.isEmpty ? file.name : file.caption),
            names.fileName: .text(file.name),
        ]
        return RoomEvent(names.binary, [.object(head(of: message, from: sender, names, fields))])
    }

    private static func head(
        of message: ChatMessage, from sender: String, _ names: RoomURL.Names, _ content: [String: RoomValue]
    ) -> [String: RoomValue] {
        var fields: [String: RoomValue] = [
            names.sender: .text(sender), names.time: .number(Double(message.sent.milliseconds)),
        ]
        if !names.id.isEmpty { fields[names.id] = .text(message.id.text) }
        // Where two are called the same, what is said goes before who says it.
        return fields.merging(content) { $1 }
    }
}
