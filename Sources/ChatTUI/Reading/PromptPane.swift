// A question that is asked in the place of the input: words to find, a day to go to.

import ChatCore

/// One field; Enter answers, Esc gives up.
struct PromptPane: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        case find(older: Bool)
        case date
    }

    var purpose: Purpose
    var field = InputLine()

    init(purpose: Purpose) { self.purpose = purpose }

    var label: String {
        switch purpose {
        case .find(older: true): "/"
        case .find(older: false): "?"
        case .date: "go to day: "
        }
    }

    var help: String {
        switch purpose {
        case .find(older: true): "find in this chat, upwards; empty: the last search again"
        case .find(older: false): "find in this chat, downwards; empty: the last search again"
        case .date: "2026-11-20, 2026-11, yesterday, first, last, unread or #ID"
        }
    }
}

extension AppState {
    mutating func performInPrompt(_ command: AppCommand, _ pane: inout PromptPane, _ effects: inout [AppEffect]) {
        switch command {
        case .choose:
            overlay = nil
            let text = pane.field.text
            switch pane.purpose {
            case .find(let older): find(text, towardsOlder: older, &effects)
            case .date: if !text.isEmpty { goTo(text, &effects) }
            }
            return
        case .clear: pane.field.replace(with: "")
        default:
            if pane.field.perform(command, yanking: killRing.newest, reordering: settings.reorders) == .ignored {
                return
            }
        }
        overlay = .prompt(pane)
    }
}
