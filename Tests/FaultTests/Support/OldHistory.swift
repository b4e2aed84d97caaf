// A history of the first version, for tests of what the first start of a newer program does with it.

import ChatCore
import TestSupport

@testable import Storage

/// A history of the first version, as an earlier blipchat has left it.
struct OldHistory {
    let texts: [String]
    private let folder: TemporaryDirectory

    init(messages count: Int) async throws {
        folder = try TemporaryDirectory()
        texts = (0..<count).map { "old \($0)" }
        let path = folder.file("history.sqlite")
        let first = Array(Schema.migrations.prefix(1))
        let database = try await HistoryDatabase.open(at: path, readOnly: false, steps: first)
        let texts = texts
        try await database.writer.perform { connection throws(StoreError) in
            try connection.executeScript(
                """
                INSERT INTO contacts(id, name, folded_name, addresses, trust, added)
                    VALUES(1, 'peer', 'peer', 'blip://127.0.0.1:1', 'unverified', 1);
                INSERT INTO conversations(contact) VALUES(1);
                """)
            for (index, text) in texts.enumerated() {
                try connection.run(
                    """
                    INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, text)
                        VALUES(1, 0, ?, ?, 1, 1, 3, ?)
                    """, .text(MessageID(at: Timestamp(milliseconds: 1)).text), .integer(Int64(index) + 1), .text(text))
            }
        }
        await database.close()
    }

    /// A home with a copy of it.
    func makeHome() async throws -> BlipchatHome {
        let home = try BlipchatHome("jo")
        try home.writeConfiguration("")
        try TestFile.write(TestFile.read(folder.file("history.sqlite")), to: home.historyPath)
        return home
    }
}
