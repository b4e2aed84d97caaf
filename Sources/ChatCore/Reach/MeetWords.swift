// Four words that two people say to each other, as they are typed, completed and written (REACH 1, 5 "Meeting"). Pure.

import BLIPNet

/// Four of the 2,048 words: 44 bits.
package struct MeetWords: Sendable, Hashable, CustomStringConvertible {
    /// How many they are.
    package static let count = 4
    /// So many letters tell a word from all others.
    private static let telling = 4

    /// Of each word, in the list.
    let indexes: [Int]

    /// Four words by chance.
    init(using generator: inout some RandomNumberGenerator) {
        indexes = (0..<Self.count).map { _ in Int.random(in: 0..<MeetWordList.all.count, using: &generator) }
    }

    /// Reads what somebody has typed: blanks or dashes between the words, any case, and of each word as much as tells it
    /// from the others; `nil` when it is not four words of the list.
    package init?(_ typed: String) {
        let parts = typed.split(omittingEmptySubsequences: true) { $0 == "-" || $0.isWhitespace }
        guard parts.count == Self.count else { return nil }
        var indexes: [Int] = []
        for part in parts {
            guard let index = Self.index(of: part.lowercased()) else { return nil }
            indexes.append(index)
        }
        self.indexes = indexes
    }

    /// In small letters with dashes between: the keys follow from this form.
    package var description: String { indexes.map { MeetWordList.all[$0] }.joined(separator: "-") }

    private static func index(of typed: String) -> Int? {
        if let whole = MeetWordList.all.firstIndex(of: typed) { return whole }
        guard typed.utf8.count >= telling else { return nil }
        return MeetWordList.all.firstIndex { $0.hasPrefix(typed) }
    }

    /// The words that begin as typed.
    package static func completions(of beginning: String) -> [String] {
        let beginning = beginning.lowercased()
        return MeetWordList.all.filter { $0.hasPrefix(beginning) }
    }

    /// Whether a text that is no address looks as if words were meant: letters, blanks and dashes alone, and perhaps a host.
    package static func isMeant(by text: String) -> Bool {
        let words = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        return words.contains(where: \.isLetter)
            && words.allSatisfy { $0.isLetter || $0 == "-" || $0.isWhitespace }
    }
}

/// An invitation as somebody says it: the words, and at which relay.
package struct SpokenInvitation: Sendable, Hashable, CustomStringConvertible {
    package var words: MeetWords
    /// The relay at which the host waits for them, by the name that was said; `nil`: at our user's relays, and in this
    /// network.
    package var place: MeetPlace?

    /// Reads `WORDS` or `WORDS@HOST[:PORT]`.
    package init?(_ typed: String) {
        let parts = typed.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let words = MeetWords(String(first)) else { return nil }
        self.words = words
        if parts.count > 1 {
            guard let place = MeetPlace(String(parts[1])) else { return nil }
            self.place = place
        }
    }

    package var description: String { "\(words)" + (place.map { "@\($0)" } ?? "") }
}

/// A relay by its name alone: the proofs reveal anybody in between.
package struct MeetPlace: Sendable, Hashable, Codable, CustomStringConvertible {
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST[:PORT]`.
    package init?(_ text: String) {
        let text = text.trimmingBlanks
        guard !text.isEmpty, let route = Route(text), case .direct = route,
            case .host(let host, let port)? = Endpoint(text, defaultPort: RelayRoute.defaultPort), port > 0
        else { return nil }
        self.init(host: host, port: port)
    }

    package var description: String { port == RelayRoute.defaultPort ? host : "\(Endpoint.host(host, port: port))" }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
