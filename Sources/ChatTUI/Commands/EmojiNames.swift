// The names by which reactions are typed (`:+1:`), and what may be one.

import ChatCore

/// A small table: the names that chat programs share.
enum EmojiNames {
    static let table: [(name: String, emoji: String)] = [
        ("+1", "👍"), ("thumbsup", "👍"), ("-1", "👎"), ("thumbsdown", "👎"), ("ok_hand", "👌"), ("ok", "👌"),
        ("clap", "👏"), ("wave", "👋"), ("pray", "🙏"), ("thanks", "🙏"), ("muscle", "💪"), ("raised_hands", "🙌"),
        ("point_up", "☝"), ("handshake", "🤝"), ("heart", "❤"), ("broken_heart", "💔"), ("smile", "😄"),
        ("grin", "😁"), ("joy", "😂"), ("rofl", "🤣"), ("slightly_smiling_face", "🙂"), ("wink", "😉"),
        ("blush", "😊"), ("heart_eyes", "😍"), ("sunglasses", "😎"), ("thinking", "🤔"), ("neutral_face", "😐"),
        ("roll_eyes", "🙄"), ("unamused", "😒"), ("confused", "😕"), ("cry", "😢"), ("sob", "😭"), ("angry", "😠"),
        ("rage", "😡"), ("scream", "😱"), ("open_mouth", "😮"), ("astonished", "😲"), ("sleeping", "😴"),
        ("shrug", "🤷"), ("facepalm", "🤦"), ("eyes", "👀"), ("fire", "🔥"), ("100", "💯"), ("tada", "🎉"),
        ("rocket", "🚀"), ("star", "⭐"), ("sparkles", "✨"), ("zap", "⚡"), ("bulb", "💡"), ("bug", "🐛"),
        ("coffee", "☕"), ("beer", "🍺"), ("cake", "🍰"), ("sun", "☀"), ("warning", "⚠"), ("question", "❓"),
        ("exclamation", "❗"), ("check", "✅"), ("white_check_mark", "✅"), ("x", "❌"), ("no_entry", "⛔"),
        ("lock", "🔒"), ("key", "🔑"), ("hourglass", "⏳"), ("skull", "💀"), ("ghost", "👻"), ("robot", "🤖"),
        ("cat", "🐱"), ("dog", "🐶"),
    ]

    /// The emoji behind `:name:` or `name`, or the word itself when it is one character that is not plain text.
    static func emoji(for word: String) -> String? {
        let name = name(in: word)
        if let known = table.first(where: { $0.name == name }) { return known.emoji }
        let isEmoji = word.count == 1 && !word.unicodeScalars.contains { $0.isASCII }
        return isEmoji && word.utf8.count <= Reaction.limit && SafeText(word, as: .line).width > 0 ? word : nil
    }

    static func suggestion(for word: String) -> String? {
        Spelling.nearest(to: name(in: word), among: table.map(\.name))
    }

    private static func name(in word: String) -> String {
        var name = word.lowercased()[...]
        if name.hasPrefix(":") { name.removeFirst() }
        if name.hasSuffix(":") { name.removeLast() }
        return String(name)
    }
}
