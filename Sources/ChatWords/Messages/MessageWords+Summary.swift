// A message in one line: for lists, quotes and titles.

package import ChatCore

extension MessageWords {
    /// We read this many bytes: a row shows less, and a message of 64 KiB would be filtered whole for each picture.
    private static let limit = 2_048

    /// The message on one line; of a long text the beginning, or the part around the first of `words` in it.
    package static func summary(of message: ChatMessage, around words: [String] = []) -> SafeText {
        if message.isRetracted { return deleted }
        switch message.content {
        case .text(let text): return SafeText(part(of: ActionText.starred(text), around: words), as: .line)
        case .file(let transfer):
            let file = FileWords(transfer)
            return SafeText("\(file.arrow) ", as: .line) + file.name
                + SafeText(" \(file.size)\(file.hash.map { " \($0)" } ?? "")", as: .line)
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
    package static func quote(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return deleted }
        switch message.content {
        case .text(let text):
            let lines = SafeText(part(of: ActionText.starred(text)), as: .multiline).lines()
            return lines.first { !$0.clusters.allSatisfy(\.isBlank) } ?? lines.first ?? .empty
        // A folder is answered as a whole; which of its files has carried the answer says nothing.
        case .file(let transfer): return FileWords(transfer).title(width: .max)
        }
    }

    /// Its first words, in a sentence about it.
    package static func beginning(of message: ChatMessage) -> SafeText {
        if message.isRetracted { return deleted }
        return switch message.content {
        case .text(let raw): SafeText(written(raw, .bare), as: .line).truncated(to: 60)
        case .file: quote(of: message)
        }
    }
}
