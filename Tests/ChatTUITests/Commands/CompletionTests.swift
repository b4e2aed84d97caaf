// Tab: commands, contacts, transfers, paths.

import ChatCore
import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Completion")
struct CompletionTests {
    private typealias Fixture = ScreenFixture

    @Test("one command is taken at once, with a blank behind it")
    func oneCommand() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/whoi")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/whois ")
    }

    @Test("several are listed behind their common beginning, and Tab walks through them and back")
    func several() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/unbl")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/unblock ")
        fixture.press("Ctrl-c")
        fixture.type("/ver")
        fixture.press("Tab")
        #expect(fixture.text.contains(" /verify  /version"))
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/verify")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/version")
        fixture.press("Shift-Tab")
        #expect(fixture.state.composer.input.text == "/verify")
        fixture.type(" ")
        #expect(fixture.state.composer.completion == nil)
    }

    @Test("values of settings that have few, and the names of themes")
    func values() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let names = FixedNames(
            keys: ["ui.edit_mode"],
            choices: [
                "ui.edit_mode": ["emacs", "vi"], "ui.theme": ["dark", "light"],
                "notify.desktop": ["auto", "osc9"],
            ])
        fixture.state.surface = fixture.state.surface.rebuilt(settingNames: names)
        for (typed, completed) in [
            ("/set ui.edit_mode v", "/set ui.edit_mode vi "), ("/theme li", "/theme light "),
            ("/notify desktop o", "/notify desktop osc9 "), ("/notify off al", "/notify off Alice "),
            ("/notify quiet a", "/notify quiet a"), ("/set edit", "/set ui.edit_mode "),
        ] {
            fixture.press("Ctrl-c")
            fixture.type(typed)
            fixture.press("Tab")
            #expect(fixture.state.composer.input.text == completed)
        }
        fixture.press("Tab")
        #expect(fixture.text.contains(" emacs  vi"))
        fixture.press("Ctrl-c")
        fixture.type("/set name J")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/set name J" && fixture.text.contains("Nothing to complete here"))
    }

    @Test("contacts as arguments and in a text; names with blanks are quoted")
    func contacts() {
        var fixture = Fixture(
            columns: 80, rows: 24,
            conversations: [
                Fixture.conversation(Fixture.alice, "Alice"), Fixture.conversation(Fixture.bob, "Bob Two Words"),
            ])
        fixture.type("/query b")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/query \"Bob Two Words\" ")
        fixture.press("Enter")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.type("hello al")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "hello Alice ")
    }

    @Test("values of a search's filters, and a whole name of an emoji")
    func filters() {
        for (typed, completed) in [
            ("/search from:bo", "/search from:Bob "), ("/search x in:Car", "/search x in:Carol "),
            ("/search is:", "/search is:unread "), ("/search has:l", "/search has:link "),
            ("/search fro", "/search from:"), ("/search x af", "/search x after:"), (":smile:", "😄 "),
        ] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.press("Ctrl-u")
            fixture.type(typed)
            fixture.press("Tab")
            #expect(fixture.state.composer.input.text == completed)
        }
    }

    @Test("paths are asked for, and folders stay open")
    func paths() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/send ~/Do")
        fixture.press("Tab")
        guard case .ask(.files(let folder, _, _, let generation)) = fixture.effects.last else {
            Issue.record("the folder was not asked for")
            return
        }
        #expect(folder == "/home/jo/")
        let listing = FileListing(
            folder: folder,
            entries: [
                .init(name: ".Dotfile", isFolder: false), .init(name: "Do it.txt", isFolder: false),
                .init(name: "Documents", isFolder: true),
            ])
        fixture.send(.answer(.files(listing, generation: generation - 1)))
        #expect(fixture.state.composer.input.text == "/send ~/Do")
        fixture.send(.answer(.files(listing, generation: generation)))
        #expect(fixture.text.contains("Do it.txt  Documents/"))
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/send \"~/Do it.txt\"")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/send ~/Documents/")
    }

    @Test("a listing that comes after the line has changed is not used")
    func stale() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/send a")
        fixture.press("Tab")
        guard case .ask(.files(let folder, _, _, let generation)) = fixture.effects.last else {
            Issue.record("the folder was not asked for")
            return
        }
        fixture.type("b")
        let listing = FileListing(folder: folder, entries: [.init(name: "abc", isFolder: false)])
        fixture.send(.answer(.files(listing, generation: generation)))
        #expect(fixture.state.composer.input.text == "/send ab")
    }

    @Test("Tab on an empty line opens the next unread chat")
    func emptyLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Tab")
        #expect(fixture.state.place.openID == Fixture.bob)
    }

    @Test("transfers are completed by their numbers")
    func transfers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.type("/accept ")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/accept 8 ")
    }

    @Test("only transfers that the command can be about are offered")
    func fittingTransfers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(
            .answer(
                .transfers([
                    Fixture.transfer(8, .outgoing, "mine", size: 5, .offered),
                    Fixture.transfer(9, .incoming, "theirs", size: 5, .offered),
                    Fixture.transfer(10, .incoming, "resting", size: 5, .paused),
                    Fixture.transfer(11, .incoming, "moving", size: 5, .running),
                ])))
        for (typed, expected) in [("accept", 9), ("decline", 9), ("resume", 10), ("pause", 11)] {
            fixture.type("/\(typed) ")
            fixture.press("Tab")
            #expect(fixture.state.composer.input.text == "/\(typed) \(expected) ")
            fixture.press("Ctrl-c")
        }
    }

    @Test(
        "the words that a command knows are offered",
        arguments: [
            ("/autoaccept Bob o", "on off"), ("/autoaccept Bob ", "on off default"), ("/mute Bob ", "30m 2h 1d off"),
            ("/notify ", "off mention all default desktop text quiet command test"), ("/limit ", "up down"),
            ("/goto ", "first unread last"), ("/limit up ", ""), ("/read ", ""),
        ])
    func words(typed: String, offered: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type(typed)
        fixture.press("Tab")
        let labels = fixture.state.composer.completion?.candidates.map(\.label) ?? []
        #expect(labels.joined(separator: " ") == offered)
        if offered.isEmpty { #expect(["/limit up off ", "/read all "].contains(fixture.state.composer.input.text)) }
    }

    @Test("a folder is read with its kinds")
    func listing() throws {
        let listing = FileListing.read("/")
        #expect(listing.entries.contains { $0.name == "tmp" && $0.isFolder })
        #expect(FileListing.read("/no/such/folder").entries.isEmpty)

        // Of a large folder the first by name, and of what is completed everything that begins so.
        var template = Array("/tmp/blipchat-listing-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let names = (0..<FileListing.limit + 10).map { "f\($0 + 10_000)" }
        defer {
            for name in names { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        for name in names.reversed() {
            let file = creat("\(folder)/\(name)", 0o600)
            try #require(file >= 0)
            close(file)
        }
        #expect(FileListing.read(folder).entries.map(\.name) == Array(names.prefix(FileListing.limit)))
        let end = try #require(names.last)
        // The way on is there, and what is wished for.
        try #require(mkdir("\(folder)/zoo", 0o700) == 0)
        defer { rmdir("\(folder)/zoo") }
        let cut = FileListing.read(folder)
        #expect(cut.isCut && cut.entries.count == FileListing.limit && cut.entries.last?.name == "zoo")
        #expect(FileListing.read(folder, wish: end).entries.map(\.name) == [end])
        #expect(FileListing.read(folder, beginning: String(end.dropLast())).entries.contains { $0.name == end })
    }
}
