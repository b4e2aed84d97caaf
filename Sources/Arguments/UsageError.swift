// Why a command line cannot be understood.

/// Prints as `subject: reason (advice)`.
package struct UsageError: Error, Sendable, Equatable {
    /// The word that is wrong, or the option or command that lacks something.
    package var subject: String
    package var reason: String
    /// How the user can correct it.
    package var advice: String?

    package init(_ subject: String, _ reason: String, advice: String? = nil) {
        self.subject = subject
        self.reason = reason
        self.advice = advice
    }

    /// `wanted` says what the option takes: `a number from 1 to 9`.
    package static func badValue(_ option: String, _ value: String, _ wanted: String) -> UsageError {
        UsageError("\(option) \(value)", "not a valid value", advice: "give \(wanted)")
    }
}
