// The events that one reader has not taken yet, folded when too many wait. Pure.

/// Events in order. When a reader lets more than `limit` of them wait, we fold them: instead of each message and file, the reader
/// hears which conversations to read again, and the latest state of everything else. So no reader misses the end of what it
/// waits for.
package struct EventBacklog: Sendable {
    package static let limit = 10_000
    /// How many notices folding keeps, the newest ones.
    private static let notices = 100

    private var events: [ChatEvent]
    /// The reader has taken those before it. They leave the array together, so taking costs the same however many wait.
    private var first = 0
    private var allowance = Self.limit

    package init(_ events: [ChatEvent] = []) { self.events = events }

    package var count: Int { events.count - first }

    package mutating func append(_ event: ChatEvent) {
        events.append(event)
        if count > allowance { fold() }
    }

    /// Takes out the oldest ones.
    package mutating func take(atMost most: Int) -> [ChatEvent] {
        let taken = Array(events[first...].prefix(most))
        forget(taken.count)
        return taken
    }

    /// Takes out the oldest one.
    mutating func popFirst() -> ChatEvent? {
        guard first < events.count else { return nil }
        defer { forget(1) }
        return events[first]
    }

    private mutating func forget(_ taken: Int) {
        first += taken
        if first >= max(64, count) {
            events.removeFirst(first)
            first = 0
        }
        if count == 0 { allowance = Self.limit }
    }

    private mutating func fold() {
        var folded = FoldedEvents()
        for event in events[first...] { folded.take(event) }
        events = folded.events(notices: Self.notices)
        first = 0
        // With thousands of contacts that alone can be many.
        allowance = Self.limit + events.count
    }
}

/// Many events, folded into the latest state.
private struct FoldedEvents {
    private var contacts: [ContactID] = []
    private var seen: Set<ContactID> = []
    private var links: [ContactID: LinkState] = [:]
    private var typing: [ContactID: Bool] = [:]
    private var requests: [ContactRequest]?
    private var identity: LocalIdentity?
    private var notices: [ChatNotice] = []

    mutating func take(_ event: ChatEvent) {
        switch event {
        case .messageAdded(let message), .messageChanged(let message): changed(message.contact)
        case .messagesDeleted(let contact), .historyReplaced(let contact): changed(contact)
        case .linkChanged(let contact, let state): links[contact] = state
        case .typing(let contact, let isTyping): typing[contact] = isTyping
        case .requestsChanged(let all): requests = all
        case .identityChanged(let new): identity = new
        case .notice(let notice):
            notices.removeAll { $0 == notice }
            notices.append(notice)
        // The next progress of a file says where it is.
        case .transferProgress, .conversationsChanged: break
        }
    }

    private mutating func changed(_ contact: ContactID) {
        if seen.insert(contact).inserted { contacts.append(contact) }
    }

    /// `notices`: the most of them.
    func events(notices most: Int) -> [ChatEvent] {
        var events: [ChatEvent] = [.conversationsChanged]
        events += contacts.map { .historyReplaced($0) }
        events += links.map { .linkChanged($0.key, $0.value) }
        events += typing.map { .typing($0.key, $0.value) }
        if let requests { events.append(.requestsChanged(requests)) }
        if let identity { events.append(.identityChanged(identity)) }
        return events + notices.suffix(most).map { .notice($0) }
    }
}
