// The write-ahead log is longer than what is in it, and nobody takes the rest for something.

import ChatCore
import Testing

@testable import Storage

@Suite("Room in the log") struct LogSpaceTests {
    @Test("is made before it is needed, a mebibyte at a time, and not for a few messages")
    func growing() async throws {
        let folder = try TestFolder()
        // The first start has written all the tables.
        let first = try await folder.open()
        let bob = try await first.contact("bob")
        await first.close()
        let database = try await folder.open()
        func size() throws -> Int { try contents(of: folder.database + "-wal").count }
        try await database.say("one", to: bob)
        #expect(try size() < 1 << 20)
        for number in 0..<12 { try await database.say("\(number)", to: bob) }
        let grown = try size()
        #expect(grown >= 1 << 20)
        // Nothing is written behind the end for a while.
        for number in 12..<22 { try await database.say("\(number)", to: bob) }
        #expect(try size() == grown)
        #expect(try await folder.textsAfterCrash(of: bob).count == 23)
        #expect(try folder.commitsInLog() >= 23)
        await database.close()
        #expect(folder.names().filter { $0.hasSuffix("history.sqlite-wal") }.isEmpty)
    }

    @Test("ends at sixteen mebibytes: then the log is folded into the file and begins anew")
    func folding() async throws {
        let folder = try TestFolder()
        let database = try await folder.open()
        let bob = try await database.contact("bob")
        let long = String(repeating: "long ", count: 10_000)
        var largest = 0
        for number in 0..<350 {
            try await database.say("\(number) \(long)", to: bob)
            if number % 50 == 0 { largest = max(largest, try contents(of: folder.database + "-wal").count) }
        }
        // And the commit that filled it, which may be one of the search indexes'.
        #expect(largest <= (LogSpace.frameLimit + 1_500) * (24 + 4096))
        #expect(try contents(of: folder.database).count > 8 << 20)
        #expect(try await folder.textsAfterCrash(of: bob).count == 100)
        await database.close()
    }
}
