// Steps or rows that the user wants to go further than what is loaded.

/// Waits for a page; negative is towards older messages.
struct Owed: Sendable, Equatable {
    private(set) var count = 0

    /// Those in the same direction as others that wait are added to them.
    mutating func set(_ missing: Int) {
        let isMore = missing != 0 && missing.signum() == count.signum()
        count = missing + (isMore ? count : 0)
    }

    /// The page has come.
    mutating func take() -> Int {
        defer { count = 0 }
        return count
    }

    /// The user goes elsewhere.
    mutating func drop() { count = 0 }
}
