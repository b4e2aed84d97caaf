// What the storage tests share: a folder that goes away, a database in it, and short ways to fill it.

import ChatCore
import Glibc

@testable import Storage

/// A folder of its own for one test.
final class TestFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/blipchat-storage-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw POSIXFailure(code: errno) }
        path = String(cString: made)
    }

    deinit {
        rmdir(database)
        chmod(path, 0o700)
        for name in names() { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The files in it, by name.
    func names() -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    var database: String { path + "/history.sqlite" }

    func open(readOnly: Bool = false) async throws -> HistoryDatabase {
        try await HistoryDatabase.open(at: database, readOnly: readOnly)
    }
}

extension TestFolder {
    /// What the next start after a crash right now would find.
    func textsAfterCrash(of contact: ContactID) async throws -> [String] {
        for suffix in ["", "-wal", "-shm"] { unlink(database + ".copy" + suffix) }
        try overwrite(database + ".copy", with: contents(of: database))
        // There is no log before the first commit to a file that was put back.
        if access(database + "-wal", F_OK) == 0 {
            try overwrite(database + ".copy-wal", with: contents(of: database + "-wal"))
        }
        let copy = try await HistoryDatabase.open(at: database + ".copy")
        let texts = try await copy.page(of: contact, .newest, limit: 100).map(\.text)
        await copy.close()
        return texts
    }

    /// How many commits are in the log: frames of 24 bytes and a page, where the size of the file that a commit leaves
    /// stands in the second word and is 0 in all other frames (https://www.sqlite.org/fileformat2.html#walformat).
    func commitsInLog() throws -> Int {
        let log = try contents(of: database + "-wal")
        return stride(from: 32, to: log.count, by: 24 + 4096).count { log[($0 + 4)..<($0 + 8)].contains { $0 != 0 } }
    }
}

struct POSIXFailure: Error {
    let code: Int32
}

/// The bytes of a file.
func contents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw POSIXFailure(code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw POSIXFailure(code: errno) }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// Writes `bytes` at `offset` of a file, which is made when it is not there.
func overwrite(_ path: String, at offset: Int = 0, with bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw POSIXFailure(code: errno) }
    defer { close(descriptor) }
    guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else { throw POSIXFailure(code: errno) }
}

extension HistoryDatabase {
    func contact(_ name: String, key: UInt8? = nil) async throws -> ContactID {
        try await addContact(
            NewContact(
                peerID: key.flatMap(peerID), name: name,
                addresses: [PeerAddress(host: "127.0.0.1", port: 4985)], added: .init(milliseconds: 1))
        ).id
    }

    @discardableResult
    func say(_ text: String, to contact: ContactID, at time: Int64 = 1_000) async throws -> ChatMessage {
        try await enqueueMessage(to: contact, text: text, replyTo: nil, at: Timestamp(milliseconds: time))
    }

    @discardableResult
    func hear(_ text: String, from contact: ContactID, id: MessageID? = nil, at time: Int64 = 1_000) async throws
        -> AppendOutcome
    {
        try await appendIncoming(incoming(.text(text), from: contact, id: id, at: time))
    }

    /// On a busy machine a search may take longer than anybody would wait.
    func texts(_ query: SearchQuery) async throws -> [String] {
        try await search(query, timeLimit: .seconds(60)).hits.map(\.text)
    }
    func texts(_ query: String) async throws -> [String] { try await texts(SearchQuery(text: query)) }
}

func incoming(
    _ content: IncomingMessage.Content, from contact: ContactID, id: MessageID? = nil, at time: Int64 = 1_000
) -> IncomingMessage {
    IncomingMessage(
        id: id ?? MessageID(at: Timestamp(milliseconds: time)), contact: contact, sequence: 1,
        sent: Timestamp(milliseconds: time), received: Timestamp(milliseconds: time + 5), content: content)
}

func peerID(_ byte: UInt8) -> PeerID? {
    // 52 characters of base32 for 32 bytes; the last one holds a single bit. The first differs where the others do not.
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    let (round, place) = Int(byte).quotientAndRemainder(dividingBy: 32)
    return PeerID(String(alphabet[(place + round) % 32]) + String(repeating: alphabet[place], count: 50) + "a")
}

extension ChatMessage {
    /// The text of a text message, the name of a file.
    var text: String {
        switch content {
        case .text(let text): text
        case .file(let transfer): transfer.name
        }
    }
}

extension AppendOutcome {
    var inserted: ChatMessage? {
        if case .stored(let changes) = self, case .added(let message)? = changes.first { message } else { nil }
    }
}
