// Names that the user gave to lines: /alias and [alias].

import ChatWords

/// The lines that aliases mean. A line that begins with `/` is a command, any other is sent as a message.
enum SlashAlias {
    /// The line with the arguments in the places of `$1` to `$9` and `$*`, or after it when it has no such place. The
    /// highest number takes everything that is left: no word is dropped.
    static func expand(_ line: String, arguments: String) -> String {
        let highest = (1...9).last { line.contains("$\($0)") } ?? 0
        var scanner = ArgumentScanner(arguments)
        var words: [String] = []
        while words.count + 1 < highest, let word = scanner.next() { words.append(word) }
        // One word alone has no quotes, like those before it.
        var last = scanner
        if let word = last.next() { words.append(last.remainder() == nil ? word : scanner.remainder() ?? word) }
        var text = ""
        var hasPlace = false
        var rest = line[...]
        while let character = rest.popFirst() {
            guard character == "$", let next = rest.first, next == "*" || ("1"..."9").contains(next) else {
                text.append(character)
                continue
            }
            hasPlace = true
            rest.removeFirst()
            if next == "*" {
                text += arguments
            } else if let number = next.wholeNumberValue, words.indices.contains(number - 1) {
                text += words[number - 1]
            }
        }
        if !hasPlace, !arguments.isEmpty { text += " " + arguments }
        return text
    }

    /// The error in an alias, in words; `nil` when it is right.
    static func problem(name: String, line: String) -> String? {
        let shown = SafeText(name, as: .name).text
        let isName =
            !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
            }
        guard isName else { return "\(shown) is not a name for an alias (letters, digits, - and _)" }
        if SlashCommands.named(name) != nil || SlashCommands.planned.contains(name.lowercased()) {
            return "/\(shown) is already a command"
        }
        guard line.hasPrefix("/"), !line.hasPrefix("//") else { return line.isEmpty ? "the line is missing" : nil }
        let target = String(line.dropFirst().prefix { !$0.isWhitespace })
        if SlashCommands.named(target) == nil {
            let near = SlashCommands.suggestion(for: target).map { ", did you mean /\($0)?" } ?? ""
            return
                "there is no command /\(SafeText(target, as: .name).text) (an alias runs a command, not another alias)\(near)"
        }
        return nil
    }
}
