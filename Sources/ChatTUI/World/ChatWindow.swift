// The part of a conversation that is in memory: pages from the store, new messages, and local notices between them.

import ChatCore
import ChatWords

/// A contiguous stretch of one conversation, at most `limit` items. Scrolling loads more at one end and drops the
/// other, so that memory does not grow with the length of the history.
struct ChatWindow: Sendable, Equatable {
    static let limit = 500
    /// Messages in memory, including those folded into the lines of folders.
    static let foldedLimit = 5000
    static let pageSize = 100
    /// Notices that wait for their place; the oldest give way.
    static let heldLimit = 100

    /// Which row of the window is at the bottom of the screen.
    enum Scroll: Sendable, Equatable {
        /// The newest, wherever it is.
        case bottom
        /// `hiddenRows` rows of the item are below the screen.
        case at(HistoryItem.Key, hiddenRows: Int)
    }

    /// The line "N new": it is shown before the first incoming message after the position `after`.
    struct UnreadLine: Sendable, Equatable {
        let after: HistoryPosition
        fileprivate(set) var count: Int
        /// The user has looked further up since, and need not hear where it is.
        fileprivate(set) var isFound = false

        init(after: HistoryPosition, count: Int) {
            self.after = after
            self.count = count
        }
    }

    private struct HeldNotice: Sendable, Equatable {
        var notice: LocalNotice
        var after: HistoryPosition?
    }

    /// Everything up to an item is hidden. A notice that comes later follows the same message as the earlier ones, so
    /// that the position alone does not tell them apart.
    struct Cleared: Sendable, Equatable {
        fileprivate var position: HistoryPosition
        fileprivate var rank: Int
    }

    /// A method that changes it folds it as well: only there it is known how much of it changes.
    private(set) var items: [HistoryItem] = [] {
        didSet { knownNewestIncoming = nil }
    }
    /// `newestIncoming`, as long as it is known.
    private var knownNewestIncoming: HistoryPosition??
    var folders = Folders()
    /// A page was loaded since the chat was opened first.
    private(set) var isLoaded = false
    /// Nothing older is in the store.
    private(set) var reachesOldest = false
    /// Nothing newer is in the store: new messages are appended.
    private(set) var reachesNewest = true
    private(set) var scroll = Scroll.bottom
    /// Messages that came while the user looked at older ones.
    private(set) var newerCount = 0
    private(set) var unreadLine: UnreadLine?
    /// A search hit to point at.
    private(set) var highlight: MessageKey?
    /// The page that is on its way, and what waits for it.
    var paging = Paging()
    /// Notices whose place is not in memory. Those without a place belong after the newest message.
    private var held: [HeldNotice] = []
    /// The items that /clear has hidden, if the user has not scrolled back to them.
    private(set) var cleared: Cleared?

    var firstPosition: HistoryPosition? { items.lazy.compactMap(\.message?.position).first }
    var lastPosition: HistoryPosition? { items.last?.order.0 }
    var lastMessagePosition: HistoryPosition? { items.lazy.reversed().compactMap(\.message?.position).first }
    /// Where the newest message of theirs is. We look for it after every action, and thousands of our own may come
    /// after it.
    mutating func newestIncoming() -> HistoryPosition? {
        if let known = knownNewestIncoming { return known }
        let found = items.lazy.reversed().compactMap(\.message).first { $0.direction == .incoming }?.position
        knownNewestIncoming = .some(found)
        return found
    }

    var isAtBottom: Bool { scroll == .bottom && reachesNewest }

    /// The index of the item at the bottom of the view; -1 when there is nothing.
    var bottomIndex: Int {
        guard case .at(let key, _) = scroll, let index = index(of: key) else { return items.count - 1 }
        return index
    }

    /// Its place.
    var anchorPosition: HistoryPosition? { items.isEmpty ? nil : items[bottomIndex].order.0 }

    func index(of key: HistoryItem.Key) -> Int? {
        items.lastIndex { $0.key == key }
    }

    /// The message with an id; of two with the same one, ours.
    func message(_ id: MessageID) -> ChatMessage? {
        let found = index(of: .message(MessageKey(.outgoing, id))) ?? index(of: .message(MessageKey(.incoming, id)))
        return found.flatMap { items[$0].message }
    }

    /// Whether a message is in the window. Quick for new ones: they come after everything in it.
    func contains(_ message: ChatMessage) -> Bool {
        guard let lastPosition, message.position <= lastPosition else { return false }
        return index(of: .message(message.key)) != nil
    }

    /// Hides all that is there now; what comes later is shown.
    mutating func clear() {
        cleared = items.last.map { Cleared(position: $0.order.0, rank: $0.order.1) }
    }

    /// The items that /clear has hidden are shown again.
    mutating func showCleared() { cleared = nil }

    /// The first item that /clear has not hidden; `nil` when nothing has come since.
    var firstShownIndex: Int? {
        guard let cleared else { return 0 }
        return items.firstIndex { $0.order > (cleared.position, cleared.rank) }
    }

    // MARK: The view

    /// The view follows the newest message.
    mutating func showNewest() {
        scroll = .bottom
        newerCount = 0
    }

    mutating func scroll(to place: Scroll) {
        scroll = place
        if isAtBottom { newerCount = 0 }
    }

    /// The view begins with the first message that is loaded.
    mutating func showFirst() {
        if let first = items.first(where: { !isFolded($0) }) { scroll = .at(first.key, hiddenRows: 0) }
    }

    /// A message to point at, or none.
    mutating func point(at key: MessageKey?) { highlight = key }

    /// The line "N new" is before the first message of theirs after `position`.
    mutating func showUnreadLine(after position: HistoryPosition, count: Int) {
        unreadLine = UnreadLine(after: position, count: count)
    }

    /// Where it was when the user was here last.
    mutating func restore(_ line: UnreadLine?) { if unreadLine == nil { unreadLine = line } }

    mutating func dropUnreadLine() { unreadLine = nil }

    /// The user has looked further up.
    mutating func noteUnreadLineFound() { unreadLine?.isFound = true }

    /// A message of theirs has come that nobody has seen: the line counts it. One that begins `anew` does not count
    /// messages that were read before.
    mutating func countUnread(after position: HistoryPosition, anew: Bool) {
        if !isAtBottom { newerCount += 1 }
        if anew || unreadLine == nil { showUnreadLine(after: position, count: 0) }
        unreadLine?.count += 1
    }

    // MARK: Pages

    /// Takes over a loaded page (oldest first).
    mutating func merge(_ page: [ChatMessage], for request: PageRequest) {
        let news = paging.news
        let page = page.map { news[$0.key] ?? $0 }
        paging.end()
        isLoaded = true
        let isFull = page.count >= request.limit
        defer { placeHeld() }
        switch request.anchor {
        case .newest:
            // Whatever was added while the page was on its way is newer than the page or in it.
            if request.replaces { replaceItems { Self.isNewer($0, than: page.last) } }
            insert(page)
            reachesOldest = !isFull
            reachesNewest = true
            insert(news, newerThan: page.last)
        case .before:
            insert(page)
            if !isFull { reachesOldest = true }
            trim(keepingOldest: true)
        case .after:
            if request.replaces {
                replaceItems { _ in false }
                reachesOldest = true
            }
            insert(page)
            reachesNewest = !isFull
            if reachesNewest { insert(news, newerThan: page.last ?? items.last { $0.message != nil }?.message) }
            trim(keepingOldest: false)
        case .around(let position):
            replaceItems { _ in false }
            insert(page)
            reachesOldest = !page.contains { $0.position < position }
            reachesNewest = false
        }
    }

    /// Inserts messages stored after a last page was read, which may have found no place while the page was on its way.
    private mutating func insert(_ news: [MessageKey: ChatMessage], newerThan last: ChatMessage?) {
        let added = news.values.filter { message in
            last.map { $0.position < message.position } ?? true && index(of: .message(message.key)) == nil
        }
        insert(added.sorted { $0.position < $1.position })
    }

    private static func isNewer(_ item: HistoryItem, than last: ChatMessage?) -> Bool {
        guard let last else { return true }
        return item.order.0 > last.position
    }

    // MARK: News

    /// A message was stored. Returns `false` when the window ends before it, and no page that leads to it is on its way.
    @discardableResult mutating func append(_ message: ChatMessage) -> Bool {
        paging.note(message)
        if contains(message) {
            replace(message)
            return true
        }
        // Before we ask for the first page there is nothing to keep up to date.
        guard isLoaded || paging.request != nil else { return true }
        guard reachesNewest else { return paging.request?.anchor == .newest }
        insert([message])
        trim(keepingOldest: scroll != .bottom)
        return true
    }

    /// A message changed. Returns `false` when it is not in the window.
    @discardableResult mutating func replace(_ message: ChatMessage) -> Bool {
        paging.note(message)
        guard let index = index(of: .message(message.key)), let known = items[index].message else { return false }
        let news = message.following(known)
        // A folder of thousands of files changes file by file.
        let newest = knownNewestIncoming
        items[index] = .message(news)
        knownNewestIncoming = newest
        if news.isRetracted != known.isRetracted { fold(retracted: news, at: index) }
        return true
    }

    /// A message has come late: it is shown if its place is in the window.
    mutating func fillIn(_ message: ChatMessage) {
        guard !replace(message), isLoaded else { return }
        guard reachesOldest || firstPosition.map({ $0 < message.position }) ?? false else { return }
        guard reachesNewest || lastPosition.map({ message.position < $0 }) ?? false else { return }
        insert([message])
        trim(keepingOldest: scroll != .bottom)
    }

    mutating func add(_ notice: LocalNotice) {
        guard reachesNewest else { return hold(notice, after: nil) }
        items.append(.notice(notice, after: lastPosition ?? HistoryPosition(.min)))
        trim(keepingOldest: false)
    }

    /// A notice from before the window was read comes after the messages that were there then.
    mutating func place(_ notice: LocalNotice) {
        let known = items.last { $0.message.map { $0.stored <= notice.time } ?? false }?.message?.position
        let isLast = known == lastPosition && !reachesNewest
        hold(notice, after: isLast ? nil : known ?? firstPosition.map { HistoryPosition($0.rawValue &- 1) })
        placeHeld()
    }

    /// After the view was moved: what is in sight now is not newer any more.
    mutating func countNewer() {
        guard newerCount > 0 else { return }
        if isAtBottom {
            newerCount = 0
        } else if reachesNewest {
            newerCount = min(newerCount, items[(bottomIndex + 1)...].count { $0.message != nil })
        }
    }

    /// The user looks elsewhere now: a page that would take the view with it is not wanted any more.
    mutating func giveUpJump() {
        if isLoaded, paging.request?.replaces == true { paging.end() }
    }

    /// Gives memory back when the chat is left: only the newest page stays.
    mutating func shrink() {
        // Nobody looks any more at what a page on its way would show.
        guard reachesNewest, paging.request?.replaces != true || paging.request?.anchor == .newest else {
            return forget()
        }
        showNewest()
        highlight = nil
        unreadLine = nil
        if items.count > Self.pageSize {
            drop(items.count - Self.pageSize, fromNewest: false)
        }
    }

    /// Gives all memory back: the page is read again when the chat is opened. Our own lines, which no store has, and
    /// what /clear has hidden are kept.
    mutating func forget() {
        replaceItems { _ in false }
        var new = ChatWindow()
        new.held = held
        new.cleared = cleared
        self = new
    }

    /// Forgets the messages, so that the rest is read anew: the view, what is unread and our own lines stay.
    mutating func forgetMessages() {
        let old = self
        forget()
        scroll = old.scroll
        newerCount = old.newerCount
        unreadLine = old.unreadLine
    }

    // MARK: Private

    private mutating func insert(_ page: [ChatMessage]) {
        guard !page.isEmpty else { return }
        if let last = items.last, let first = page.first, last.order < HistoryItem.message(first).order {
            items += page.map(HistoryItem.message)
            page.forEach { fold(appended: $0) }
            return
        }
        let ids = Set(page.map { HistoryItem.Key.message($0.key) })
        items.removeAll { ids.contains($0.key) }
        items += page.map(HistoryItem.message)
        items.sort { $0.order < $1.order }
        fold()
    }

    /// Another page takes the place of all items but those that are kept.
    private mutating func replaceItems(keeping isKept: (HistoryItem) -> Bool) {
        hold(items.filter { !isKept($0) })
        items = items.filter(isKept)
        fold()
    }

    /// Keeps the notices among items that leave the window: no store has them.
    private mutating func hold(_ gone: [HistoryItem]) {
        for case .notice(let notice, let after) in gone { hold(notice, after: after) }
    }

    private mutating func hold(_ notice: LocalNotice, after: HistoryPosition?) {
        held.append(HeldNotice(notice: notice, after: after))
        if held.count > Self.heldLimit { held.removeFirst() }
    }

    /// Puts held notices into their places, where those are in memory now.
    private mutating func placeHeld() {
        guard !held.isEmpty else { return }
        let last = lastPosition ?? HistoryPosition(.min)
        let first = firstPosition
        var placed: [HistoryItem] = []
        held.removeAll { held in
            guard let after = held.after ?? (reachesNewest ? last : nil) else { return false }
            let isInside = (reachesOldest || first.map { $0 <= after } ?? true) && (reachesNewest || after < last)
            if isInside { placed.append(.notice(held.notice, after: after)) }
            return isInside
        }
        guard !placed.isEmpty else { return }
        items = (items + placed).sorted { $0.order < $1.order }
        fold()
    }

    private mutating func trim(keepingOldest: Bool) {
        guard items.count > Self.limit else { return }
        let excess = excess(fromNewest: keepingOldest)
        if excess > 0 { drop(excess, fromNewest: keepingOldest) }
    }

    private mutating func drop(_ count: Int, fromNewest: Bool) {
        let gone = Array(fromNewest ? items.suffix(count) : items.prefix(count))
        if fromNewest {
            items.removeLast(count)
            reachesNewest = false
        } else {
            items.removeFirst(count)
            reachesOldest = false
        }
        hold(gone)
        fold(without: gone)
    }
}
