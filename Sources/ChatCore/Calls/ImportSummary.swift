// The report of importing an export: a summary, or a problem.

/// Counts of what an import has added to the history.
package struct ImportSummary: Codable, Sendable, Equatable {
    package var contacts = 0
    package var messages = 0
    package var operations = 0
    /// Records that were there already.
    package var known = 0
    /// Conversations with messages that are too old for how long they are kept here, and how many there are.
    package var expiring: [String] = []
    package var expiringMessages = 0

    package init(
        contacts: Int = 0, messages: Int = 0, operations: Int = 0, known: Int = 0, expiring: [String] = [],
        expiringMessages: Int = 0
    ) {
        self.contacts = contacts
        self.messages = messages
        self.operations = operations
        self.known = known
        self.expiring = expiring
        self.expiringMessages = expiringMessages
    }
}

/// Why an export was not added to the history, or not all of it.
package struct ImportProblem: Codable, Sendable, Equatable {
    /// The exit code of `blipchat import` for it.
    package var exit: Int32
    /// The file, perhaps with the number of a line.
    package var subject: String
    package var reason: String
    package var advice: String?

    package init(exit: Int32, subject: String, reason: String, advice: String?) {
        self.exit = exit
        self.subject = subject
        self.reason = reason
        self.advice = advice
    }
}
