// Locks that SQLite holds on a history stay, whatever else this process does with the file.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite("Locks on the history") struct FileLockTests {
    /// The locks of this process on a file, as the kernel lists them for its descriptors: the list of the whole machine
    /// is read in pieces, and leaves some out while others come and go.
    private func locks(on path: String) throws -> Set<String> {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXFailure(code: errno) }
        var locks: Set<String> = []
        for descriptor in 0..<1024 as Range<Int32> {
            var found = stat()
            guard fstat(descriptor, &found) == 0, found.st_ino == status.st_ino, found.st_dev == status.st_dev,
                let facts = try? contents(of: "/proc/self/fdinfo/\(descriptor)")
            else { continue }
            for line in String(decoding: facts, as: UTF8.self).split(separator: "\n") where line.hasPrefix("lock:") {
                // Behind the number, which counts what is listed.
                locks.insert(line.split(whereSeparator: \.isWhitespace).dropFirst(2).joined(separator: " "))
            }
        }
        return locks
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
