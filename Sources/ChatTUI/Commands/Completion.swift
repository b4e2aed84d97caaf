// Tab: finds out what is before the cursor, and offers what it may become.

import ChatCore
import ChatWords

/// A completion under way: a list that Tab walks through, or a folder that is being read.
struct Completion: Sendable, Equatable {
    struct Candidate: Sendable, Equatable {
        /// The text that the list shows.
        var label: String
        /// The text that replaces the typed word, unquoted.
        var value: String
        /// A folder: completion continues inside.
        var isFolder = false
    }

    /// Where the word begins, in clusters.
    var start: Int
    var candidates: [Candidate] = []
    /// The one that is in the input; `nil` while only their common beginning is.
    var selected: Int?
    /// The folder listing that it waits for.
    var generation: Int?
    /// While waiting: the folder as typed and the beginning of the name.
    var folder = ""
    var prefix = ""
}

/// The word before the cursor, and what it can be.
struct CompletionContext: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case command, commandArgument, contact, path, request, setting, action, key, alias, emoji, spoken, nothing
        /// The names of filters, which a value follows directly.
        case filter([String])
        /// One that the command can be about.
        case transfer(SlashVerb)
        case oneOf([String])
        /// One of the few values of a setting.
        case value(of: String)
    }

    var kind: Kind
    /// The typed beginning, without quotes.
    var word: String
    /// Where it begins, in clusters.
    var start: Int

    init(textBeforeCursor text: String) {
        let isCommand = text.hasPrefix("/") && !text.hasPrefix("//")
        let token = isCommand ? Self.lastToken(of: text) : Self.lastWord(of: text)
        word = token.value
        start = token.start
        if let colon = Self.emojiStart(of: text) {
            kind = .emoji
            word = String(text[colon...])
            start = text.distance(from: text.startIndex, to: colon)
            return
        }
        guard isCommand else {
            kind = word.isEmpty ? .nothing : .contact
            return
        }
        guard token.index > 0 else {
            kind = .command
            word = String(word.dropFirst())
            start += 1
            return
        }
        let name = text.dropFirst().prefix { !$0.isWhitespace }
        let command = SlashCommands.named(String(name))
        switch command?.argument(at: token.index - 1, in: text) {
        case .contact where command?.verb == .notify: kind = Self.notification(after: token.previous)
        case .contact: kind = .contact
        case .path: kind = .path
        case .transfer: kind = command.map { .transfer($0.verb) } ?? .nothing
        case .oneOf(let words): kind = .oneOf(words)
        case .request: kind = .request
        case .command: kind = .commandArgument
        case .setting: kind = .setting
        case .settingValue: kind = .value(of: token.previous)
        case .theme: kind = .value(of: "ui.theme")
        case .action: kind = .action
        case .key: kind = .key
        case .alias: kind = .alias
        case .spoken: kind = .spoken
        case .text, .word, nil: kind = .nothing
        }
        if command?.verb == .search { completeFilter() }
        if kind == .spoken { completeSpoken() }
    }

    /// The value of a filter of a search: `from:al`, `has:`.
    private mutating func completeFilter() {
        let values: [(filter: String, kind: Kind)] = [
            ("from:", .contact), ("in:", .contact), ("has:", .oneOf(["file", "link"])), ("is:", .oneOf(["unread"])),
        ]
        let typed = word.lowercased()
        guard let found = values.first(where: { typed.hasPrefix($0.filter) }) else {
            let filters = values.map(\.filter) + ["after:", "before:", "on:"]
            if !typed.isEmpty, filters.contains(where: { $0.hasPrefix(typed) }) { kind = .filter(filters) }
            return
        }
        kind = found.kind
        word = String(word.dropFirst(found.filter.count))
        start += found.filter.count
    }

    /// The last one of words with dashes between them.
    private mutating func completeSpoken() {
        guard let dash = word.lastIndex(of: "-") else { return }
        start += word.distance(from: word.startIndex, to: word.index(after: dash))
        word = String(word[word.index(after: dash)...])
    }

    /// The kind of argument after a word of /notify: whose messages, or a value.
    private static func notification(after word: String) -> Kind {
        switch word.lowercased() {
        case "off", "mention", "all", "default": .contact
        case "desktop": .value(of: "notify.desktop")
        case "text": .oneOf(["on", "off"])
        default: .nothing
        }
    }

    /// Where a `:na` or a `:name:` begins that ends at the end of `text`: a colon after a blank, with two letters of a
    /// name.
    private static func emojiStart(of text: String) -> String.Index? {
        let open = text.hasSuffix(":") ? text.dropLast() : text[...]
        guard let colon = open.lastIndex(of: ":") else { return nil }
        let name = open[open.index(after: colon)...]
        guard name.count >= 2, name.allSatisfy({ $0.isLetter || $0.isNumber || "_+-".contains($0) }) else { return nil }
        guard colon > text.startIndex else { return colon }
        return text[text.index(before: colon)].isWhitespace ? colon : nil
    }

    /// The same for the words in front of it together with it, longest first: names may have several. Of a command only
    /// from an argument on that is a contact, unless it is quoted.
    static func phrases(before text: String) -> [(word: String, start: Int)] {
        let isCommand = text.hasPrefix("/") && !text.hasPrefix("//")
        let characters = Array(text)
        guard let last = characters.last, !last.isWhitespace else { return [] }
        var starts = characters.indices.filter { index in
            !characters[index].isWhitespace && (index == 0 || characters[index - 1].isWhitespace)
        }
        if isCommand {
            let name = String(text.dropFirst().prefix { !$0.isWhitespace })
            let command = SlashCommands.named(name)
            starts = starts.dropFirst().enumerated().filter { number, _ in
                if case .contact? = command?.argument(at: number, in: text) { true } else { false }
            }.map(\.element)
            // The text comes after WHO.
            if case .text? = command?.arguments.last { starts = Array(starts.prefix(1)) }
        }
        return starts.suffix(phraseLimit).compactMap { start in
            let opened = isCommand ? 0 : characters[start...].prefix { openers.contains($0) }.count
            let words = characters[(start + opened)...].split(whereSeparator: \.isWhitespace).map { String($0) }
            let word = words.joined(separator: " ")
            return words.count > 1 && !word.contains("\"") ? (word, start + opened) : nil
        }
    }

    /// Characters that may come before a word and are no part of it.
    private static let openers: Set<Character> = ["\"", "'", "(", "[", "{", "<", "„", "“", "‘", "«"]

    /// Names of more words are completed word by word.
    private static let phraseLimit = 4

    /// The word that ends at the end of a message: whatever opens it is no part of it.
    private static func lastWord(of text: String) -> (index: Int, start: Int, value: String, previous: String) {
        let word = String(text.reversed().prefix { !$0.isWhitespace }.reversed())
        let value = word.drop { openers.contains($0) }
        return (0, text.count - value.count, String(value), "")
    }

    /// The word that ends at the end of `text`, read as ArgumentScanner reads it; empty after a blank. `previous` is
    /// the word in front of it.
    private static func lastToken(of text: String) -> (index: Int, start: Int, value: String, previous: String) {
        var previous = ""
        var index = -1
        var start = 0
        var value = ""
        var isInside = false
        var quote: Character?
        var isEscaped = false
        var count = 0
        for character in text {
            defer { count += 1 }
            if !isInside {
                if character.isWhitespace { continue }
                isInside = true
                index += 1
                start = count
                previous = value
                value = ""
                if character == "\"" || character == "'" {
                    quote = character
                    continue
                }
            }
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if character == "\\" && quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { value.append(character) }
            } else if character.isWhitespace {
                isInside = false
            } else {
                value.append(character)
            }
        }
        return isInside ? (index, start, value, previous) : (index + 1, count, "", value)
    }
}

extension Completion {
    /// The longest beginning that all values share.
    static func commonPrefix(of values: [String]) -> String {
        guard var prefix = values.first.map(Array.init) else { return "" }
        for value in values.dropFirst() {
            let other = Array(value)
            var length = 0
            while length < prefix.count, length < other.count, prefix[length] == other[length] { length += 1 }
            prefix.removeLast(prefix.count - length)
        }
        return String(prefix)
    }

    /// The entries of a folder that begin with `prefix`; hidden ones only when it begins with a dot.
    static func candidates(in listing: FileListing, folder: String, prefix: String) -> [Candidate] {
        listing.entries.filter { entry in
            entry.name.hasPrefix(prefix) && (prefix.hasPrefix(".") || !entry.name.hasPrefix("."))
        }.map { entry in
            let name = entry.isFolder ? entry.name + "/" : entry.name
            return Candidate(label: name, value: folder + name, isFolder: entry.isFolder)
        }
    }
}
