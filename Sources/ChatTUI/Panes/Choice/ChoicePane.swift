// Lists from which one line is chosen: reactions, chats to forward to, pinned messages, links. Filtered while typing.

import ChatCore
import ChatWords

/// A list over the chat; Enter does what its kind is for.
struct ChoicePane: ListedPane {
    enum Kind: Sendable, Equatable {
        case reaction(to: ChatMessage)
        case forward([ChatMessage])
        /// `nil` until the store has answered.
        case pins([ChatMessage]?)
        case links([LinkItem]?)
    }

    var kind: Kind
    var list = ListPane()
    /// Tells answers apart.
    var generation = 0

    init(_ kind: Kind, filter: String = "", generation: Int = 0) {
        self.kind = kind
        list = ListPane(filter: filter)
        self.generation = generation
    }

    /// The store has not answered yet.
    var isWaiting: Bool {
        switch kind {
        case .pins(nil), .links(nil): true
        default: false
        }
    }

    var title: String {
        switch kind {
        case .reaction: "React with"
        case .forward(let messages): messages.count == 1 ? "Forward to" : "Forward \(messages.count) messages to"
        case .pins: "Pinned messages"
        case .links: "Links"
        }
    }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        ChoiceScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(title.lowercased() + ": type to filter, Enter picks the line", as: .line)
    }

    // MARK: Line mode

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        guard !isWaiting else { return [] }
        let choices = choices(in: state)
        guard !choices.isEmpty else { return [line("Nothing matches")] }
        if case .pins = kind {
            let pinned = choices.compactMap { if case .message(let message) = $0.target { message } else { nil } }
            return [line("\(title):")]
                + pinned.flatMap { MessageSentences(state: state, message: $0).lines(withDay: true) }
        }
        return [line("\(title):")] + choices.map { $0.line.spans.reduce(.empty) { $0 + $1.text } }
    }
}

/// Links as they were listed, for `/open N`.
struct ListedLinks: Sendable, Equatable {
    /// For so long a number means what it did in the list; later it counts from the newest link anew.
    static let validity = Duration.seconds(120)

    var contact: ContactID
    var items: [LinkItem]
    /// Uptime.
    var time: Duration
}

/// A link with the number by which `/open` knows it: 1 is the newest.
struct LinkItem: Sendable, Equatable {
    var number: Int
    var link: Link
    var message: ChatMessage

    /// All links of messages, newest first, each address once.
    static func all(in messages: [ChatMessage]) -> [LinkItem] {
        var items: [LinkItem] = []
        var seen: Set<Link> = []
        for message in messages where !message.isRetracted {
            let text: String
            switch message.content {
            case .text(let words): text = words
            case .file(let transfer): text = transfer.caption
            }
            // The last link of a message is the lowest, so it is the newest.
            for link in SafeText(text, as: .multiline).links.reversed() where seen.insert(link).inserted {
                items.append(LinkItem(number: items.count + 1, link: link, message: message))
            }
        }
        return items
    }
}

/// A line of a ChoicePane.
struct Choice: Sendable {
    var line: StyledLine
    /// The text of a message, after `line`: a screen shows it in display order.
    var said = SafeText.empty
    /// The text that the filter looks at.
    var words: String
    var target: Target

    enum Target: Sendable {
        case emoji(String?)
        case contact(ContactID)
        case message(ChatMessage)
        case link(Link)
    }
}
