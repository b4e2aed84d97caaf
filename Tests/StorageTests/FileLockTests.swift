// Locks that SQLite holds on a history stay, whatever else this process does with the file.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Locks on the history") struct FileLockTests {
    /// The locks of this process on a file, as the kernel lists them.
    private func locks(on path: String) throws -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXFailure(code: errno) }
        let lines = try String(decoding: contents(of: "/proc/locks"), as: UTF8.self).split(separator: "\n")
        return lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
            .filter { $0.contains(" \(getpid()) ") && $0.contains(":\(status.st_ino) ") }
    }

    @Test(
        "what looks at a history that is open here leaves them",
        arguments: ["header", "inspection", "reader", "writer"])
    func looking(_ what: String) async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        try await database.say("x", to: bob)
        let before = try locks(on: folder.database)
        #expect(!before.isEmpty)
        switch what {
        case "header": _ = HistoryDatabase.isOlder(at: folder.database)
        case "inspection": #expect(!(await HistoryInspection.run(at: folder.database, isInUse: true)).isEmpty)
        case "reader": await (try folder.open(readOnly: true)).close()
        default: await (try folder.open()).close()
        }
        #expect(try locks(on: folder.database) == before)
        try await database.say("y", to: bob)
        await database.close()
    }
}
