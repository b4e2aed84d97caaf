// The user's settings for single contacts by their names, in a file that the history does not know.

/// Settings that belong to names. The chat moves them before and after it gives a contact another name, so that at no moment,
/// whenever the process ends, the contact is without them: messages may be kept or deleted by them.
///
/// Implementations do not block the caller's thread.
package protocol NamedSettings: Sendable {
    /// Makes the settings for `old` hold for `new` as well from now on, in place of earlier ones for that name.
    ///
    /// Returns whether there was anything. Throws why it cannot be written, in words; nothing has changed then.
    func copy(_ old: String, to new: String) async throws(NamedSettingsError) -> Bool
    /// Nothing is set for `name` any more. A setting that cannot be taken out stays, and belongs to nobody.
    func remove(_ name: String) async
}

/// The settings cannot be changed.
package struct NamedSettingsError: Error, Sendable, Equatable {
    /// The fault and its place, in words for people.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
