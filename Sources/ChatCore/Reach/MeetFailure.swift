// Why nobody was met with spoken words. ChatWords has the words for it.

package enum MeetFailure: Error, Sendable, Hashable, Codable {
    /// No host waits with these words, at any place that was asked.
    case nobody
    /// There is no place to ask: no relay was named, our user has none, and neighbours are not looked for.
    case nowhere
    case used
    /// The one who answered does not know the words.
    case unproved
    /// A relay could not be asked, or the way to the host failed.
    case failed(LinkReason)
    /// The words need 32 MiB of memory.
    case noMemory
}
