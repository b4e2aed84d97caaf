// Records of the folders that are sent as a whole, including those in the store (Docs/files.md).

import BLIPNet

/// Decisions are made in `FolderSets` and then written, one setting for each folder. Belongs to one actor.
final class FolderBook {
    private(set) var sets = FolderSets()
    private let records: Records

    init(records: Records) { self.records = records }

    // MARK: Theirs

    /// The record of the folder at `place` that a contact sends.
    func set(at place: FolderPlace, from contact: ContactID) async throws(ChatError) -> FolderSet? {
        let key = FolderSet.key(place.set, from: contact)
        if let known = sets[key] { return known }
        let text = try await records.stored { () async throws(StoreError) in try await records.store.setting(key) }
        return text.flatMap(FolderSet.init(text:)).map { sets.read($0, key) } ?? sets[key]
    }

    /// A folder was made at `path` for what comes. Returns the folder that counts: two files of one folder may come at once,
    /// and the first has made it.
    func made(_ path: String, for place: FolderPlace, from contact: ContactID) async throws(ChatError) -> FolderSet {
        let key = FolderSet.key(place.set, from: contact)
        guard let set = sets.made(path, key) else { return sets[key] ?? FolderSet(path: path) }
        try await keep(set, key)
        return set
    }

    /// Our user has accepted a file, and means all of its folder; `false` when that has no place yet.
    func agree(to place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) -> Bool {
        let key = FolderSet.key(place.set, from: first.contact)
        guard try await set(at: place, from: first.contact) != nil,
            let set = sets.agree(to: place, beginning: first, key)
        else { return false }
        try await keep(set, key)
        return true
    }

    /// The same by the configuration: once for each folder, because the sender may offer more than it has said.
    func agreeByRule(to place: FolderPlace, beginning first: FileTransfer) async throws(ChatError) {
        let key = FolderSet.key(place.set, from: first.contact)
        guard try await set(at: place, from: first.contact) != nil, sets.mayAgreeByRule(key) else { return }
        _ = try await agree(to: place, beginning: first)
    }

    /// Our user wants nothing more of it.
    func refuse(_ place: FolderPlace, from contact: ContactID) async throws(ChatError) {
        _ = try await set(at: place, from: contact)
        let key = FolderSet.key(place.set, from: contact)
        try await keep(sets.refuse(key), key)
    }

    /// Whether our user wants nothing more of the folder that a file belongs to. A history that cannot be read leaves the
    /// question to our user.
    func isRefused(_ file: FileTransfer) async -> Bool {
        guard let place = file.place else { return false }
        return (try? await set(at: place, from: file.contact))?.isRefused == true
    }

    /// Counts files of one folder; returns those to which our user has agreed by accepting it.
    func take(_ files: [FileTransfer], at place: FolderPlace) async throws(ChatError) -> [FileTransfer] {
        guard let contact = files.first?.contact else { return [] }
        let key = FolderSet.key(place.set, from: contact)
        var agreed: [FileTransfer] = []
        var news: FolderSet?
        for file in files {
            switch sets.take(file, key) {
            case .none: continue
            case .counted: break
            case .agreed(let set): news = set
            }
            agreed.append(file)
        }
        if let news { try await keep(news, key) }
        return agreed
    }

    private func keep(_ set: FolderSet, _ key: String) async throws(ChatError) {
        try await records.stored { () async throws(StoreError) in
            try await records.store.setSetting(key, to: set.text)
        }
    }

    // MARK: Ours

    func beginOffering(_ set: MessageID) { sets.beginOffering(set) }

    /// All of it is offered, or our user has cancelled it.
    func endOffering(_ set: MessageID) { sets.endOffering(set) }
}
