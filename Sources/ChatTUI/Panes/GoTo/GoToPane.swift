// Alt-k: another chat, by a part of its name.

import ChatCore
import ChatWords

/// The contacts to go to.
struct GoToPane: ListedPane {
    var list = ListPane()
    var overlay: Overlay { .goTo(self) }
    var chooseWords: String? { "open" }
    var ignoresSlash: Bool { true }

    private func matches(in state: AppState) -> [Chat] { GoToPane.goToMatches(list.filter.text, state) }

    func count(in state: AppState) -> Int { matches(in: state).count }

    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        guard let contact = contactUnderCursor(in: state) else { return .stays }
        ChatSwitching.open(contact, &state, &effects)
        return .left
    }

    func contactUnderCursor(in state: AppState) -> ContactID? {
        let matches = matches(in: state)
        return matches.indices.contains(list.selected) ? matches[list.selected].id : nil
    }

    mutating func keepCursor(on contact: ContactID, in state: AppState) {
        list.selected = matches(in: state).firstIndex { $0.id == contact } ?? -1
    }

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        PickerScreen(title: "Go to", pane: list, lines: lines(state, layout), layout: layout).draw(on: &canvas)
    }

    /// With thousands of contacts only the lines that are seen are made.
    private func lines(_ state: AppState, _ layout: ScreenLayout) -> [StyledLine] {
        let matches = matches(in: state)
        let seen = PickerScreen.visible(list, count: matches.count, in: layout)
        let width = ChoiceScreen.nameWidth(of: matches[seen], in: layout)
        return matches.indices.map { seen.contains($0) ? line(matches[$0], state, nameWidth: width) : StyledLine() }
    }

    private func line(_ chat: Chat, _ state: AppState, nameWidth: Int) -> StyledLine {
        let number = state.world.chatIndex(chat.id).map { "\($0 + 1) " } ?? ""
        var line = StyledLine(number, Theme.quiet)
        line.add(chat.name.padded(to: nameWidth))
        line.add(" ")
        line.add(chat.linkWords)
        if chat.isUnread { line.add("  \(chat.conversation.unreadCount) new", Theme.unread) }
        return line
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(literal: "go to: type a part of the name, Enter opens the chat")
    }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        matches(in: state).map { line($0, state, nameWidth: $0.name.width).text }
    }
}

extension GoToPane {
    /// The chats that a go-to filter leaves, best first.
    static func goToMatches(_ filter: String, _ state: AppState) -> [Chat] {
        FuzzyMatch.ranked(ChatOrder.indices(state).map { state.world.chats[$0] }, filter, \.peer.name)
    }

    /// The chats of the list beside the open chat, as indices: all, or what the filter of the go-to leaves.
    static func listedChats(_ state: AppState) -> [Int] {
        guard case .goTo(let pane) = state.place.overlay else { return ChatOrder.indices(state) }
        return ChatOrder.indices(state).filter {
            FuzzyMatch.score(pane.list.filter.text, in: state.world.chats[$0].peer.name) != nil
        }
    }
}

extension Chat {
    /// How the link is, for lists of contacts; whom we refuse has none.
    var linkWords: StyledLine {
        if peer.isBlocked { return StyledLine(" blocked", Theme.error) }
        return StyledLine(" " + Sentences.words(for: link), Theme.link(link))
    }
}
