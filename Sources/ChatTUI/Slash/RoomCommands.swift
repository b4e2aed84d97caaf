// /join /leave, and what /whois says of a room.

import ChatCore
import ChatWords

/// Commands about Socket.IO rooms.
enum RoomCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .join: join(call, &scanner, &state, &effects)
        case .leave:
            if let id = SlashArguments.contact(scanner.remainder(), &state) {
                effects.append(.run(.call(.leaveRoom(id))))
            }
        // The table sends no other command here.
        default: break
        }
    }

    private static func join(
        _ call: SlashCall, _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        if ReachCommands.isLink(call.arguments) { return PeopleCommands.add(&scanner, &state, &effects) }
        if meets(call.arguments, &state, &effects) { return }
        guard let text = scanner.quoted() ?? scanner.next() else { return }
        do throws(RoomURLError) {
            effects.append(.run(.call(.joinRoom(try RoomURL(parsing: text), name: scanner.name()))))
        } catch {
            state.note(RoomWords.sentence(for: error), isError: true)
        }
    }

    /// Meets the person who waits with the words that were typed; any text after them is a name. `false`: no words were meant.
    private static func meets(_ typed: String, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        guard MeetWords.isMeant(by: typed) else { return false }
        let words = typed.split(whereSeparator: \.isWhitespace).map(String.init)
        for count in (1...MeetWords.count).reversed() where count <= words.count {
            guard let said = SpokenInvitation(words.prefix(count).joined(separator: " ")) else { continue }
            let name = words.dropFirst(count).joined(separator: " ")
            effects.append(.run(.call(.meet(said, name: name.isEmpty ? nil : name))))
            state.say(Introduction.looking)
            return true
        }
        state.note("\(ReachWords.mistyped) (\(ReachWords.form))", isError: true)
        return true
    }

    /// How many entries of a room's log are shown.
    private static let logCount = 15

    /// The lines about a room.
    static func lines(_ details: RoomDetails, of contact: ContactID, _ state: AppState) -> [String] {
        guard let chat = state.world.chat(contact) else { return [] }
        let url = details.room.url
        // The title already says how it is encrypted.
        let link = chat.link.isOnline ? "online" : Sentences.words(for: chat.link)
        var lines = [
            "\(chat.name.text): \(RoomWords.title(of: url)), \(link)",
            SafeText("\(url)", as: .line).text,
            "\(RoomWords.trust(in: url)): \(RoomWords.warning(of: url))",
        ]
        if let transport = details.transport {
            let limit = details.maxPayload.map { ", at most \(Units.size(UInt64(max($0, 0)))) an event" } ?? ""
            lines.append("over \(transport)\(limit)")
        }
        if !details.people.isEmpty {
            let names = details.people.prefix(50).map { SafeText($0, as: .name).text }.joined(separator: ", ")
            let rest = details.people.count > 50 ? " and \(details.people.count - 50) more" : ""
            lines.append("there: \(names)\(rest)")
        }
        lines.append("a name with\(MessageWords.doubt.text) is like one that you know; names prove nothing there")
        if let words = state.surface.muteWords(chat.peer) { lines.append("\(words) (/mute \(chat.name.text) off)") }
        return lines
            + details.log.suffix(logCount).map { entry in
                "\(state.surface.timeText(entry.time)) \(SafeText(RoomWords.words(for: entry.what), as: .line).text)"
            }
    }
}
