// What is made once and must not be lost: the order in which it reaches the disk, from a trace of the system calls.

import Glibc
import TestSupport
import TestTraits
import Testing

@testable import Storage

@Suite(
    "What is made once", .serialized,
    .looksIntoBlipchat,
    .enabled("strace may not trace here: nothing is known of the order on the disk") { try await Injection.canTrace() })
struct DurableNamesTests {
    @Test("the key: the file is synchronised before it gets its name, and the folder behind that")
    func key() async throws {
        let home = try BlipchatHome("jo")
        let calls = try await trace("linkat,renameat,renameat2,fsync,fdatasync", of: ["id"], in: home)
        let named = try #require(calls.firstIndex { $0.contains("\"identity.key\"") })
        #expect(calls[..<named].contains { $0.isSync(of: "\(home.path)/identity.key.", isWhole: false) })
        #expect(calls[named...].contains { $0.isSync(of: home.path) })
    }

    @Test("the history: its folder is synchronised before anything is stored in it")
    func history() async throws {
        let home = try BlipchatHome("jo")
        // The key is there already: the same folder is synchronised for it, too.
        #expect(try await home.run("id").status == .exited(0))
        let calls = try await trace(
            "rename,renameat,renameat2,fsync,fdatasync", of: ["contacts", "add", "127.0.0.1:1", "--name", "bob"],
            in: home)
        let named = try #require(calls.firstIndex { $0.contains("\"\(home.historyPath).new\"") })
        let synced = try #require(calls[named...].firstIndex { $0.isSync(of: home.path) })
        // SQLite synchronises the folder, too, but only behind its journal.
        let journal = try #require(
            calls[named...].firstIndex { $0.isSync(of: home.historyPath + "-", isWhole: false) })
        #expect(synced < journal)
    }

    @Test("the copy of a migration: synchronised before it gets its name, and both before the migration")
    func copy() async throws {
        let home = try await OldHistory(messages: 3).makeHome()
        let calls = try await trace(
            "rename,renameat,renameat2,fsync,fdatasync", of: ["send", "peer", "new", "--queue"], in: home)
        let copy = home.historyPath + ".v1.bak"
        let named = try #require(calls.firstIndex { $0.contains("\"\(copy).part\"") })
        #expect(calls[..<named].contains { $0.isSync(of: copy + ".part") })
        let synced = try #require(calls[named...].firstIndex { $0.isSync(of: home.path) })
        #expect(!calls[..<synced].contains { $0.isSync(of: home.historyPath + "-wal") })
    }

    /// The calls of a command that succeeds, with the paths of descriptors, in the order in which they began.
    private func trace(
        _ calls: String, of arguments: [String], in home: BlipchatHome
    ) async throws -> [Substring] {
        let log = home.folder.file("strace")
        let process = try home.start(arguments, with: .tracing(calls, to: log))
        let status = try await process.waitForExit()
        #expect(status == .exited(0), "\(process.errorOutput)")
        return TestFile.text(log).split(separator: "\n")
    }
}

extension Substring {
    /// Whether it is a sync of this file, or of one whose path begins so.
    fileprivate func isSync(of path: String, isWhole: Bool = true) -> Bool {
        contains("sync(") && contains("<\(path)" + (isWhole ? ">" : ""))
    }
}
