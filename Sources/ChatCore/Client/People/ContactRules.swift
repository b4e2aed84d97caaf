// The configuration's rules for single contacts; everything else is as for all.

/// Exceptions by contact.
package struct ContactRules: Sendable, Equatable {
    /// `nil`: as for all.
    package struct Rule: Sendable, Equatable {
        package var sendsReceipts: Bool?
        package var sendsTyping: Bool?
        /// Bytes; 0 always asks.
        package var acceptsFilesUpTo: UInt64?

        package init(sendsReceipts: Bool? = nil, sendsTyping: Bool? = nil, acceptsFilesUpTo: UInt64? = nil) {
            self.sendsReceipts = sendsReceipts
            self.sendsTyping = sendsTyping
            self.acceptsFilesUpTo = acceptsFilesUpTo
        }
    }

    private var byName: [String: Rule]

    /// By contact name, compared as people see names.
    package init(byName: [String: Rule] = [:]) {
        self.byName = Dictionary(byName.map { (ContactNames.folded($0.key), $0.value) }) { _, last in last }
    }

    /// The rule for a contact.
    package func rule(named name: String) -> Rule { byName[ContactNames.folded(name)] ?? Rule() }

    /// Gives `new` the rule of `old`, too, when there is one.
    mutating func copy(_ old: String, to new: String) {
        if let rule = byName[ContactNames.folded(old)] { byName[ContactNames.folded(new)] = rule }
    }

    mutating func remove(_ name: String) { byName[ContactNames.folded(name)] = nil }
}
