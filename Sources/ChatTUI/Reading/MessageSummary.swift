// A message in one line: for lists, quotes and titles.

import ChatCore

enum MessageSummary {
    /// What it says, on one line.
    static func text(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return SafeText(literal: "(deleted)") }
        switch message.content {
        case .text(let text): return SafeText(ActionText.starred(text), as: .line)
        case .file(let transfer):
            let arrow = transfer.direction == .outgoing ? "↑ " : "↓ "
            let hash = transfer.sha256.map { " sha256 \(FileRows.shortHash($0))" } ?? ""
            return SafeText(arrow, as: .line) + SafeText(transfer.name, as: .fileName)
                + SafeText(" \(Units.size(transfer.size))\(hash)", as: .line)
        }
    }

    /// The beginning of it as an answer quotes it.
    static func quote(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return SafeText(literal: "(deleted)") }
        switch message.content {
        case .text(let text):
            let lines = SafeText(ActionText.starred(text), as: .multiline).lines()
            return lines.first { !$0.clusters.allSatisfy(\.isBlank) } ?? lines.first ?? .empty
        case .file(let transfer): return SafeText(transfer.name, as: .fileName)
        }
    }
}
