// Copies of a whole history: made while it is in use, checked, and put back.

package import ChatCore
internal import Dispatch

extension HistoryDatabase {
    /// Copies the history as it is now to a new file (0600), while reads and writes continue. The copy is at `path`
    /// only when it is complete, checked and on the disk.
    ///
    /// - Throws: `.cannotOpen` when something is at `path` already, `.diskFull`, `.damaged` when the history is.
    package func backUp(to path: String) async throws(StoreError) {
        let source = self.path
        try await Self.away { () throws(StoreError) in
            // Takes the name, so that nobody else's file is replaced in the end.
            try FileSystem.createNew(path)
            // Nor one under this name.
            let names = (1...100).map { $0 == 1 ? path + ".part" : "\(path).part-\($0)" }
            let part = names.first { !FileSystem.exists($0) } ?? names[0]
            guard !FileSystem.exists(part) else { throw .fileExists(path: part) }
            do throws(StoreError) {
                try Self.copy(source, to: part)
                try FileSystem.move(part, to: path)
            } catch {
                try? FileSystem.removeDatabase(part)
                try? FileSystem.remove(path)
                throw error
            }
        }
    }

    /// How much is in a file that may become the history.
    package struct BackupSummary: Sendable, Equatable {
        package var messages: Int
        package var contacts: Int
    }

    /// Puts a copy in the place of the history at `path`, which nobody may have open. The history that was there is kept
    /// beside it, under the name that is returned.
    ///
    /// - Throws: `.damaged`, `.newerVersion` or `.cannotOpen` when the copy cannot be used; nothing is changed then.
    package static func restore(
        from backup: String, to path: String
    ) async throws(StoreError) -> (kept: String?, BackupSummary) {
        try await away { () throws(StoreError) in
            guard FileSystem.exists(backup) else { throw .cannotOpen(path: backup, reason: "there is no such file") }
            guard FileSystem.isRegularFile(backup) else {
                throw .cannotOpen(path: backup, reason: "it is not a regular file")
            }
            // Said before anything is copied, and of the file that was meant.
            guard FileSystem.applicationIDInHeader(backup) == Int(Schema.applicationID) else {
                throw .cannotOpen(path: backup, reason: "it is not a copy of a history (see blipchat backup)")
            }
            let migration = Migration(steps: Schema.migrations)
            if let found = FileSystem.userVersionInHeader(backup), found > migration.targetVersion {
                throw .newerVersion(path: backup, found: found, supported: migration.targetVersion)
            }
            let restored = path + restoredSuffix
            let part = restored + ".part"
            do throws(StoreError) {
                try FileSystem.removeDatabase(part)
                try copy(backup, to: part)
                try believeNothing(in: part)
            } catch {
                try? FileSystem.removeDatabase(part)
                // Damage found here is in the file that was copied.
                if case .damaged(_, let reason) = error { throw .damaged(path: backup, reason: reason) }
                throw error
            }
            let summary = try summarize(part)
            // From here on every start finishes what is left to do.
            try FileSystem.move(part, to: restored)
            return (try finishRestore(path), summary)
        }
    }

    /// Moves a history away, with its log; returns its new name, `nil` when there was none.
    static func setAside(_ path: String) throws(StoreError) -> String? {
        guard FileSystem.exists(path) else { return nil }
        var number = 1
        while FileSystem.exists("\(path).old-\(number)") { number += 1 }
        let kept = "\(path).old-\(number)"
        // The log first: without it the file is older, but whole; a log without its file means nothing.
        for suffix in ["-journal", "-wal", ""] where FileSystem.exists(path + suffix) {
            try FileSystem.move(path + suffix, to: kept + suffix)
        }
        try FileSystem.remove(path + "-shm")
        return kept
    }

    /// Puts the file under the name of a restored history in the place of the present one, however far an earlier call
    /// has come with that. Returns where the present one is kept; `nil` when there was none, or nothing to do.
    @discardableResult static func finishRestore(_ path: String) throws(StoreError) -> String? {
        let restored = path + restoredSuffix
        guard FileSystem.exists(restored) else { return nil }
        let kept = try setAside(path)
        try removeStrayLog(of: path)
        try FileSystem.move(restored, to: path)
        return kept
    }

    /// A whole history under this name is to take the place of the one beside it.
    static let restoredSuffix = ".restored"

    // MARK: Parts

    /// Copies a database with everything that is committed; the copy is checked and on the disk in the end.
    private static func copy(_ source: String, to target: String) throws(StoreError) {
        let from = try SQLiteConnection(path: source, mode: .readOnly)
        try FileSystem.createNew(target)
        try from.copyWhole(to: target)
        try check(target)
        try FileSystem.sync(target)
    }

    /// A copy may come from anybody: its tables must be ours, and its rows lead to no file of this disk.
    private static func believeNothing(in path: String) throws(StoreError) {
        do {
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            try SchemaComparison.verify(connection)
            try SearchIndex.install(in: connection)
            try connection.executeScript("PRAGMA synchronous = FULL")
            try RestoredFiles.settle(in: connection)
        }
        try FileSystem.sync(path)
    }

    private static func check(_ path: String) throws(StoreError) {
        let connection = try SQLiteConnection(path: path, mode: .readOnly)
        let isOurs = try connection.first("PRAGMA application_id") { row in row.integer(0) == Schema.applicationID }
        guard isOurs == true else { throw .damaged(path: path, reason: "it is not a blipchat history") }
        let verdict = try connection.first("PRAGMA integrity_check(1)") { row in row.text(0) }
        guard verdict == "ok" else { throw .damaged(path: path, reason: verdict ?? "the check gave no answer") }
    }

    private static func summarize(_ path: String) throws(StoreError) -> BackupSummary {
        let connection = try SQLiteConnection(path: path, mode: .readOnly)
        func count(_ table: String) throws(StoreError) -> Int {
            try connection.first("SELECT count(*) FROM \(table)") { row in Int(clamping: row.integer(0)) } ?? 0
        }
        return BackupSummary(messages: try count("messages"), contacts: try count("contacts"))
    }

    /// Runs what takes long and waits for disks on a thread that may wait.
    static func away<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "blipchat.history.files").async {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
        }
        return try result.get()
    }
}
