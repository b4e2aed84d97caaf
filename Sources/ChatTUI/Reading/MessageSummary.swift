// A message in one line: for lists, quotes and titles.

import ChatCore
import ChatWords

enum MessageSummary {
    /// Bytes that are looked at: a row shows less, and a message of 64 KiB would be filtered whole for each picture.
    private static let limit = 2_048

    /// What it says, on one line; of a long text the beginning, or what is around the first of `words` in it.
    static func text(of message: ChatMessage, around words: [String] = []) -> SafeText {
        if message.isRetracted { return SafeText(literal: "(deleted)") }
        switch message.content {
        case .text(let text): return SafeText(part(of: ActionText.starred(text), around: words), as: .line)
        case .file(let transfer):
            let arrow = transfer.direction == .outgoing ? "↑ " : "↓ "
            let hash = transfer.sha256.map { " sha256 \(FileRows.shortHash($0))" } ?? ""
            return SafeText(arrow, as: .line) + SafeText(transfer.name, as: .fileName)
                + SafeText(" \(Units.size(transfer.size))\(hash)", as: .line)
        }
    }

    private static func part(of text: String, around words: [String] = []) -> String {
        guard text.utf8.count > limit else { return text }
        let text = words.isEmpty ? text : text.streamSafe
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        let lower = words.isEmpty ? "" : text.lowercased()
        // Letters that have another length in lower case move the place a little; there is room on both sides.
        let places = words.compactMap { lower.firstRange(of: $0.lowercased())?.lowerBound }
        if let first = places.min() {
            let distance = lower.unicodeScalars.distance(from: lower.startIndex, to: first) - limit / 8
            if distance > 0 { start = scalars.index(start, offsetBy: distance, limitedBy: scalars.endIndex) ?? start }
        }
        let end = scalars.index(start, offsetBy: limit / 2, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return (start > scalars.startIndex ? "…" : "") + String(scalars[start..<end])
    }

    /// The beginning of it as an answer quotes it.
    static func quote(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return SafeText(literal: "(deleted)") }
        switch message.content {
        case .text(let text):
            let lines = SafeText(part(of: ActionText.starred(text)), as: .multiline).lines()
            return lines.first { !$0.clusters.allSatisfy(\.isBlank) } ?? lines.first ?? .empty
        case .file(let transfer):
            // A folder is answered as a whole; which of its files has carried the answer says nothing.
            guard let place = transfer.place, let folder = place.path.split(separator: "/").first else {
                return SafeText(transfer.name, as: .fileName)
            }
            let end = SafeText("/ (\(Units.files(Int(clamping: place.files))))", as: .line)
            return .fileName(String(folder), end: end, width: .max)
        }
    }
}
