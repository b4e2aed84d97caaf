// The folders that are sent as a whole, in both directions, as far as this run knows them. Pure; FolderBook keeps
// them in the store.

import BLIPNet

struct FolderSets {
    /// Where the folders that contacts send are put, and what of them our user has agreed to, by `FolderSet.key`.
    private var sets: [String: FolderSet] = [:]
    /// Folders of ours whose files are just being offered; one that is cancelled meanwhile is taken out.
    private var beingOffered: Set<MessageID> = []
    /// Those that the configuration was asked about in this run.
    private var asked: Set<String> = []
    /// The files that were counted against what the offers said, in this run.
    private var taken: Set<MessageID> = []

    // MARK: Theirs

    subscript(key: String) -> FolderSet? { sets[key] }

    /// The store has this. A decision made meanwhile is newer.
    mutating func read(_ stored: FolderSet, _ key: String) -> FolderSet {
        let present = sets[key] ?? stored
        sets[key] = present
        return present
    }

    /// A folder was made at `path` for what comes. `nil` when another file of it has led to one before.
    mutating func made(_ path: String, _ key: String) -> FolderSet? {
        var set = sets[key] ?? FolderSet(path: "")
        guard set.path.isEmpty else { return nil }
        set.path = path
        sets[key] = set
        return set
    }

    /// Our user has accepted a file of a known folder, and means all of it.
    mutating func agree(to place: FolderPlace, beginning first: FileTransfer, _ key: String) -> FolderSet? {
        guard var set = sets[key] else { return nil }
        set.agree(to: place)
        _ = set.take(first.size)
        sets[key] = set
        return set
    }

    /// Whether the configuration may agree to a folder: it has not, and nothing of it was refused.
    mutating func mayAgreeByRule(_ key: String) -> Bool {
        guard let set = sets[key], !set.isRefused, set.filesLeft == 0 else { return false }
        return asked.insert(key).inserted
    }

    /// Our user wants nothing more of it.
    mutating func refuse(_ key: String) -> FolderSet {
        var set = sets[key] ?? FolderSet(path: "")
        set.refuse()
        sets[key] = set
        return set
    }

    /// Whether our user has agreed to a file by accepting its folder.
    enum Agreement: Equatable {
        /// It was counted before: it could not be accepted then, or is just being.
        case counted
        /// It is counted now; the set is to be kept.
        case agreed(FolderSet)
        case none
    }

    mutating func take(_ file: FileTransfer, _ key: String) -> Agreement {
        if taken.contains(file.id) { return .counted }
        guard sets[key]?.take(file.size) == true, let set = sets[key] else { return .none }
        taken.insert(file.id)
        return .agreed(set)
    }

    // MARK: Ours

    mutating func beginOffering(_ set: MessageID) { beingOffered.insert(set) }

    /// All of it is offered, or our user has cancelled it.
    mutating func endOffering(_ set: MessageID) { beingOffered.remove(set) }

    func isBeingOffered(_ set: MessageID) -> Bool { beingOffered.contains(set) }
}
