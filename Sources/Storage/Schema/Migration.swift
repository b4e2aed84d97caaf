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
    /// `NAME.vVERSION.bak`; a step that fails leaves the version before it.
    func apply(to connection: SQLiteConnection) throws(StoreError) {
        try refuseNewer(connection)
        let found = try version(of: connection)
        guard found < targetVersion else { return }
        if found > 0 {
            let copy = "\(connection.path).v\(found).bak"
            // An interrupted earlier attempt may have left a copy of the same version: that one is as good.
            if !FileSystem.exists(copy) { try connection.run("VACUUM INTO ?", .text(copy)) }
        }
        for version in found..<targetVersion {
            try connection.transaction { () throws(StoreError) in
                try connection.executeScript(steps[version])
                try connection.executeScript("PRAGMA user_version = \(version + 1)")
                try connection.executeScript("PRAGMA application_id = \(Schema.applicationID)")
            }
        }
    }
}
