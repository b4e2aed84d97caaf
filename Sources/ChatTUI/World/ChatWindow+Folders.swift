// Folders in the history: all files of a folder that was sent as a whole share one line, that of the first of them that
// is not deleted, until the user opens it. The files stay messages of their own, with their numbers.

import ChatCore
import ChatWords

extension ChatWindow {
    /// Which messages are the lines of folders, and which are folded into such a line.
    struct Folders: Sendable, Equatable {
        /// The file that is shown as the line of its folder.
        struct Head: Sendable, Equatable {
            let key: MessageKey
            /// So are all files of the folder.
            let isRetracted: Bool

            init(_ message: ChatMessage) {
                key = message.key
                isRetracted = message.isRetracted
            }
        }

        /// Of each folder in the window the first file that is not deleted, else the first.
        fileprivate(set) var heads: [TransferGroup.Key: Head] = [:]
        /// Files that are not shown.
        fileprivate(set) var folded: Set<MessageKey> = []
        /// Folders whose files the user wants to see.
        fileprivate(set) var open: Set<TransferGroup.Key> = []
    }

    /// The folder that a message is a file of; `nil` for texts and single files.
    static func folder(of message: ChatMessage) -> TransferGroup.Key? {
        guard case .file(let transfer) = message.content, transfer.place != nil else { return nil }
        return TransferGroup.Key(transfer)
    }

    /// Whether a message is the line of its folder.
    func isHead(_ message: ChatMessage) -> Bool {
        guard let key = Self.folder(of: message), let head = folders.heads[key] else { return false }
        return head.key == message.key
    }

    func isFolded(_ item: HistoryItem) -> Bool {
        item.message.map(isFolded) ?? false
    }

    func isFolded(_ message: ChatMessage) -> Bool {
        !folders.folded.isEmpty && folders.folded.contains(message.key)
    }

    /// Whether the files of the folder of a message are shown.
    func isOpen(_ message: ChatMessage) -> Bool { Self.folder(of: message).map(folders.open.contains) ?? false }

    /// Whether a message is the line of a folder whose files are not shown.
    func isClosedHead(_ message: ChatMessage) -> Bool { isHead(message) && !isOpen(message) }

    /// The messages that have rows of their own.
    var shownMessages: [ChatMessage] {
        items.lazy.filter { !isFolded($0) }.compactMap(\.message)
    }

    /// Where the unread line is: before the first new message that has rows. `nil` where that is not in the window.
    var firstUnreadIndex: Int? {
        guard let after = unreadLine?.after, !unreadBeginsAbove else { return nil }
        return items.firstIndex { item in
            item.message.map { $0.direction == .incoming && $0.position > after } ?? false && !isFolded(item)
        }
    }

    /// Whether there are new messages above the oldest one in the window: then no message from that one on, whether it
    /// is our own or new as well, is the first new one.
    var unreadBeginsAbove: Bool {
        guard let line = unreadLine, !reachesOldest, let oldest = items.lazy.compactMap(\.message).first,
            oldest.position > line.after
        else { return false }
        let here = items.count { item in
            item.message.map { $0.direction == .incoming && $0.position > line.after } ?? false
        }
        return here < line.count
    }

    /// How many of the first `count` items have rows.
    func shownCount(before count: Int) -> Int {
        folders.folded.isEmpty ? count : items.prefix(count).count { !isFolded($0) }
    }

    /// The files of the folder whose line `message` is, as far as they are in the window.
    func files(behind message: ChatMessage) -> [FileTransfer] {
        guard let key = Self.folder(of: message) else { return [] }
        return items.compactMap { item in
            guard let other = item.message, Self.folder(of: other) == key, case .file(let transfer) = other.content
            else { return nil }
            return transfer
        }
    }

    /// The messages that a selection means: with the line of a closed folder all of its files.
    func withFolded(_ messages: [ChatMessage]) -> [ChatMessage] {
        let keys = Set(messages.lazy.filter(isHead).compactMap(Self.folder)).subtracting(folders.open)
        guard !keys.isEmpty else { return messages }
        let messageKeys = Set(messages.map(\.key))
        return items.lazy.compactMap(\.message).filter { message in
            messageKeys.contains(message.key) || Self.folder(of: message).map(keys.contains) ?? false
        }
    }

    /// Shows the files of a folder, or folds them again.
    mutating func toggleFolder(of message: ChatMessage) {
        guard let key = Self.folder(of: message) else { return }
        if folders.open.remove(key) == nil { folders.open.insert(key) }
        fold()
    }

    /// A message that is jumped to is shown, also when it is a file of a closed folder.
    mutating func unfold(_ id: MessageKey) {
        guard folders.folded.contains(id), let index = index(of: .message(id)), let message = items[index].message,
            let key = Self.folder(of: message)
        else { return }
        folders.open.insert(key)
        fold()
    }

    /// Folds anew, because any of the items may be others, or in other places.
    mutating func fold() {
        folders.heads = [:]
        folders.folded = []
        for item in items {
            if let message = item.message { fold(appended: message) }
        }
    }

    /// A message has come after all others: we look at it alone, because folders come with thousands of files.
    mutating func fold(appended message: ChatMessage) {
        guard let key = Self.folder(of: message) else { return }
        guard let head = folders.heads[key] else {
            folders.heads[key] = Folders.Head(message)
            return
        }
        let takesOver = head.isRetracted && !message.isRetracted
        if takesOver { folders.heads[key] = Folders.Head(message) }
        if !folders.open.contains(key) { folders.folded.insert(takesOver ? head.key : message.key) }
    }

    /// The message at `index` was deleted: another file, after it, becomes the line of its folder.
    mutating func fold(retracted message: ChatMessage, at index: Int) {
        guard isHead(message), let key = Self.folder(of: message) else { return }
        findHead(of: key, from: index)
        if !isHead(message), !folders.open.contains(key) { folders.folded.insert(message.key) }
    }

    /// Items at one end are not in the window any more.
    mutating func fold(without gone: [HistoryItem]) {
        var headless: Set<TransferGroup.Key> = []
        for message in gone.lazy.compactMap(\.message) {
            guard let key = Self.folder(of: message) else { continue }
            folders.folded.remove(message.key)
            if isHead(message) { headless.insert(key) }
        }
        for key in headless { findHead(of: key) }
    }

    /// Before `start` all files of the folder are deleted.
    private mutating func findHead(of key: TransferGroup.Key, from start: Int = 0) {
        func first(in items: some Sequence<HistoryItem>, isRetracted: Bool) -> ChatMessage? {
            items.lazy.compactMap(\.message).first { $0.isRetracted == isRetracted && Self.folder(of: $0) == key }
        }
        let head = first(in: items[start...], isRetracted: false) ?? first(in: items, isRetracted: true)
        folders.heads[key] = head.map(Folders.Head.init)
        if let head { folders.folded.remove(head.key) }
    }

    /// How many items are too many, counted from one end: those folded into the line of a folder count little.
    func excess(fromNewest: Bool) -> Int {
        guard !folders.folded.isEmpty else { return max(0, items.count - Self.limit) }
        var shown = items.count - folders.folded.count
        var removed = 0
        while shown > Self.limit || items.count - removed > Self.foldedLimit, removed < items.count {
            if !isFolded(items[fromNewest ? items.count - 1 - removed : removed]) { shown -= 1 }
            removed += 1
        }
        return removed
    }
}
