// Searches of the history, and what they find.

/// A query. All terms must be there, words as beginnings of words; without a wanted term and without a filter nothing
/// is found.
package struct SearchQuery: Sendable, Equatable, Codable {
    package var terms: [SearchTerm]
    package var contact: ContactID?
    package var from: MessageDirection?
    /// The time that is shown beside a message, from `since` on and before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    package var filesOnly: Bool
    /// Only texts with a web address in them.
    package var linksOnly: Bool
    /// Only incoming messages that our user has not seen.
    package var unreadOnly: Bool
    package var limit: Int

    /// `text` holds words, phrases and exclusions (`SearchTerms`), no filters.
    package init(
        text: String, contact: ContactID? = nil, from: MessageDirection? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, filesOnly: Bool = false, linksOnly: Bool = false, unreadOnly: Bool = false,
        limit: Int = 50
    ) {
        terms = SearchTerms.parse(text)
        self.contact = contact
        self.from = from
        self.since = since
        self.until = until
        self.filesOnly = filesOnly
        self.linksOnly = linksOnly
        self.unreadOnly = unreadOnly
        self.limit = limit
    }

    /// Says nothing of what is wanted.
    package var isEmpty: Bool {
        terms.isEmpty && contact == nil && from == nil && since == nil && until == nil && !filesOnly && !linksOnly
            && !unreadOnly
    }
}

package struct SearchResult: Sendable, Equatable, Codable {
    /// Newest first, at most the query's limit.
    package var hits: [ChatMessage]
    /// How many messages the history has in the chats that were asked about.
    package var searched: Int
    /// There are more hits than the limit.
    package var isTruncated: Bool

    package init(hits: [ChatMessage], searched: Int, isTruncated: Bool) {
        self.hits = hits
        self.searched = searched
        self.isTruncated = isTruncated
    }
}
