// The fuzz target of the history: recovery of database files that SQLite cannot read.

import ChatCore
import TestSupport

@testable import Storage

extension FuzzTarget {
    /// The targets of this folder.
    static let storage: [FuzzTarget] = [FuzzTarget(name: "raw-pages", run: fuzzRawPages)]
}

/// Any bytes as a database file with its log: every page is read within its bounds, and what is found of it makes a
/// history that SQLite calls whole.
func fuzzRawPages(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    let log = configuration & 1 == 1 ? Array(input.piece()) : []
    let folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let path = folder.file("damaged.sqlite")
    try TestFile.write(Array(input.remainder()), to: path)
    if configuration & 1 == 1 { try TestFile.write(log, to: path + "-wal") }

    let pages = try RawPages(path: path)
    let reader = RawRecordReader(pages: pages)
    // A log may name pages far behind its end: only those that exist cost anything.
    for number in 1...max(1, min(pages.count, 200)) {
        for record in reader.records(onPage: number) {
            try require(record.values.count <= 100, "a record of \(record.values.count) values")
        }
    }
    guard configuration & 6 == 6, pages.count <= 200 else { return }
    try fuzzTask {
        let database = try await HistoryDatabase.open(at: folder.file("new.sqlite"))
        let verdict = try await database.writer.perform { connection throws(StoreError) -> String in
            _ = try HistoryRecovery.fill(connection, from: path)
            return try connection.first("PRAGMA integrity_check") { $0.text(0) } ?? ""
        }
        await database.close()
        try require(verdict == "ok", "what was recovered is damaged: \(verdict)")
    }
}
