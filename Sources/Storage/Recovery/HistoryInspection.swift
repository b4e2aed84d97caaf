// Looks at a history file from outside and says what is wrong with it, for `blipchat doctor`; and puts right what can be.

package import ChatCore

/// One thing that was checked.
package struct HistoryFinding: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The file, its version, the structure of the database.
        case file, version, integrity
        /// Rows that belong to nothing, figures that do not agree with the messages, the search indexes.
        case orphans, figures, search
        /// The values in individual rows.
        case values
        /// A deletion that has not been finished on the disk; copies from before migrations.
        case purge, copies
        /// The contact with the most text.
        case share
    }
    package enum Verdict: String, Sendable {
        case ok
        /// Works, but somebody should look at it.
        case warning
        case error
    }

    package var kind: Kind
    package var verdict: Verdict
    /// The finding, in words.
    package var text: String

    package init(_ kind: Kind, _ verdict: Verdict, _ text: String) {
        self.kind = kind
        self.verdict = verdict
        self.text = text
    }

    /// `HistoryInspection.repair` can put it right.
    package var isRepairable: Bool {
        guard verdict != .ok else { return false }
        return switch kind {
        case .values, .orphans, .figures, .search, .purge: true
        case .file, .version, .integrity, .copies, .share: false
        }
    }
}

package enum HistoryInspection {
    /// Checks the history at `path`. Changes nothing. `isInUse`: another process has it open, so that the indexes cannot
    /// be compared word by word (that would hold up its writes).
    package static func run(at path: String, isInUse: Bool) async -> [HistoryFinding] {
        do throws(StoreError) {
            return try await HistoryDatabase.away { () throws(StoreError) in
                var inspection = Inspection(path: path)
                return inspection.run(isInUse: isInUse)
            }
        } catch {
            return [HistoryFinding(.file, .error, "cannot be inspected")]
        }
    }

    /// Removes leftovers, counts anew, makes the indexes anew and finishes deletions, in a history that nobody has open.
    package static func repair(at path: String) async throws(StoreError) {
        let database = try await HistoryDatabase.open(at: path)
        do throws(StoreError) {
            try await database.writer.write { connection throws(StoreError) in
                try HistoryValues.mend(HistoryValues.unreadable(in: connection), in: connection)
                try HistoryRepair.adopt(in: connection)
                try HistoryRepair.removeOrphans(in: connection)
                try HistoryRepair.failUnqueued(in: connection)
                try HistoryRepair.recountAll(in: connection)
                try SearchIndex.rebuild(in: connection)
            }
            try await database.purge()
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}

/// One look at one file.
private struct Inspection {
    let path: String
    private var findings: [HistoryFinding] = []

    init(path: String) { self.path = path }

    mutating func run(isInUse: Bool) -> [HistoryFinding] {
        guard FileSystem.exists(path) else {
            return [HistoryFinding(.file, .ok, "there is no history yet; the first start creates it")]
        }
        guard FileSystem.size(path) != 0 else {
            return [HistoryFinding(.integrity, .error, "the file is empty")]
        }
        let migration = Migration(steps: Schema.migrations)
        if let found = FileSystem.userVersionInHeader(path), found > migration.targetVersion {
            return [
                HistoryFinding(
                    .version, .error,
                    "version \(found); this program supports \(migration.targetVersion) (update blipchat)")
            ]
        }
        do throws(StoreError) {
            let connection = try SQLiteConnection(path: path, mode: .readOnly)
            try SearchIndex.install(in: connection)
            let version = try migration.version(of: connection)
            guard version == migration.targetVersion else {
                // The tables are others, but damage is damage: a start would refuse it, and recovery reads any version.
                guard try checkIntegrity(connection), try checkSchema(connection) else { return findings }
                return [
                    HistoryFinding(
                        .version, .warning,
                        "version \(version); the next start upgrades it to \(migration.targetVersion)"
                    )
                ]
            }
            let size = (FileSystem.size(path) ?? 0) >> 20
            let messages = try count("SELECT count(*) FROM messages", connection)
            note(.file, .ok, "\(messages) messages, \(size) MiB, version \(version)")
            guard try checkIntegrity(connection), try checkSchema(connection) else { return findings }
            try checkValues(connection)
            try checkOrphans(connection)
            try checkFigures(connection)
            try checkIndexes(connection, isInUse: isInUse)
            try checkPurge(connection)
            try tellLargest(connection)
        } catch {
            note(Self.kind(of: error), .error, Self.words(error))
        }
        checkCopies()
        return findings
    }

    private mutating func note(_ kind: HistoryFinding.Kind, _ verdict: HistoryFinding.Verdict, _ text: String) {
        findings.append(HistoryFinding(kind, verdict, text))
    }

    private func count(_ sql: String, _ connection: SQLiteConnection) throws(StoreError) -> Int {
        try connection.first(sql) { row in Int(clamping: row.integer(0)) } ?? 0
    }

    private mutating func checkIntegrity(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        let complaints = try connection.all("PRAGMA integrity_check(5)") { row in row.text(0) }
        guard complaints == ["ok"] else {
            note(.integrity, .error, "damaged: \(complaints.joined(separator: "; "))")
            return false
        }
        note(.integrity, .ok, "the structure of the database is sound")
        return true
    }

    /// An object in the schema that blipchat has not made may do anything when a row is written. A recovery takes the
    /// rows and leaves the rest.
    private mutating func checkSchema(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        let version = try Migration(steps: Schema.migrations).version(of: connection)
        let difference = try SchemaComparison.difference(
            of: connection, steps: Schema.migrations.prefix(max(version, 0)))
        guard let difference else { return true }
        note(.integrity, .error, "changed by another program: \(difference)")
        return false
    }

    private mutating func checkValues(_ connection: SQLiteConnection) throws(StoreError) {
        let rows = try HistoryValues.unreadable(in: connection)
        rows.isEmpty
            ? note(.values, .ok, "every row can be read")
            : note(.values, .error, "unreadable: \(HistoryValues.words(rows))")
    }

    private mutating func checkOrphans(_ connection: SQLiteConnection) throws(StoreError) {
        var found: [String] = []
        for (what, table, condition) in HistoryRepair.orphans {
            let number = try count("SELECT count(*) FROM \(table) WHERE \(condition)", connection)
            if number > 0 { found.append("\(number) \(what)") }
        }
        let lonely = try count("SELECT count(*) FROM contacts WHERE \(HistoryRepair.lonely)", connection)
        if lonely > 0 { found.append("\(lonely) contacts without a conversation") }
        let unqueued = try count("SELECT count(*) FROM messages WHERE \(HistoryRepair.unqueued)", connection)
        if unqueued > 0 { found.append("\(unqueued) messages on their way but not queued") }
        found.isEmpty
            ? note(.orphans, .ok, "every row belongs to something")
            : note(.orphans, .error, found.joined(separator: ", "))
    }

    private mutating func checkFigures(_ connection: SQLiteConnection) throws(StoreError) {
        let wrong = try count("SELECT count(*) FROM conversations WHERE \(HistoryRepair.wrongFigures)", connection)
        wrong == 0
            ? note(.figures, .ok, "counts and unread marks agree with the messages")
            : note(.figures, .error, "\(wrong) conversations have wrong counts")
    }

    private mutating func checkIndexes(_ connection: SQLiteConnection, isInUse: Bool) throws(StoreError) {
        for table in SearchIndex.tables {
            // The sizes of the indexed texts: one row for each (https://www.sqlite.org/fts5.html, "docsize").
            let missing = try count(
                """
                SELECT count(*) FROM messages WHERE position NOT IN (SELECT id FROM \(table)_docsize)
                    AND position NOT IN (SELECT position FROM waiting)
                """, connection)
            let extra = try count(
                "SELECT count(*) FROM \(table)_docsize WHERE id NOT IN (SELECT position FROM messages)", connection)
            guard missing == 0, extra == 0 else {
                return note(
                    .search, .error, "\(missing) messages are not in the search index, \(extra) deleted ones still are")
            }
        }
        let missing = try count(ShownTimes.missing, connection)
        guard missing == 0 else {
            return note(.search, .error, "searching by time misses \(missing) messages")
        }
        guard !isInUse else {
            return note(
                .search, .ok,
                "every message is in the search index (its words are compared while blipchat is not running)")
        }
        guard try !SearchIndex.isBehind(in: connection) else {
            return note(.search, .ok, "the next start adds the newest messages to the search index")
        }
        // Needs a connection that could write; it does not.
        let other = try SQLiteConnection(path: path, mode: .readWrite)
        try SearchIndex.install(in: other)
        try SearchIndex.isConsistent(in: other)
            ? note(.search, .ok, "the search index agrees with the messages")
            : note(.search, .error, "the search index does not agree with the messages")
    }

    /// Whose messages take most of the disk.
    private mutating func tellLargest(_ connection: SQLiteConnection) throws(StoreError) {
        let largest = try connection.first(
            """
            SELECT c.name, sum(coalesce(length(CAST(m.text AS BLOB)), 0)) AS bytes, count(*) FROM messages m
            JOIN contacts c ON c.id = m.contact WHERE m.outgoing = 0 GROUP BY m.contact ORDER BY bytes DESC LIMIT 1
            """
        ) { row in (name: row.text(0), bytes: row.integer(1), messages: row.integer(2)) }
        guard let largest else { return }
        let size = largest.bytes < 1 << 20 ? "\(largest.bytes >> 10) KiB" : "\(largest.bytes >> 20) MiB"
        note(.share, .ok, "most of the text is from \(largest.name): \(size) in \(largest.messages) messages")
    }

    private mutating func checkPurge(_ connection: SQLiteConnection) throws(StoreError) {
        let isWaiting = try count(
            "SELECT count(*) FROM settings WHERE key = '\(HistoryDatabase.purgeKey)'", connection)
        if isWaiting > 0 {
            note(
                .purge, .warning, "free parts of the file still hold deleted messages; the next start erases them")
        }
    }

    private mutating func checkCopies() {
        let folder = PathParts.folder(of: path)
        let name = PathParts.lastName(of: path)
        let old = FileSystem.names(in: folder)
            .filter { $0.hasPrefix(name + ".old-") && !$0.hasSuffix("-wal") }.map { "\(folder)/\($0)" }
        for copy in Migration.copies(of: path) + old {
            note(.copies, .warning, "\(copy) is an older copy of the history (delete it when you no longer need it)")
        }
    }

    /// An error that keeps us from looking says nothing about the contents.
    private static func kind(of error: StoreError) -> HistoryFinding.Kind {
        switch error {
        case .diskFull, .cannotOpen, .fileExists, .locked: .file
        case .damaged, .failed, .nameTaken, .notFound, .newerVersion, .replaced: .integrity
        }
    }

    private static func words(_ error: StoreError) -> String {
        switch error {
        case .damaged(_, let reason): "damaged: \(reason)"
        case .cannotOpen(_, let reason): "cannot be opened: \(reason)"
        case .failed(let code, let reason): "error \(code): \(reason)"
        case .locked: "held by another process"
        case .diskFull: "the disk is full"
        case .nameTaken, .notFound, .newerVersion, .replaced, .fileExists: "\(error)"
        }
    }
}
