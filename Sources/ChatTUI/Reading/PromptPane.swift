// A question that is asked in the place of the input: words to find, a day to go to.

import ChatCore
import ChatWords

/// One field; Enter answers, Esc gives up.
struct PromptPane: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        case find(older: Bool)
        case date
    }

    var purpose: Purpose
    var field = InputLine()

    init(purpose: Purpose) { self.purpose = purpose }

    /// Where /goto and `t` lead.
    static let days = "friday, 3 days ago, 20 Nov, 2026-11-20, first, last, unread, #ID"

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
        case .date: Self.days
        }
    }
}

extension AppState {
    mutating func performInPrompt(_ command: AppCommand, _ pane: inout PromptPane, _ effects: inout [AppEffect]) {
        switch command {
        case .choose:
            let text = pane.field.text
            if case .date = pane.purpose, !text.isEmpty, place(named: text) == nil {
                if returnsLine(in: text, &effects) { return }
                say("\(SafeText(text, as: .name).text) is not a day (\(PromptPane.days))", isError: true)
                break
            }
            overlay = nil
            // What was refused before is mended.
            if status?.isError == true { status = nil }
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
