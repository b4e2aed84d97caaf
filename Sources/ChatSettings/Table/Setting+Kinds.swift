// The kinds of settings: switches, numbers, choices, texts, sizes.

import ChatWords

extension Setting {
    typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    static func flag(
        _ key: String, _ place: Place<Bool>, _ summary: String, _ effect: Effect = .atOnce
    ) -> Setting {
        Setting(
            key: key, form: .flag, summary: summary, effect: effect,
            put: { configuration, value, _ in
                guard case .bool(let flag) = value else { return false }
                configuration[keyPath: place] = flag
                return true
            },
            value: { configuration, _ in .bool(configuration[keyPath: place]) })
    }

    static func number(
        _ key: String, _ range: ClosedRange<Int>, _ place: Place<Int>, _ summary: String, _ effect: Effect = .atOnce
    ) -> Setting {
        Setting(
            key: key, form: .number(range), summary: summary, effect: effect,
            put: { configuration, value, _ in
                guard let number = number(value, in: range) else { return false }
                configuration[keyPath: place] = number
                return true
            },
            value: { configuration, _ in .integer(Int64(configuration[keyPath: place])) })
    }

    /// A number, or `"auto"`.
    static func automatic(
        _ key: String, _ range: ClosedRange<Int>, _ place: Place<Int?>, _ summary: String, _ effect: Effect = .atOnce
    ) -> Setting {
        Setting(
            key: key, form: .choice(["auto"], or: .number(range)), summary: summary, effect: effect,
            put: { configuration, value, _ in
                let number = number(value, in: range)
                guard number != nil || value == .string("auto") else { return false }
                configuration[keyPath: place] = number
                return true
            },
            value: { configuration, _ in
                configuration[keyPath: place].map { .integer(Int64($0)) } ?? .string("auto")
            })
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ place: Place<Choice>, _ summary: String, _ effect: Effect = .atOnce
    ) -> Setting {
        Setting(
            key: key, form: .choice(of: Choice.self), summary: summary, effect: effect,
            put: { configuration, value, _ in
                guard case .string(let word) = value, let choice = Choice(rawValue: word) else { return false }
                configuration[keyPath: place] = choice
                return true
            },
            value: { configuration, _ in .string(configuration[keyPath: place].rawValue) })
    }

    /// A text of up to `limit` bytes that `accepts`; without control characters.
    static func text(
        _ key: String, _ place: Place<String>, form: Form, limit: Int = 4096, _ summary: String,
        _ effect: Effect = .atOnce, accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        Setting(
            key: key, form: form, summary: summary, effect: effect,
            put: { configuration, value, _ in
                guard case .string(let text) = value, isLine(text, limit: limit), accepts(text) else { return false }
                configuration[keyPath: place] = text
                return true
            },
            value: { configuration, _ in .string(configuration[keyPath: place]) })
    }

    /// A count of bytes: a whole number, or text like "500k"; 0 means something of its own.
    static func size(
        _ key: String, _ place: Place<UInt64>, _ summary: String, _ effect: Effect = .atOnce
    ) -> Setting {
        Setting(
            key: key, form: .size, summary: summary, effect: effect,
            put: { configuration, value, _ in
                guard let size = size(value) else { return false }
                configuration[keyPath: place] = size
                return true
            },
            value: { configuration, _ in .integer(Int64(clamping: configuration[keyPath: place])) })
    }

    // MARK: Values

    static func number(_ value: ConfigurationValue, in range: ClosedRange<Int>) -> Int? {
        guard case .integer(let number) = value, let number = Int(exactly: number), range.contains(number) else {
            return nil
        }
        return number
    }

    static func size(_ value: ConfigurationValue) -> UInt64? {
        switch value {
        case .integer(let number): UInt64(exactly: number)
        case .string(let text): Units.bytes(of: text).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
        case .bool: nil
        }
    }

    /// One line of at most `limit` bytes.
    static func isLine(_ text: String, limit: Int) -> Bool {
        text.utf8.count <= limit
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}
