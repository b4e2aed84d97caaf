// Texts that went through the filter lately: every picture is drawn anew, and nearly all of its texts were in the last.

import Synchronization

/// Remembers what the filter made of a text. It makes the same of it each time, so nobody can tell but by the clock.
package enum FilteredTexts {
    /// Clusters that each of two generations may hold (40 bytes each): as much as is not ASCII on most screens.
    package static let limit = 4_096

    private struct Key: Hashable {
        let raw: String
        let kind: SafeText.Kind
        let rules: TextWidth.Rules

        static func == (left: Self, right: Self) -> Bool {
            left.kind == right.kind && left.rules == right.rules && left.raw.isSameBytes(as: right.raw)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            hasher.combine(rules)
            let done: Void? = raw.utf8.withContiguousStorageIfAvailable {
                hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if done == nil { for byte in raw.utf8 { hasher.combine(byte) } }
        }
    }

    /// The texts that were used since the last change of generations, and those used only before it.
    private struct Memory {
        var young: [Key: SafeText] = [:]
        var old: [Key: SafeText] = [:]
        var youngCount = 0

        mutating func find(_ key: Key) -> SafeText? {
            if let text = young[key] { return text }
            guard let text = old[key] else { return nil }
            add(text, for: key)
            return text
        }

        mutating func add(_ text: SafeText, for key: Key) {
            guard text.clusters.count <= FilteredTexts.limit else { return }
            if youngCount + text.clusters.count > FilteredTexts.limit {
                old = young
                young = [:]
                youngCount = 0
            }
            young[key] = text
            youngCount += text.clusters.count
        }
    }

    private static let memory = Mutex(Memory())

    /// The text that `filter` makes of `raw` by the `rules`, from memory where it is there.
    package static func text(
        _ raw: String, as kind: SafeText.Kind, _ rules: TextWidth.Rules, filter: () -> SafeText
    ) -> SafeText {
        let key = Key(raw: raw, kind: kind, rules: rules)
        if let known = memory.withLock({ $0.find(key) }) { return known }
        let text = filter()
        memory.withLock { $0.add(text, for: key) }
        return text
    }
}
