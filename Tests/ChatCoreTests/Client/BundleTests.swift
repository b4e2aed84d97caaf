// Small files of a folder that travel together: as whole, as safe and as separate as single ones.

import BLIPNet
import CLinux
import Glibc
import Testing

@testable import ChatCore

@Suite("Small files together") struct BundleTests {
    /// A folder of small files in two depths, and one that is too large to travel with them.
    private func makeFolder(_ count: Int, at path: String) throws -> [String: [UInt8]] {
        var files = ["large.bin": pseudoRandom(100_000, seed: 1)]
        for folder in ["", "/deep"] { mkdir(path + folder, 0o755) }
        for number in 1...count {
            let name = number.isMultiple(of: 3) ? "deep/\(number).txt" : "\(number).txt"
            files[name] = pseudoRandom(number * 7, seed: UInt64(number))
        }
        for (name, bytes) in files { try writeFile(path + "/" + name, bytes) }
        return files
    }

    private func expectFiles(_ files: [String: [UInt8]], in folder: String) throws {
        for (name, bytes) in files { #expect(try readFile(folder + "/" + name) == bytes, "\(name)") }
        #expect(count(in: folder) == files.count + 1, "nothing is left over")
    }

    private func count(in folder: String) -> Int { names(in: folder).count + names(in: folder + "/deep").count }

    private func sendFolder(_ path: String, over pair: TransferPair) async throws -> [ChatMessage] {
        try await pair.alice.client.ask(
            .sendFolder(at: path, caption: "", to: pair.alice.contactID("bob"))
        ).messages
    }

    /// Bob accepts the folder with its first file.
    private func accept(_ messages: [ChatMessage], at bob: TestPeer) async throws {
        for message in messages { try await bob.waitForState(.offered, of: message.id) }
        let first = try #require(messages.first?.id)
        try await bob.client.ask(.acceptTransfer(try await bob.row(first).number, into: nil))
    }

    @Test("few requests bring many files, each whole and under its name", arguments: [false, true])
    func together(byRule: Bool) async throws {
        let pair = try await TransferPair(accepting: byRule ? .max : nil)
        let path = pair.alice.home + "/many"
        let files = try makeFolder(150, at: path)
        let messages = try await sendFolder(path, over: pair)
        if !byRule { try await accept(messages, at: pair.bob) }
        for message in messages { try await pair.bob.waitForState(.complete, of: message.id) }
        for message in messages { try await pair.alice.waitForState(.complete, of: message.id) }
        try expectFiles(files, in: pair.bob.downloads + "/many")
        let alone = Set(pair.bob.tap.requests("file-get").compactMap { $0["Id"] })
        // The first one of all makes the folder, and the large one travels by itself.
        #expect(alone.count <= 3, "\(alone.count) files came by themselves")
        #expect(pair.bob.tap.requests("file-bundle").count >= 2)
        for message in messages {
            let row = try await pair.bob.row(message.id)
            #expect(row.sha256 == (try sha256(of: try #require(row.path))))
            #expect(row.transferred == row.size && row.finished != nil)
        }
        await pair.stop()
    }

    @Test("a program that does not know bundles gets and gives each file by itself", arguments: [false, true])
    func oldPeer(sends: Bool) async throws {
        let pair = try await TransferPair(
            alice: { if sends { $0.limits.bundles.running = 0 } }, bob: { if !sends { $0.limits.bundles.running = 0 } })
        let path = pair.alice.home + "/many"
        let files = try makeFolder(20, at: path)
        let messages = try await sendFolder(path, over: pair)
        for message in messages { try await pair.bob.waitForState(.complete, of: message.id) }
        try expectFiles(files, in: pair.bob.downloads + "/many")
        #expect(pair.bob.tap.requests("file-bundle").isEmpty)
        await pair.stop()
    }

    @Test("a file that has changed since the offer, or is gone, fails with its reason; the others come")
    func unusual() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = pair.alice.home + "/many"
        var files = try makeFolder(30, at: path)
        let messages = try await sendFolder(path, over: pair)
        for message in messages { try await pair.bob.waitForState(.offered, of: message.id) }
        try writeFile(path + "/10.txt", Array("another text".utf8))
        unlink(path + "/11.txt")
        // As many bytes as before: only the time tells.
        try writeFile(path + "/13.txt", try #require(files["13.txt"]).reversed())
        for name in ["10.txt", "11.txt", "13.txt"] { files[name] = nil }
        // Not with one of these three.
        let first = try #require(
            messages.first { if case .file(let file) = $0.content { file.name == "1.txt" } else { false } })
        try await pair.bob.client.ask(.acceptTransfer(try await pair.bob.row(first.id).number, into: nil))
        for message in messages {
            guard case .file(let file) = message.content else { continue }
            let state: FileTransfer.State = ["10.txt", "11.txt", "13.txt"].contains(file.name) ? .failed : .complete
            try await pair.bob.waitForState(state, of: message.id)
            try await pair.alice.waitForState(state, of: message.id)
            guard state == .failed else { continue }
            let reason = file.name == "11.txt" ? TransferReason.sourceGone : TransferReason.sourceChanged
            #expect(try await pair.bob.row(message.id).reason == reason)
        }
        // Behind the answer to their news.
        let folder = pair.bob.downloads + "/many"
        try await eventually("nothing is left over", state: { "\(names(in: folder)) \(names(in: folder + "/deep"))" }) {
            count(in: folder) == files.count + 1
        }
        try expectFiles(files, in: pair.bob.downloads + "/many")
        await pair.stop()
    }

    @Test("a link that breaks between request and answer costs nothing: the next one brings them")
    func cut() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = pair.alice.home + "/many"
        let files = try makeFolder(150, at: path)
        let messages = try await sendFolder(path, over: pair)
        pair.bob.tap.cut(after: 2, of: "file-bundle")
        try await accept(messages, at: pair.bob)
        for message in messages { try await pair.bob.waitForState(.complete, of: message.id) }
        for message in messages { try await pair.alice.waitForState(.complete, of: message.id) }
        try expectFiles(files, in: pair.bob.downloads + "/many")
        #expect(pair.bob.tap.connections > 1)
        await pair.stop()
    }

    @Test(
        "a folder that is cancelled while a bundle of it is on its way leaves nothing, not even an empty folder",
        arguments: [true, false])
    func cancelled(bySender: Bool) async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = pair.alice.home + "/many"
        _ = try makeFolder(40, at: path)
        let messages = try await sendFolder(path, over: pair)
        pair.alice.tap.holdReplies(to: "file-bundle")
        try await accept(messages, at: pair.bob)
        try await eventually("a bundle is asked for") { !pair.bob.tap.requests("file-bundle").isEmpty }
        let canceller = bySender ? pair.alice : pair.bob
        let last = try #require(messages.last?.id)
        try await canceller.client.ask(.cancelFolder(of: try await canceller.row(last).number))
        for message in messages {
            try await eventually("it is over") { try await pair.bob.row(message.id).state.isFinal }
        }
        pair.alice.tap.releaseReplies()
        try await eventually("the bundle has been taken") {
            await pair.bob.client.run { client in messages.allSatisfy { !client.book.transfers.isUnderWay($0.id) } }
        }
        // Files that arrived before the user cancelled the folder stay.
        var complete = Set<String>()
        for message in messages {
            let row = try await pair.bob.row(message.id)
            if row.state == .complete { complete.insert(try #require(row.path)) }
        }
        let folder = pair.bob.downloads + "/many"
        try await eventually(
            "only complete files are left", state: { "\(names(in: folder)), \(names(in: folder + "/deep"))" }
        ) {
            let paths =
                names(in: folder).map { folder + "/" + $0 }
                + names(in: folder + "/deep").map {
                    folder + "/deep/" + $0
                }
            return paths.allSatisfy { path in complete.contains { $0 == path || $0.hasPrefix(path + "/") } }
        }
        await pair.stop()
    }

    @Test("what a run has left half done goes on in the next one")
    func restart() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = pair.alice.home + "/many"
        let files = try makeFolder(40, at: path)
        let messages = try await sendFolder(path, over: pair)
        pair.bob.tap.cut(after: 1, of: "file-bundle", staysDown: true)
        try await accept(messages, at: pair.bob)
        try await eventually("the link is down") { pair.bob.tap.isDown }
        try await pair.bob.restart(starting: false)
        pair.bob.tap.restore()
        try await pair.bob.start()
        for message in messages { try await pair.bob.waitForState(.complete, of: message.id) }
        try expectFiles(files, in: pair.bob.downloads + "/many")
        await pair.stop()
    }

    @Test("who is not offered a file, or asks for too much, gets nothing of it")
    func refused() async throws {
        let pair = try await TransferPair(accepting: nil)
        let path = pair.alice.home + "/many"
        _ = try makeFolder(3, at: path)
        let messages = try await sendFolder(path, over: pair)
        for message in messages { try await pair.bob.waitForState(.offered, of: message.id) }
        let foreign = MessageID(at: Timestamp(milliseconds: 1))
        let ids = messages.map(\.id) + [foreign]
        let link = try #require(await pair.bob.client.link(with: "alice"))
        let answer = try await link.connection.submit(FileBundleRequest(ids: ids).encoded(), bodySink: nil).value()
        let parts = try FileBundleReply(decoding: answer).parts
        #expect(parts.map(\.id) == ids)
        for (id, part) in parts {
            let file = messages.first { $0.id == id }.map(\.content)
            switch (part, file) {
            case (.refused(code: 403), nil): break
            case (.refused(code: 416), .file(let file)): #expect(file.name == "large.bin")
            case (.file(let content), .file(let file)):
                #expect(UInt64(content.bytes.count) == file.size && file.name != "large.bin")
            default: Issue.record("\(part)")
            }
        }
        let twice = try await link.connection.submit(
            FileBundleRequest(ids: [ids[0], ids[0]]).encoded(), bodySink: nil
        ).value()
        #expect(twice.error == .badRequest)
        await pair.stop()
    }
}

extension ChatClient {
    fileprivate func link(with name: String) -> ActiveLink? {
        core.links.sessions.values.first { $0.peer.name == name }?.sendingLink
    }
}
