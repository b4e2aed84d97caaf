// Exports: what they say, that nothing in them can do harm, and the way back.

import BLIPNet
import ChatCore
import Glibc
import Storage
import TestSupport
import Testing

@testable import ChatHost
@testable import ChatSettings

@Suite struct ExportTests {
    /// A home with a history of everything: both directions, states, edits, reactions, retractions, files, hostile text.
    private final class Home {
        let folder: TemporaryDirectory
        let paths: HomePaths
        let store: HistoryDatabase

        init() async throws {
            folder = try TemporaryDirectory()
            paths = HomePaths(home: folder.path)
            store = try await HistoryDatabase.open(at: paths.history)
        }

        func export(
            _ format: ExportFormat, files: ExportFiles? = nil, only peer: Peer? = nil, of known: [Peer]? = nil
        ) async throws -> String {
            var contacts = ContactDirectory(try await store.contacts())
            if let known { contacts = ContactDirectory(known) }
            var text = ""
            try await HistoryExport(
                store: store, paths: paths, contacts: contacts, format: format, files: files, write: { text += $0 }
            ).run(only: peer)
            return text
        }
    }

    private static let hostile =
        "<script>alert('x')</script>\" onload=\"y &amp; \u{1B}[31m\u{202E}\u{7}\u{9B}\nsecond line"

    private func filled() async throws -> Home {
        let home = try await Home()
        let store = home.store
        func at(_ time: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + time) }
        let bob = try await store.addContact(
            NewContact(
                peerID: PeerID(String(repeating: "b", count: 51) + "a"), name: "bob <b>",
                addresses: [PeerAddress(host: "127.0.0.1", port: 4985)], trust: .verified, added: at(0)))
        let carol = try await store.addContact(
            NewContact(peerID: nil, name: "carol", addresses: [], isBlocked: true, added: at(1)))
        let first = try await store.enqueueMessage(to: bob.id, text: "first", replyTo: nil, at: at(10))
        _ = try await store.advanceState(of: first.id, in: first.contact, to: .delivered)
        let heard = try await store.appendIncoming(
            IncomingMessage(
                id: MessageID(at: at(20)), contact: bob.id, sequence: 1, sent: at(15), received: at(20),
                replyTo: first.id, content: .text(Self.hostile)))
        guard case .stored(let changes) = heard, let message = changes.first?.message else {
            throw ConditionNotMet("stored")
        }
        _ = try await store.markSeen(contact: bob.id, upTo: message.position)
        _ = try await store.enqueueOperation(.edit(text: "second"), on: first.id, .outgoing, to: bob.id, at: at(30))
        _ = try await store.enqueueOperation(.react(emoji: "👍"), on: message.id, .incoming, to: bob.id, at: at(40))
        let back = try await store.enqueueMessage(to: carol.id, text: "taken back", replyTo: nil, at: at(50))
        _ = try await store.enqueueOperation(.edit(text: "back, too"), on: back.id, .outgoing, to: carol.id, at: at(55))
        _ = try await store.enqueueOperation(.retract, on: back.id, .outgoing, to: carol.id, at: at(60))
        let path = home.folder.file("photo.jpg")
        try TestFile.write("12345", to: path)
        _ = try await store.enqueueFileOffer(
            to: carol.id,
            file: NewOutgoingFile(
                path: path, name: "../..<img>.jpg", size: 5, modified: at(0), contentType: "image/jpeg",
                caption: "nice & new"),
            at: at(70))
        _ = try await store.appendIncoming(
            IncomingMessage(
                id: MessageID(at: at(80)), contact: carol.id, sequence: 1, sent: at(80), received: at(80),
                content: .text("not seen")))
        return home
    }

    @Test("give the same bytes for the same history, in every format", arguments: ExportFormat.allCases)
    func deterministic(_ format: ExportFormat) async throws {
        let home = try await filled()
        let text = try await home.export(format)
        #expect(!text.isEmpty)
        #expect(try await home.export(format) == text)
        let bob = try #require(try await home.store.contacts().first)
        let part = try await home.export(format, only: bob)
        #expect(part.contains("second"))
        #expect(!part.contains("not seen"))
        await home.store.close()
    }

    @Test("for people say how much of a text or a file's name they do not show")
    func hidden() async throws {
        let home = try await Home()
        let bob = try await home.store.addContact(
            NewContact(
                peerID: nil, name: "bob", addresses: [], trust: .unverified, added: Timestamp(milliseconds: 1)))
        for text in ["plain", "z\u{200B}w\u{200D}x"] {
            _ = try await home.store.enqueueMessage(
                to: bob.id, text: text, replyTo: nil, at: Timestamp(milliseconds: 2))
        }
        _ = try await home.store.enqueueFileOffer(
            to: bob.id,
            file: NewOutgoingFile(
                path: "/tmp/x", name: "q\u{200B}.txt", size: 5, modified: Timestamp(milliseconds: 2), contentType: "",
                caption: "two\u{200B} words"), at: Timestamp(milliseconds: 3))
        for format in [ExportFormat.text, .html] {
            let text = try await home.export(format)
            #expect(text.split(separator: "‹hidden: ").count == 3, "\(text)")
            #expect(text.contains("two words"))
        }
        await home.store.close()
    }

    @Test("tell nothing of what a message said that was taken back", arguments: ExportFormat.allCases)
    func retracted(_ format: ExportFormat) async throws {
        let home = try await filled()
        let text = try await home.export(format)
        #expect(!text.contains("taken back") && !text.contains("back, too"), "\(text)")
        #expect(format != .json || text.contains("\"retracted\":true") && text.contains("\"first_text\":\"first\""))
        await home.store.close()
    }

    @Test("for people have no control characters, and pages nothing that a browser would run")
    func safe() async throws {
        let home = try await filled()
        for format in [ExportFormat.text, .html] {
            let text = try await home.export(format)
            for scalar in text.unicodeScalars {
                let isControl = scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
                #expect(!isControl && scalar.value != 0x202E)
            }
        }
        let page = try await home.export(.html)
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y &amp;amp;"))
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("bob &lt;b&gt;"))
        // Every tag in it is one of ours, with attributes of ours.
        let tags = page.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" && $0 != " " } }
        let ours: Set<String> = [
            "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "section", "h2", "p", "div", "time", "b",
            "span",
            "a", "br",
        ]
        for tag in tags { #expect(ours.contains(String(tag.first == "/" ? tag.dropFirst() : tag)), "\(tag)") }
        #expect(HTMLExport.link("javascript:alert(1)\"'><x") == "./javascript%3Aalert%281%29%22%27%3E%3Cx")
        let text = try await home.export(.text)
        #expect(text.contains("second  (edited)"))
        #expect(text.contains("  (reply to #") && page.contains("(reply to #"))
        #expect(text.contains("(deleted"))
        await home.store.close()
    }

    @Test("in JSON come back: everything once, nothing twice, nothing sent")
    func roundTrip() async throws {
        let home = try await filled()
        let text = try await home.export(.json)
        let file = home.folder.file("export.json")
        try TestFile.write(text, to: file)
        // Into the same history: nothing changes.
        let same = try await HistoryImporter(store: home.store, path: file).run()
        #expect(same == .init(contacts: 0, messages: 0, operations: 0, known: 2 + 5 + 4))
        #expect(try await home.export(.json) == text)
        // Into an empty one: everything is there.
        let other = try await Home()
        let added = try await HistoryImporter(store: other.store, path: file).run()
        #expect(added == .init(contacts: 2, messages: 5, operations: 4, known: 0))
        let again = try await HistoryImporter(store: other.store, path: file).run()
        #expect(again == .init(contacts: 0, messages: 0, operations: 0, known: 11))
        let bob = try #require(try await other.store.contacts().first)
        let page = try await other.store.page(of: bob.id, .newest, limit: 9)
        let original = try await home.store.page(of: bob.id, .newest, limit: 9)
        #expect(page.map(\.id) == original.map(\.id))
        #expect(page.map(\.content) == original.map(\.content))
        #expect(page.map(\.reactions) == original.map(\.reactions))
        #expect(page.map(\.edited) == original.map(\.edited))
        #expect(page.map(\.replyTo) == original.map(\.replyTo))
        #expect(page.map(\.stored) == original.map(\.stored))
        let lists = try await other.store.conversations()
        #expect(lists.map(\.unreadCount) == [0, 1])
        #expect(lists.map(\.queuedCount) == [0, 0])
        // A file cannot make anybody trusted, and cannot take a block away.
        #expect(lists.map(\.peer.trust) == [.unverified, .unverified])
        #expect(lists.map(\.peer.isBlocked) == [false, true])
        // What comes out of there is the same again.
        let second = try await other.export(.json)
        try TestFile.write(second, to: file)
        #expect(try await HistoryImporter(store: other.store, path: file).run().messages == 0)
        #expect(try await HistoryImporter(store: home.store, path: file).run().messages == 0)
        await other.store.close()
        await home.store.close()
    }

    @Test("leave out a contact who has come since the beginning, so that they can be imported")
    func newContact() async throws {
        let home = try await filled()
        let known = try await home.store.contacts()
        let text = try await home.export(.json)
        let dan = try await home.store.addContact(
            NewContact(peerID: nil, name: "dan", addresses: [], added: Timestamp(milliseconds: 5)))
        _ = try await home.store.enqueueMessage(
            to: dan.id, text: "new", replyTo: nil, at: Timestamp(milliseconds: 1_800_000_000_000))
        #expect(try await home.export(.json, of: known) == text)
        await home.store.close()
    }

    @Test("take the files with them, under names that lead nowhere else")
    func files() async throws {
        let home = try await filled()
        let target = home.folder.file("out.json")
        let files = try ExportFiles(besides: target) { _ in }
        let text = try await home.export(.json, files: files)
        try TestFile.write(text, to: target)
        var copies: [String] = []
        for line in text.split(separator: "\n") {
            if let copy = try JSONReader.read(Array(line.utf8))["copy"]?.stringValue { copies.append(copy) }
        }
        let names = try #require(copies.first)
        #expect(names.hasPrefix("out.json.files/"))
        #expect(!names.contains(".."))
        #expect(TestFile.text(home.folder.file(names)) == "12345")
        // The original may go; an import elsewhere finds the copy.
        unlink(home.folder.file("photo.jpg"))
        let other = try await Home()
        _ = try await HistoryImporter(store: other.store, path: target).run()
        let transfer = try #require(try await other.store.transfers(unfinishedOnly: false, limit: 9).first)
        #expect(transfer.path == home.folder.file(names))
        #expect(transfer.state == .failed)
        // Somebody else's file keeps its name and its content.
        try TestFile.write("other", to: home.folder.file(names))
        try TestFile.write("12345", to: home.folder.file("photo.jpg"))
        for _ in 0..<2 { #expect(try await home.export(.json, files: files).contains("\"copy\":\"\(names)-2\"")) }
        #expect(TestFile.text(home.folder.file(names)) == "other")
        #expect(TestFile.text(home.folder.file(names + "-2")) == "12345")
        // A file that is not what it was is named, not copied.
        try TestFile.write("123456789", to: home.folder.file("photo.jpg"))
        #expect(try await !home.export(.json, files: files).contains("\"copy\""))
        await other.store.close()
        await home.store.close()
    }

    private static let contactAndEnd =
        "{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"contact\",\"name\":\"eve\"}\n"
        + "{\"type\":\"end\",\"messages\":0,\"operations\":0}\n"

    @Test(
        "that are cut off, changed or not ours are refused with the place, and change nothing",
        arguments: [
            ("", "not a blipchat export"), ("{}\n", "not a blipchat export"), ("hello\n", "not a blipchat export"),
            ("{\"v\":2,\"type\":\"export\"}\n", "newer"),
            ("{\"v\":1,\"type\":\"export\"}\n", "cut off"),
            ("{\"v\":1,\"type\":\"export\"}\n{\"type\":\"end\",\"messages\":3,\"operations\":0}\n", "3 messages"),
            ("{\"v\":1,\"type\":\"export\"}\nnonsense\n", "at byte 1"),
            (ExportTests.contactAndEnd + "nonsense\n", "after the end"),
            (ExportTests.contactAndEnd + "{\"v\":1,\"type\":\"contact\",\"name\":\"mallory\"}\n", "after the end"),
            (
                "{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"contact\",\"name\":\"eve\"}\n"
                    + "{\"v\":1,\"type\":\"message\",\"conversation\":\"eve\"}\n"
                    + "{\"type\":\"end\",\"messages\":1,\"operations\":0}\n", "missing or wrong"
            ),
            ("{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"spell\"}\n", "unknown type spell"),
        ])
    func refused(_ text: String, _ reason: String) async throws {
        let home = try await Home()
        let file = home.folder.file("export.json")
        try TestFile.write(text, to: file)
        await #expect {
            try await HistoryImporter(store: home.store, path: file).run()
        } throws: { error in
            (error as? CommandError)?.exit == .usage && (error as? CommandError)?.reason.contains(reason) == true
        }
        #expect(try await home.store.contacts().isEmpty)
        await home.store.close()
    }

    @Test("with names that look like those of contacts take others")
    func names() async throws {
        let home = try await Home()
        let peers = ["b", "c", "d"].map { String(repeating: $0, count: 51) + "a" }
        _ = try await home.store.addContact(
            NewContact(peerID: PeerID(peers[0]), name: "a b", addresses: [], added: .now))
        let long = String(repeating: "x", count: 64)
        let records = [("a  b", peers[1]), ("A\u{A0}b", peers[2]), (long, nil), ("me", nil)].map { name, peer in
            "{\"v\":1,\"type\":\"contact\",\"name\":\"\(name)\"" + (peer.map { ",\"peer_id\":\"\($0)\"" } ?? "") + "}\n"
        }
        let file = home.folder.file("export.json")
        let end = "{\"type\":\"end\",\"messages\":0,\"operations\":0}\n"
        try TestFile.write("{\"v\":1,\"type\":\"export\"}\n" + records.joined() + end, to: file)
        #expect(try await HistoryImporter(store: home.store, path: file).run().contacts == 4)
        let names = try await home.store.contacts().map(\.name)
        #expect(names == ["a b", "a  b 2", "A\u{A0}b 3", long, "me 2"])
        #expect(ContactNames.unique(long, among: [long]) == String(repeating: "x", count: 62) + " 2")
        await home.store.close()
    }

    @Test("name files of this machine only if they are what the record tells of")
    func places() async throws {
        let home = try await Home()
        let secret = home.folder.file("secret")
        try TestFile.write("secret!", to: secret)
        let copies = try home.folder.makeFolder("export.json.files")
        symlink(secret, copies + "/1-x")
        let file = home.folder.file("export.json")
        let digest = SHA256Digest.hash(Array("secret!".utf8)).hex
        func transfer(_ number: Int, _ members: String) -> String {
            "{\"type\":\"file\",\"id\":\"00000000-0000-7000-8000-00000000000\(number)\",\"conversation\":\"eve\","
                + "\"direction\":\"outgoing\",\"sent\":\"2026-01-01T00:00:00Z\",\"stored\":\"2026-01-01T00:00:00Z\","
                + "\"delivery\":\"read\",\"name\":\"n\",\"size\":7,\"state\":\"complete\",\"path\":\"\(secret)\"\(members)}\n"
        }
        let start = "{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"contact\",\"name\":\"eve\"}\n"
        let records = [
            transfer(1, ""), transfer(2, ",\"sha256\":\"00\",\"copy\":\"export.json.files/1-x\""),
            transfer(3, ",\"sha256\":\"\(digest)\""),
        ]
        let end = "{\"type\":\"end\",\"messages\":3,\"operations\":0}\n"
        try TestFile.write(start + records.joined() + end, to: file)
        #expect(try await HistoryImporter(store: home.store, path: file).run().messages == 3)
        let paths = try await home.store.transfers(unfinishedOnly: false, limit: 9).map(\.path)
        #expect(paths.compactMap { $0 } == [secret] && paths.count == 3)
        await home.store.close()
    }

    @Test("with hostile records are refused or harmless")
    func hostileRecords() async throws {
        let home = try await Home()
        let file = home.folder.file("export.json")
        let start =
            "{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"contact\",\"name\":\"eve\",\"trust\":\"verified\"}\n"
        let end = "{\"type\":\"end\",\"messages\":1,\"operations\":0}\n"
        let id = "00000000-0000-7000-8000-000000000001"
        let base =
            "\"conversation\":\"eve\",\"direction\":\"incoming\",\"sent\":\"2026-01-01T00:00:00Z\","
            + "\"stored\":\"2026-01-01T00:00:00Z\",\"delivery\":\"read\""
        for record in [
            "{\"type\":\"message\",\"id\":\"x\",\(base),\"text\":\"t\"}",
            "{\"type\":\"message\",\"id\":\"\(id)\",\(base)}",
            "{\"type\":\"message\",\"id\":\"\(id)\",\"conversation\":\"nobody\",\"text\":\"t\"}",
            "{\"type\":\"file\",\"id\":\"\(id)\",\(base),\"name\":\"n\",\"size\":-1,\"state\":\"complete\"}",
        ] {
            try TestFile.write(start + record + "\n" + end, to: file)
            await #expect(throws: CommandError.self) { try await HistoryImporter(store: home.store, path: file).run() }
        }
        // A copy outside of the export's folder is not believed; numbers at their limits are.
        try TestFile.write(
            start + "{\"type\":\"file\",\"id\":\"\(id)\",\(base),\"name\":\"n\",\"size\":9223372036854775807,"
                + "\"sequence\":9223372036854775807,\"state\":\"complete\",\"copy\":\"../../etc/passwd\"}\n" + end,
            to: file)
        _ = try await HistoryImporter(store: home.store, path: file).run()
        let transfer = try #require(try await home.store.transfers(unfinishedOnly: false, limit: 9).first)
        #expect(transfer.path == nil)
        let eve = try #require(try await home.store.contacts().first)
        #expect(try await home.store.enqueueMessage(to: eve.id, text: "x", replyTo: nil, at: .now).sequence == 1)
        await home.store.close()
    }

    @Test("a room goes out and comes back with who has written what, but left: no file makes us dial")
    func rooms() async throws {
        let home = try await Home()
        let url = try RoomURL(parsing: "sio+tls://chat.example/garden?event=msg")
        var contact = NewContact(peerID: nil, name: "garden", addresses: [], added: Timestamp(milliseconds: 1))
        contact.room = JoinedRoom(url: url)
        let garden = try await home.store.addContact(contact)
        var line = IncomingMessage(
            id: MessageID(at: .init(milliseconds: 2)), contact: garden.id, sequence: IncomingMessage.unnumbered,
            sent: .init(milliseconds: 2), received: .init(milliseconds: 2), content: .text("hello"))
        line.sender = "alice"
        _ = try await home.store.appendIncoming(line)
        let text = try await home.export(.json)
        #expect(
            text.contains(#""room":"sio+tls://chat.example/garden?event=msg""#) && text.contains(#""sender":"alice""#))
        let file = home.folder.file("export.json")
        try TestFile.write(text, to: file)
        let other = try await Home()
        // A person of that name is somebody else.
        _ = try await other.store.addContact(
            NewContact(
                peerID: PeerID(String(repeating: "b", count: 51) + "a"), name: "garden", addresses: [],
                added: Timestamp(milliseconds: 1)))
        let known = try await other.store.contacts()
        #expect(try HistoryImporter(store: other.store, path: file).newContacts(besides: known).isEmpty)
        #expect(try await HistoryImporter(store: other.store, path: file).run().contacts == 1)
        let imported = try #require(try await other.store.contacts().last)
        #expect(imported.room == JoinedRoom(url: url, isLeft: true) && imported.name == "garden 2")
        #expect(try await other.store.page(of: imported.id, .newest, limit: 9).map(\.sender) == ["alice"])
        let again = try await HistoryImporter(store: other.store, path: file).run()
        #expect(again.contacts == 0 && again.messages == 0)
        await home.store.close()
        await other.store.close()
    }
}
