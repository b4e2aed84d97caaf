// How long messages are kept (PRODUCT, "Config", `[history] keep`): forever unless somebody says otherwise.

/// A limit for the age of messages.
package enum Retention: Sendable, Hashable, Codable {
    case forever
    /// Messages are deleted when they were stored more days ago; at least 1.
    case days(Int)

    /// A hundred years: more is a typing mistake.
    package static let maximumDays = 36_500

    /// `forever`, or a number of days from 1.
    package init?(_ text: String) {
        if text.lowercased() == "forever" {
            self = .forever
        } else if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let days = Int(text),
            (1...Self.maximumDays).contains(days)
        {
            self = .days(days)
        } else {
            return nil
        }
    }

    /// The text that `init` reads.
    package var text: String {
        switch self {
        case .forever: "forever"
        case .days(let days): String(days)
        }
    }

    /// Whether messages go sooner than with `other`.
    func isShorter(than other: Retention) -> Bool {
        switch (self, other) {
        case (.forever, _): false
        case (.days, .forever): true
        case (.days(let days), .days(let others)): days < others
        }
    }

    /// Messages stored before this are too old; `nil`: none is.
    package func limit(at now: Timestamp) -> Timestamp? {
        guard case .days(let days) = self else { return nil }
        let age = Int64(min(max(days, 1), Self.maximumDays)) * 86_400_000
        let (limit, overflow) = now.milliseconds.subtractingReportingOverflow(age)
        return overflow ? nil : Timestamp(milliseconds: limit)
    }
}

/// The rules of the configuration; a conversation's own limit, set by a command, takes precedence.
package struct RetentionRules: Sendable, Equatable {
    package var standard: Retention
    /// By contact name, folded as names are compared.
    package private(set) var byName: [String: Retention]

    package init(standard: Retention = .forever, byName: [String: Retention] = [:]) {
        self.standard = standard
        self.byName = Dictionary(byName.map { (ContactNames.folded($0.key), $0.value) }) { _, last in last }
    }

    /// The retention that holds for a conversation.
    package func retention(named name: String, own: Retention?) -> Retention {
        own ?? byName[ContactNames.folded(name)] ?? standard
    }

    /// Gives `new` the retention of `old`, too, when there is one.
    mutating func copy(_ old: String, to new: String) {
        if let retention = byName[ContactNames.folded(old)] { byName[ContactNames.folded(new)] = retention }
    }

    mutating func remove(_ name: String) { byName[ContactNames.folded(name)] = nil }

    /// Whether there may be messages that are too old now, and were not under the rules of `before`.
    package func deletesMore(than before: RetentionRules) -> Bool {
        let names = Set(byName.keys).union(before.byName.keys)
        return standard.isShorter(than: before.standard)
            || names.contains { name in
                retention(named: name, own: nil).isShorter(than: before.retention(named: name, own: nil))
            }
    }
}
