// Events, as records for `watch` and as log lines of `serve`. Log lines hold no message text.

package import BLIPNet
package import ChatCore
import ChatWords

package enum EventRecord {
    /// `nil` for events that mean nothing to others.
    package static func record(of event: ChatEvent, _ records: Records) -> JSONValue? {
        switch event {
        case .messageAdded(let message), .messageChanged(let message): records.record(of: message)
        case .transferProgress(let progress): Records.progress(progress)
        case .linkChanged(let contact, let state):
            .record([
                "v": 1, "type": "link", "name": .string(records.contacts.name(of: contact)),
                "link": .string(Records.word(state)),
            ])
        case .requestsChanged(let requests):
            .record([
                "v": 1, "type": "requests",
                "requests": .array(
                    requests.map {
                        // The person who chose the name has another key than the contact.
                        Records.request($0, twin: NameLikeness.twin(of: $0, among: records.contacts.peers))
                    }),
            ])
        case .typing(let contact, let composing):
            .record([
                "v": 1, "type": "typing", "name": .string(records.contacts.name(of: contact)),
                "composing": .bool(composing),
            ])
        case .notice(let notice):
            .record([
                "v": 1, "type": "notice",
                "text": .string(Sentences.sentence(for: notice, name: records.contacts.name(of:))),
            ])
        case .messagesDeleted(let contact):
            .record(["v": 1, "type": "deleted", "conversation": .string(records.contacts.name(of: contact))])
        case .historyReplaced, .conversationsChanged, .identityChanged: nil
        }
    }

    /// A line for the log of `serve`; `nil` for what does not belong there.
    static func logLine(of event: ChatEvent, _ contacts: ContactDirectory) -> String? {
        switch event {
        case .linkChanged(let contact, let state):
            var line = "\(contacts.name(of: contact)): \(Records.word(state))"
            if case .offline(let reason?) = state { line += ": \(reason.wordsForLog)" }
            return line
        case .messageAdded(let message):
            let name = contacts.name(of: message.contact)
            let direction = message.direction == .incoming ? "from" : "to"
            guard case .file(let transfer) = message.content else { return "message \(direction) \(name)" }
            return "file #\(transfer.number.rawValue) \(direction) \(name), \(transfer.size) bytes"
        case .messageChanged(let message):
            guard case .file(let transfer) = message.content else { return nil }
            let reason = transfer.reason.map { ": \($0.words)" } ?? ""
            return "file #\(transfer.number.rawValue): \(transfer.state.rawValue)\(reason)"
        case .requestsChanged(let requests):
            return requests.isEmpty ? nil : "\(requests.count.counted("contact request")) waiting (blipchat requests)"
        case .messagesDeleted(let contact): return "messages of \(contacts.name(of: contact)) deleted"
        case .notice(let notice): return Sentences.sentence(for: notice, name: contacts.name(of:))
        case .transferProgress, .historyReplaced, .conversationsChanged, .typing, .identityChanged: return nil
        }
    }
}

extension EventRecord {
    /// Events that need somebody's attention get a more serious level.
    static func logLevel(of event: ChatEvent) -> LogLevel {
        switch event {
        case .linkChanged(_, .offline(let reason?)):
            switch reason {
            case .keyChanged, .somebodyElse, .answersInstead, .otherKeyOfServer, .untrusted, .historyDamaged: .warning
            default: .info
            }
        case .notice(let notice):
            switch notice {
            case .storeFailed: .error
            case .cannotListen, .listensElsewhere, .keyChanged, .peerCannotStore, .contactStoresTooMuch,
                .historyPutBack, .wordsEnded:
                .warning
            case .guestCame, .invitationUsed, .instanceLost, .instanceFound, .instanceSilent, .instanceHere,
                .settingsChanged:
                .info
            }
        default: .info
        }
    }
}

extension ChatEvent {
    /// The contact that it is about, where that is one.
    package var contact: ContactID? {
        switch self {
        case .messageAdded(let message), .messageChanged(let message): message.contact
        case .linkChanged(let contact, _), .typing(let contact, _), .messagesDeleted(let contact): contact
        default: nil
        }
    }
}
