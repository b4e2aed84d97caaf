// The SQLite file of `HistoryStore`: opening, checking, closing. Everything that it stores is in the files by topic.

package import ChatCore
internal import Synchronization

/// The history of one installation in one SQLite file (WAL; `CommitDurability` says which commits are synced).
///
/// Writes run on one connection and queue, reads on another, so that a page or a search never waits for a commit.
/// A reader sees everything that was committed before it began. With `readOnly` several processes may look at the file
/// while one has it open for writing.
package final class HistoryDatabase: Sendable {
    let path: String
    let isReadOnly: Bool
    /// Indexing is on its way.
    let willIndex = Atomic(false)
    /// Counts what came that is to be indexed.
    let arrivals = Atomic(0)
    /// Positions from here up are in use or given to an import that is not finished.
    let importFloor = Mutex<Int64>(0)
    /// An import of this process writes down how far it is.
    let isImporting = Atomic(false)
    let writer: DatabaseQueue
    let reader: DatabaseQueue
    let watcher = Mutex(Watcher())
    let place: HistoryPlace

    private init(
        path: String, isReadOnly: Bool, writer: DatabaseQueue, reader: DatabaseQueue, place: HistoryPlace
    ) {
        self.place = place
        self.path = path
        self.isReadOnly = isReadOnly
        self.writer = writer
        self.reader = reader
    }

    /// Opens the history at `path`; creates it (0600) unless `readOnly`. With `evenIfDamaged` a damaged file is opened
    /// for reading: what can be read of it can be shown and exported; the rest throws `.damaged` where it is met.
    ///
    /// - Throws: `.damaged` when the file is no database or fails its check, `.newerVersion` (the file is left as it
    ///   is), `.cannotOpen`, `.locked`, `.diskFull`.
    package static func open(
        at path: String, readOnly: Bool = false, evenIfDamaged: Bool = false
    ) async throws(StoreError) -> HistoryDatabase {
        try await open(
            at: path, readOnly: readOnly || evenIfDamaged, evenIfDamaged: evenIfDamaged, steps: Schema.migrations)
    }

    static func open(
        at path: String, readOnly: Bool, evenIfDamaged: Bool = false, steps: [String]
    ) async throws(StoreError) -> HistoryDatabase {
        let migration = Migration(steps: steps)
        if !readOnly { try finishRestore(path) }
        if readOnly {
            guard FileSystem.exists(path) else { throw .cannotOpen(path: path, reason: "there is no history yet") }
        } else {
            try begin(path)
            try FileSystem.createPrivately(path)
        }
        // We never leave it so: it has lost what it held. To begin anew in it would hide that.
        guard FileSystem.size(path) != 0 else {
            throw .damaged(path: path, reason: "it is empty; restore a copy, or delete it to start over")
        }
        // A newer file must not even be opened for writing: that alone could change it.
        if let found = FileSystem.userVersionInHeader(path), found > migration.targetVersion {
            throw .newerVersion(path: path, found: found, supported: migration.targetVersion)
        }
        let needsCheck = !evenIfDamaged && shouldCheck(path)
        let place = HistoryPlace(path: path)
        let writer = try DatabaseQueue(label: "blipchat.history.writer", place: readOnly ? nil : place) {
            () throws(StoreError) in
            let connection = try SQLiteConnection(path: path, mode: readOnly ? .readOnly : .readWrite)
            try configure(connection, readOnly: readOnly)
            return connection
        }
        let isBehind = try await writer.perform { connection throws(StoreError) in
            try migration.refuseNewer(connection)
            if needsCheck { try check(connection) }
            // Before anything is written that a foreign trigger could answer.
            if !evenIfDamaged { try SchemaComparison.verify(connection, steps: steps) }
            if readOnly {
                let found = try migration.version(of: connection)
                guard found == migration.targetVersion else {
                    throw .cannotOpen(
                        path: path, reason: "it has version \(found) and must be opened for writing first")
                }
            } else {
                try migration.apply(to: connection)
            }
            guard !readOnly, steps.count >= Schema.migrations.count else { return false }
            // A full disk is no reason not to open.
            try? ImportMark.settle(connection)
            return (try? SearchIndex.isBehind(in: connection)) ?? true
        }
        let reader = try DatabaseQueue(label: "blipchat.history.reader") { () throws(StoreError) in
            let connection = try SQLiteConnection(path: path, mode: .readOnly)
            try configure(connection, readOnly: true)
            return connection
        }
        place.watch(reader)
        let database = HistoryDatabase(
            path: path, isReadOnly: readOnly, writer: writer, reader: reader, place: place)
        // A process that was killed left these. A full disk is no reason not to open: searches look at them themselves.
        if isBehind { try? await database.index(atMost: indexedAtOnce) }
        return database
    }

    /// Opens the history for reading where not even that is possible beside others: without room for the memory that
    /// processes share, on a full disk. Nobody else may have it open, and the caller keeps it so.
    ///
    /// - Throws: as `open`.
    package static func openAlone(at path: String) async throws(StoreError) -> HistoryDatabase {
        let queue = try DatabaseQueue(label: "blipchat.history.alone") { () throws(StoreError) in
            let connection = try SQLiteConnection(path: path, mode: .alone)
            try configure(connection, readOnly: true)
            return connection
        }
        try await queue.perform { connection throws(StoreError) in
            let migration = Migration(steps: Schema.migrations)
            try migration.refuseNewer(connection)
            let found = try migration.version(of: connection)
            guard found == migration.targetVersion else {
                throw .cannotOpen(path: path, reason: "it has version \(found) and must be opened for writing first")
            }
        }
        return HistoryDatabase(
            path: path, isReadOnly: true, writer: queue, reader: queue, place: HistoryPlace(path: path))
    }

    /// Makes the file where there is none. It gets its name with a first page in it, so that an empty one is never ours.
    private static func begin(_ path: String) throws(StoreError) {
        guard !FileSystem.exists(path) else { return }
        try removeStrayLog(of: path)
        let new = path + ".new"
        try FileSystem.removeDatabase(new)
        try FileSystem.createNew(new)
        do throws(StoreError) {
            try SQLiteConnection(path: new, mode: .readWrite).executeScript("CREATE TABLE begun(x); DROP TABLE begun")
            try FileSystem.move(new, to: path)
        } catch {
            try? FileSystem.removeDatabase(new)
            throw error
        }
    }

    /// The log of a file that is not there any more would be taken for that of the next one under its name.
    static func removeStrayLog(of path: String) throws(StoreError) {
        for suffix in ["-wal", "-shm", "-journal"] { try FileSystem.remove(path + suffix) }
    }

    /// Whether the file at `path` was written by an earlier version: the next start brings it to the present one, and
    /// until then it cannot be read.
    package static func isOlder(at path: String) -> Bool {
        FileSystem.userVersionInHeader(path).map { $0 < Schema.migrations.count } ?? false
    }

    /// Closes both connections after the work that is queued. The last writer to close folds the WAL into the file.
    package func close() async {
        // The next start would do it as well.
        if !isReadOnly { try? await index(atMost: Self.indexedAtOnce) }
        await reader.close()
        await writer.close()
    }

    /// Damage is found at the start where that is cheap: always in a small file, in one of middle size when the last
    /// writer did not close it. Later damage is found by the statement that meets it.
    private static func shouldCheck(_ path: String) -> Bool {
        guard let size = FileSystem.size(path), size > 0 else { return false }
        let wasClosed = (FileSystem.size(path + "-wal") ?? 0) == 0
        return size <= (wasClosed ? 8 << 20 : 256 << 20)
    }

    private static func check(_ connection: SQLiteConnection) throws(StoreError) {
        let verdict = try connection.first("PRAGMA quick_check(1)") { row in row.text(0) }
        guard verdict == "ok" else {
            // In the lines above the error SQLite writes in which of its databases it is.
            let reason = verdict?.split(separator: "\n").last.map(String.init)
            throw .damaged(path: connection.path, reason: reason ?? "the check gave no answer")
        }
    }

    /// Pages that a connection keeps in memory: 1 MiB. The system keeps the rest of the file.
    static let usualCache = "PRAGMA cache_size = -1024"

    private static func configure(_ connection: SQLiteConnection, readOnly: Bool) throws(StoreError) {
        if !readOnly {
            // The mode sticks to the file; a file system without shared memory keeps the rollback journal, which
            // is as safe.
            let mode = try connection.first("PRAGMA journal_mode = WAL") { row in row.text(0) }
            try connection.executeScript("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            if mode == "wal" { connection.keepLogSpace() }
        }
        try connection.executeScript("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \(usualCache)")
        try SearchIndex.install(in: connection)
    }
}

extension HistoryDatabase: HistoryStore {}
