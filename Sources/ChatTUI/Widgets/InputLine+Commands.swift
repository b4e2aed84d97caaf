// The editing commands on an input line: shared by the chat's input and the filter lines of overlays.

extension InputLine {
    /// The effect of an editing command.
    enum Outcome: Equatable {
        /// Not an editing command; nothing changed.
        case ignored
        case done
        /// The text belongs into the kill ring.
        case killed(String, KillRing.Direction)
    }

    /// Carries out an editing command. `yanking` is what `.yank` puts in; `reordering`: right-to-left text is shown in the
    /// order in which it is read, so in a line that runs to the left, left is forward.
    mutating func perform(_ command: AppCommand, yanking: String? = nil, reordering: Bool) -> Outcome {
        switch command {
        case .left, .right:
            let isForward = (command == .right) != (reordering && runsLeft)
            move(to: cursor + (isForward ? 1 : -1))
        case .wordLeft: move(to: wordStart)
        case .wordRight: move(to: wordEnd)
        case .lineStart: move(to: lineStart)
        case .lineEnd: move(to: lineEnd)
        case .deleteBackward: deleteBackward()
        case .deleteForward: deleteForward()
        case .killBlankWord: return .killed(kill(to: blankWordStart), .backward)
        case .killWordBackward: return .killed(kill(to: wordStart), .backward)
        case .killWordForward: return .killed(kill(to: wordEnd), .forward)
        case .killToStart: return .killed(kill(to: lineStart), .backward)
        case .killToEnd:
            // At the end of a line it takes the line end, as readline's users expect in a text of several lines.
            return .killed(kill(to: cursor == lineEnd ? cursor + 1 : lineEnd), .forward)
        case .yank: insert(yanking ?? "")
        case .undo: undo()
        default: return .ignored
        }
        return .done
    }
}
