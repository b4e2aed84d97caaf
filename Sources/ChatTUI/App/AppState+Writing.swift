// What the input can do beside editing: pastes, typed lines, the editor, keys as they are, the last message again.

import ChatCore
import ChatWords

extension AppState {
    // MARK: Pastes

    /// A paste of several lines is one draft, and Enter asks before it goes out.
    mutating func insertPaste(_ text: String) {
        let lines = input.insertPaste(text)
        _ = withdrawPasteQuestion()
        guard input.text.utf8.count <= Self.textLimit else {
            return say("\(Units.size(UInt64(input.text.utf8.count))), too long for a message: \(fileKey) sends a file")
        }
        let asks = settings.pasteConfirmLines > 0 && lines > settings.pasteConfirmLines
        guard lines > 1, asks || isLongPaste(lines) else { return }
        let twice = asks ? " twice" : ""
        let advice =
            isLongPaste(lines)
            ? "\(sendKey)\(twice) sends it, \(fileKey) sends a file" : "\(sendKey)\(twice) sends them as one message"
        say("\(lines) lines, one draft: \(advice)")
    }

    /// What sends a draft that is too long for a message.
    var fileKey: String { key(.sendFile) }

    private var sendKey: String { key(.send) }

    private func isLongPaste(_ lines: Int) -> Bool {
        settings.pasteAsFileLines > 0 && lines > settings.pasteAsFileLines || input.text.utf8.count > Self.textLimit
    }

    /// Whether the draft may go out: the first Enter on a pasted one only asks.
    mutating func confirmsPaste(running command: SlashCommand? = nil) -> Bool {
        let lines = input.pastedLines
        // What is too long is refused, not asked about.
        let isSendable = command != nil || input.text.utf8.count <= Self.textLimit
        guard isSendable, settings.pasteConfirmLines > 0, lines > settings.pasteConfirmLines, !withdrawPasteQuestion()
        else { return true }
        hasAskedPaste = true
        let file = isLongPaste(lines) ? ", \(fileKey) as a file" : ""
        guard let command else {
            say(
                question: "\(lines) pasted lines: \(sendKey) again sends them as one message\(file)",
                short: "\(lines) lines? \(sendKey)")
            return false
        }
        say(
            question: "\(lines) pasted lines: \(sendKey) again runs /\(command.name); // in front sends them",
            short: "/\(command.name)? \(sendKey): yes")
        return false
    }

    /// The question of the first Enter is over, and is not to be read any more. `false` when there is none.
    mutating func withdrawPasteQuestion() -> Bool {
        guard hasAskedPaste else { return false }
        hasAskedPaste = false
        if status?.isQuestion == true { status = nil }
        return true
    }

    /// Ctrl-t on a long pasted draft, or one that is too long for a message. `false` when there is none.
    mutating func sendPasteAsFile(_ effects: inout [AppEffect]) -> Bool {
        guard !input.isEmpty, isLongPaste(input.pastedLines), let openID else { return false }
        let now = clock.civil(moment.wall)
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let name =
            "\(PastedFile.prefix)\(now.year)-\(digits(now.month))-\(digits(now.day))-\(digits(now.hour))\(digits(now.minute)).txt"
        effects.append(.run(.sendTextFile(input.text, name: name, to: openID)))
        input = InputLine()
        // What was said about the draft is over.
        status = nil
        draftChanged(&effects)
        return true
    }

    // MARK: The rows of the draft

    /// Moves the cursor to the row above or below, whether the user has ended it or the screen; `false` on the last one.
    mutating func moveByRow(_ step: Int) -> Bool {
        // More of it than the screen has room for.
        let box = InputBox(
            input, width: size.columns - ScreenLayout(self).promptWidth, maxRows: .max / 4,
            reordering: settings.reorders)
        let row = box.cursor.row + step
        guard box.rows.indices.contains(row) else {
            // Of a text that goes on beyond what is laid out.
            return step < 0 ? input.moveLineUp() : input.moveLineDown()
        }
        input.move(to: box.offset(at: Point(column: box.cursor.column, row: row)))
        return true
    }

    // MARK: What was typed before

    /// An entered line, for Up and Ctrl-r, also in the next runs.
    mutating func remember(_ line: String, _ effects: inout [AppEffect]) {
        history.limit = settings.historyCount
        if history.add(line) { effects.append(.keepLine(line)) }
    }

    /// Ctrl-r
    mutating func searchTyped() {
        guard !history.lines.isEmpty else {
            say("You have typed nothing yet")
            return
        }
        show(.typed(ListPane()))
    }

    /// Enter in the list: the line is in the input, the one before can be undone.
    mutating func takeTyped(_ pane: ListPane) {
        let lines = history.matches(pane.filter.text)
        guard lines.indices.contains(pane.selected) else { return }
        overlay = nil
        history.leave()
        input.replace(with: lines[pane.selected])
        draftChanged()
    }

    /// Up on an empty line with `up_edits_last`: the last own text is edited. `false` when there is none.
    mutating func editLast(_ effects: inout [AppEffect]) -> Bool {
        let last = openChat?.window.items.lazy.reversed().compactMap(\.message).first {
            $0.direction == .outgoing && !$0.isRetracted
        }
        guard let last, case .text = last.content else { return false }
        perform(.edit(nil), on: last, &effects)
        return true
    }

    // MARK: The editor

    mutating func openEditor(_ effects: inout [AppEffect]) {
        stopTyping(&effects)
        effects.append(.edit(input.text))
    }

    /// The user has left the editor.
    mutating func receive(_ outcome: EditorOutcome) {
        switch outcome {
        case .text(let text):
            guard text != input.text else { return }
            history.leave()
            input.replace(with: text)
            draftChanged()
        case .failed(let words): say(words, isError: true)
        }
    }
}

extension Key {
    /// What the key types behind Ctrl-v; `nil` for keys that are no characters.
    var literalText: String? {
        switch code {
        case .character(let text):
            guard modifiers.contains(.control), let scalar = text.unicodeScalars.first, scalar.isASCII else {
                return text
            }
            return String(UnicodeScalar(UInt8(scalar.value & 0x1F)))
        case .enter: return "\n"
        case .tab: return "\t"
        case .escape: return "\u{1B}"
        default: return nil
        }
    }
}
