// The pages of a conversation: which one the screen has asked for, and what waits until it has come.

package import ChatCore

/// The page that a window of a conversation waits for.
struct Paging: Sendable, Equatable {
    /// Answers to other requests are stale.
    private(set) var request: PageRequest? {
        didSet { if request == nil { news = [:] } }
    }
    /// Messages that have changed since we asked for the page, which may not have the changes yet.
    private(set) var news: [MessageKey: ChatMessage] = [:]
    /// Rows that the user wanted to scroll further than what is loaded; negative is towards older messages. Done when
    /// the page is there.
    var owedRows = Owed()
    /// The last page could not be loaded; it is tried again when the user scrolls.
    private(set) var hasFailed = false

    mutating func begin(_ request: PageRequest) { self.request = request }

    /// The page has come, or nobody wants it any more.
    mutating func end() { request = nil }

    mutating func fail() {
        request = nil
        hasFailed = true
        owedRows.drop()
    }

    /// The user scrolls.
    mutating func mayTryAgain() { hasFailed = false }

    /// A message is as it is now.
    mutating func note(_ message: ChatMessage) {
        if request != nil { news[message.key] = news[message.key].map(message.following) ?? message }
    }
}

/// A page that the screen wants.
package struct PageRequest: Sendable, Equatable {
    package var contact: ContactID
    package var anchor: PageAnchor
    package var limit: Int
    /// Tells answers apart: only the latest request of a window counts.
    package var generation: Int
    /// The page takes the place of what the window holds.
    var replaces = false
    /// The message to show when the page is there.
    var showing: MessageKey?
    /// The item at the bottom of the view stays there.
    var keepsView = false
}
