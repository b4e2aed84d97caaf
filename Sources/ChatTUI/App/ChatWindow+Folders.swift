// Folders in the history: all files of a folder that was sent as a whole stand behind one line, that of the first of
// them, until the user opens it. The files stay messages of their own, with their numbers.

import ChatCore

extension ChatWindow {
    /// Which messages are the lines of folders, and which stand behind such a line.
    struct Folders: Sendable, Equatable {
        /// The first file of each folder in the window.
        fileprivate(set) var heads: Set<MessageID> = []
        /// Files that are not shown.
        fileprivate(set) var folded: Set<MessageID> = []
        /// Folders whose files the user wants to see.
        fileprivate(set) var open: Set<TransferGroup.Key> = []
    }

    /// The folder that a message is a file of; `nil` for texts and single files.
    static func folder(of message: ChatMessage) -> TransferGroup.Key? {
        guard case .file(let transfer) = message.content, transfer.place != nil else { return nil }
        return TransferGroup.Key(transfer)
    }

    /// Whether a message is the line of its folder.
    func isHead(_ message: ChatMessage) -> Bool { folders.heads.contains(message.id) }

    func isFolded(_ item: HistoryItem) -> Bool {
        guard !folders.folded.isEmpty, case .message(let message) = item else { return false }
        return folders.folded.contains(message.id)
    }

    /// Whether the files of the folder of a message are shown.
    func isOpen(_ message: ChatMessage) -> Bool { Self.folder(of: message).map(folders.open.contains) ?? false }

    /// The messages that have rows of their own.
    var shownMessages: [ChatMessage] {
        items.lazy.filter { !isFolded($0) }.compactMap(\.message)
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

    /// What a selection of messages means: with the line of a closed folder all of its files.
    func withFolded(_ messages: [ChatMessage]) -> [ChatMessage] {
        let keys = Set(messages.lazy.filter(isHead).compactMap(Self.folder)).subtracting(folders.open)
        guard !keys.isEmpty else { return messages }
        let ids = Set(messages.map(\.id))
        return items.lazy.compactMap(\.message).filter { message in
            ids.contains(message.id) || Self.folder(of: message).map(keys.contains) ?? false
        }
    }

    /// Shows the files of a folder, or folds them again.
    mutating func toggleFolder(of message: ChatMessage) {
        guard let key = Self.folder(of: message) else { return }
        if folders.open.remove(key) == nil { folders.open.insert(key) }
        fold()
    }

    /// A message that is jumped to is shown, also when it is a file of a closed folder.
    mutating func unfold(_ id: MessageID) {
        guard folders.folded.contains(id), let index = index(of: .message(id)), let message = items[index].message,
            let key = Self.folder(of: message)
        else { return }
        folders.open.insert(key)
        fold()
    }

    /// The items have changed.
    mutating func fold() {
        var folders = Folders()
        folders.open = self.folders.open
        var seen: Set<TransferGroup.Key> = []
        for item in items {
            guard let message = item.message, let key = Self.folder(of: message) else { continue }
            if seen.insert(key).inserted {
                folders.heads.insert(message.id)
            } else if !folders.open.contains(key) {
                folders.folded.insert(message.id)
            }
        }
        if folders != self.folders { self.folders = folders }
    }

    /// How many items are too many, counted from one end: those behind the line of a folder count little.
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
