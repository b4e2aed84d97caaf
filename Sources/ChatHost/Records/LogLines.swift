// The lines of a log about what happens in a chat: of `serve` on standard error, and of every chat in its home.

package import ChatCore
import ChatWords

/// Makes the lines of one log, in order. It reads the contacts again when their names may have changed, but spends at most a
/// tenth of the time on that: with thousands of contacts reading takes long, and each message changes a conversation.
package struct LogLines: Sendable {
    private let read: @Sendable () async -> ContactDirectory?
    private var contacts: ContactDirectory?
    private var isStale = true
    private var next = ContinuousClock.now

    package init(of chat: any ChatService) { self.init { try? await chat.directory() } }

    init(reading read: @escaping @Sendable () async -> ContactDirectory?) { self.read = read }

    /// The line about an event; `nil`: nothing is written about it.
    package mutating func line(about event: ChatEvent) async -> LogLine? {
        switch event {
        case .conversationsChanged: isStale = true
        case .transferProgress, .typing, .identityChanged, .historyReplaced: break
        default:
            await readContacts(knowing: event.contact)
            guard let text = contacts.flatMap({ EventRecord.logLine(of: event, $0) }) else { return nil }
            return LogLine(level: EventRecord.logLevel(of: event), text: text)
        }
        return nil
    }

    /// `contact`: whom the next line is about.
    private mutating func readContacts(knowing contact: ContactID?) async {
        guard isStale else { return }
        let begun = ContinuousClock.now
        let isKnown = contact.map { contacts?.knows($0) == true } ?? true
        guard begun >= next || !isKnown else { return }
        // A chat that has ended answers no more: the names that are known have to do.
        guard let found = await read() else { return }
        contacts = found
        isStale = false
        next = .now + (.now - begun) * 9
    }
}
