// Brings a file to the present schema: forward only, one transaction a step, with a copy kept.

internal import ChatCore

/// Applies the steps of a schema that a file lacks.
struct Migration {
    let steps: [String]

    /// The version that the steps lead to.
    var targetVersion: Int { steps.count }

    /// The version of an open file.
    func version(of connection: SQLiteConnection) throws(StoreError) -> Int {
        Int(try connection.first("PRAGMA user_version") { row in row.integer(0) } ?? 0)
    }

    /// Refuses a file that a newer program wrote; changes nothing.
    func refuseNewer(_ connection: SQLiteConnection) throws(StoreError) {
        let found = try version(of: connection)
        guard found <= targetVersion else {
            throw .newerVersion(path: connection.path, found: found, supported: targetVersion)
        }
    }

    /// Runs the missing steps. Before a file with content is changed, a copy is kept beside it as
    /// `NAME.vVERSION.bak` (0600); a step that fails leaves the version before it.
    func apply(to connection: SQLiteConnection) throws(StoreError) {
        try refuseNewer(connection)
        let found = try version(of: connection)
        guard found < targetVersion else { return }
        if found > 0 { try keepCopy(of: connection, version: found) }
        for version in found..<targetVersion {
            try connection.transaction { () throws(StoreError) in
                try connection.executeScript(steps[version])
                try connection.executeScript("PRAGMA user_version = \(version + 1)")
                try connection.executeScript("PRAGMA application_id = \(Schema.applicationID)")
            }
        }
    }

    /// The copy gets its name when it is complete and on the disk, so one that has the name need not be made again.
    private func keepCopy(of connection: SQLiteConnection, version: Int) throws(StoreError) {
        let copy = "\(connection.path).v\(version).bak"
        guard !FileSystem.exists(copy) else { return }
        let part = copy + ".part"
        do throws(StoreError) {
            try FileSystem.remove(part)
            try FileSystem.createNew(part)
            try connection.run("VACUUM INTO ?", .text(part))
            try FileSystem.sync(part)
            try FileSystem.move(part, to: copy)
        } catch {
            try? FileSystem.remove(part)
            throw error
        }
    }

    /// The copies beside a file, complete or not.
    static func copies(of path: String) -> [String] {
        let folder = PathParts.folder(of: path)
        let start = PathParts.lastName(of: path) + ".v"
        return FileSystem.names(in: folder)
            .filter { $0.hasPrefix(start) && ($0.hasSuffix(".bak") || $0.hasSuffix(".bak.part")) }
            .map { "\(folder)/\($0)" }
    }
}
