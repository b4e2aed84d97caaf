// What people write to each other, by arithmetic: words by frequency (Zipf) in several languages and scripts, emoji, links,
// code, several lines.

/// An endless row of texts.
struct GeneratedText: Sendable {
    private var random: SplitMix
    /// Made-up words after the real ones: a language has rare words, too.
    private let vocabulary: [String]

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        var words = SplitMix(seed: 0x5EED)
        let syllables = [
            "ba", "ko", "mi", "ter", "lo", "san", "ri", "vel", "tion", "ing", "pre", "con", "de", "ma", "tu", "shi",
            "ple", "gra", "nor", "wes", "kal", "fin", "po", "que",
        ]
        var vocabulary = Self.english
        while vocabulary.count < 20_000 {
            vocabulary.append((0..<(2 + words.below(3))).map { _ in syllables[words.below(syllables.count)] }.joined())
        }
        self.vocabulary = vocabulary
    }

    mutating func next() -> String {
        switch random.below(100) {
        case 0..<6: chinese()
        case 6..<10: japanese()
        case 10..<12: joined(Self.korean, 2 + random.below(6))
        case 12..<17: joined(Self.hebrew, 2 + random.below(7))
        case 17..<21: joined(Self.russian, 2 + random.below(8))
        case 21..<25: joined(Self.german, 2 + random.below(8))
        case 25..<32: sentence() + " " + Self.emoji[random.below(Self.emoji.count)]
        case 32..<35: Self.emoji[random.below(Self.emoji.count)]
        case 35..<39: sentence() + " https://example.org/" + word() + "/" + word() + "?id=\(random.below(9999))"
        case 39..<41: "let \(word())_\(word()) = \(random.below(1000)) // \(sentence())"
        case 41..<44: sentence() + "\n" + sentence() + "\n- " + sentence()
        default: sentence()
        }
    }

    mutating func fileName(_ number: Int) -> String {
        let kinds = ["jpg", "pdf", "txt", "tar.gz", "mp4", "docx", "log", "png"]
        return "\(word())-\(word())-\(number).\(kinds[random.below(kinds.count)])"
    }

    // MARK: Parts

    /// The n-th word of a language is about n times as rare as the first.
    private mutating func word() -> String {
        let share = Double(random.next() >> 11) / Double(UInt64(1) << 53)
        // The inverse of the sum of 1/n, roughly: e^(share * ln N).
        let rank = Self.power(Double(vocabulary.count), share)
        return vocabulary[min(vocabulary.count - 1, max(0, Int(rank) - 1))]
    }

    /// `base` to the power of 0...1, by halving: no mathematics library, and the same on every machine.
    private static func power(_ base: Double, _ exponent: Double) -> Double {
        var result = 1.0
        var root = base
        var rest = exponent
        for _ in 0..<40 {
            root = root.squareRoot()
            rest *= 2
            if rest >= 1 {
                result *= root
                rest -= 1
            }
        }
        return result
    }

    private mutating func sentence() -> String {
        let count = 1 + random.below(6) + random.below(8)
        var text = (0..<count).map { _ in word() }.joined(separator: " ")
        switch random.below(6) {
        case 0: text += "?"
        case 1: text += "!"
        case 2: text += "..."
        default: break
        }
        return text
    }

    private mutating func joined(_ words: [String], _ count: Int) -> String {
        (0..<count).map { _ in words[random.below(words.count)] }.joined(separator: " ")
    }

    private mutating func chinese() -> String {
        (0..<(2 + random.below(6))).map { _ in Self.chineseWords[random.below(Self.chineseWords.count)] }.joined() + "。"
    }

    private mutating func japanese() -> String {
        (0..<(2 + random.below(4))).map { _ in Self.japaneseWords[random.below(Self.japaneseWords.count)] }.joined()
            + "です"
    }

    private static let english = [
        "the", "to", "a", "is", "it", "you", "I", "and", "of", "that", "in", "for", "on", "not", "can", "we", "this",
        "be",
        "have", "with", "just", "so", "what", "but", "my", "do", "at", "if", "are", "was", "will", "me", "your", "as",
        "there", "now", "think", "know", "time", "today", "tomorrow", "meeting", "build", "log", "server", "deploy",
        "fix",
        "test", "file", "send", "please", "thanks", "okay", "sure", "maybe", "later", "lunch", "coffee", "home",
        "train",
        "weekend", "photo", "video", "link", "password", "key", "report", "invoice", "ticket", "release", "branch",
        "merge",
        "error", "crash", "memory", "network", "message", "phone", "call", "plan", "project", "budget", "holiday",
        "rain",
        "sunshine", "garden", "bicycle", "music", "guitar", "recipe", "café", "naïve", "résumé", "Zoë's", "don't",
        "it's",
    ]
    private static let german = [
        "ich", "nicht", "heute", "morgen", "Straße", "schön", "können", "wäre", "Grüße", "Tschüss", "Übung", "Bahnhof",
    ]
    private static let russian = ["привет", "завтра", "хорошо", "сервер", "работает", "нет", "да", "встреча", "письмо"]
    private static let hebrew = ["שלום", "מה", "נשמע", "תודה", "מחר", "בסדר", "קובץ", "פגישה", "אני", "בבית", "עכשיו"]
    private static let korean = ["안녕하세요", "회의", "오늘", "내일", "주간회의", "감사합니다", "점심", "파일", "보내주세요"]
    private static let chineseWords = [
        "今天", "明天", "会议", "天气", "很好", "文件", "发送", "服务器", "没有", "可以", "谢谢", "我们", "照片", "项目", "错误",
    ]
    private static let japaneseWords = [
        "昨日", "今日", "会議", "天気", "とても", "ファイル", "送信", "サーバー", "ありがとう", "写真", "良かった", "東京",
    ]
    private static let emoji = ["👍", "🎉", "😀", "❤️", "🙏", "🔥", "👨‍👩‍👧", "🇩🇪", "👍🏽", "☕", "🚀", "🐛"]
}
