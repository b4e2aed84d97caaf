// The file picker: folders, filter, several files, hidden ones; the half-typed line is never touched.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("File picker")
struct FilePickerTests {
    private typealias Fixture = ScreenFixture

    private static let home: [FileListing.Entry] = [
        .init(name: ".cache", isFolder: true), .init(name: "Pictures", isFolder: true),
        .init(name: "build.log", isFolder: false, size: 4_100_000, modified: Fixture.time(20, 23, 58)),
        .init(name: "notes.txt", isFolder: false, size: 4_000, modified: Fixture.time(3, 11, 20)),
        .init(name: "secret.key", isFolder: false, size: 32, isReadable: false),
    ]

    /// The picker with the home folder in it.
    private func opened() -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.press("Ctrl-t")
        answer(&fixture, "/home/jo", Self.home)
        return fixture
    }

    @Test("a folder with hidden entries only says so below the way out of it")
    func hiddenOnly() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-t")
        answer(&fixture, "/home/jo", [.init(name: ".cache", isFolder: true)])
        let rows = fixture.text.split(separator: "\n").map(String.init)
        let parent = rows.firstIndex { $0.contains("> ") && $0.contains("../") }
        let note = rows.firstIndex { $0.contains("nothing but 1 hidden entry (Alt-. shows them)") }
        #expect(parent != nil && note == parent.map { $0 + 1 }, "\(fixture.text)")
    }

    /// Answers the question for the folder of the picker, and checks which one was asked for.
    private func answer(_ fixture: inout Fixture, _ folder: String, _ entries: [FileListing.Entry]) {
        guard case .files(let picker) = fixture.state.place.overlay else {
            Issue.record("the picker is closed")
            return
        }
        #expect(
            fixture.questions.last == .files(folder: folder, wish: picker.filter.text, generation: picker.generation))
        fixture.send(
            .answer(.files(FileListing(folder: folder, entries: entries), generation: picker.generation)))
        fixture.effects = []
    }

    @Test("two spellings of one letter are two files")
    func spellings() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-t")
        answer(
            &fixture, "/home/jo",
            [.init(name: "caf\u{E9}", isFolder: false, size: 1), .init(name: "cafe\u{301}", isFolder: false, size: 2)])
        fixture.press("Tab")
        guard case .files(let one) = fixture.state.place.overlay else {
            Issue.record("the picker is not open")
            return
        }
        #expect(one.marked.map(\.size) == [1] && one.isMarked("caf\u{E9}") && !one.isMarked("cafe\u{301}"))
        fixture.press("Tab")
        guard case .files(let two) = fixture.state.place.overlay else {
            Issue.record("the picker is not open")
            return
        }
        #expect(two.marked.map(\.size) == [1, 2])
    }

    @Test("shows folders first with sizes and days, hidden ones not, and the cursor not on ..")
    func listing() {
        let fixture = opened()
        let rows = fixture.text.split(separator: "\n").map(String.init)
        let names = ["..", "Pictures/", "build.log", "notes.txt", "secret.key"]
        let places = names.map { name in rows.firstIndex { $0.contains(" \(name)") } ?? -1 }
        #expect(places == places.sorted() && !places.contains(-1))
        #expect(fixture.text.contains("Send to Alice · ~"))
        #expect(fixture.text.contains("4.1 MB  20 Nov 23:58"))
        #expect(fixture.text.contains("locked"))
        #expect(!fixture.text.contains("cache"))
        #expect(rows[places[1]].contains("> "))
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("Enter sends the file under the cursor to the chat that is open; the line stays")
    func sendsOne() {
        var fixture = opened()
        fixture.type("blog")
        fixture.press("Enter")
        #expect(fixture.errands == [.sendFiles(["/home/jo/build.log"], caption: "", to: Fixture.alice)])
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("Tab marks several files, also of several folders; Enter sends them in the order of marking")
    func sendsSeveral() {
        var fixture = opened()
        fixture.press("Down", "Down", "Tab")
        #expect(fixture.text.contains("1 marked, 4.0 kB"))
        fixture.type("Pictures/")
        answer(&fixture, "/home/jo/Pictures", [.init(name: "cat.png", isFolder: false, size: 1_100_000)])
        fixture.press("Tab", "Enter")
        #expect(
            fixture.errands == [
                .sendFiles(["/home/jo/notes.txt", "/home/jo/Pictures/cat.png"], caption: "", to: Fixture.alice)
            ])
    }

    @Test("Enter opens a folder also when something is marked, and sends once it stands on a file")
    func marksStay() {
        var fixture = opened()
        fixture.press("Down", "Down", "Tab", "Up", "Up", "Up")
        fixture.type("pict")
        #expect(fixture.text.contains("1 marked, 4.0 kB · Enter opens, Alt-Enter sends them"))
        #expect(fixture.text.contains("1 of "))
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.state.place.overlay != nil)
        answer(&fixture, "/home/jo/Pictures", [.init(name: "cat.png", isFolder: false, size: 1_100_000)])
        #expect(fixture.text.contains("1 marked"))
        fixture.press("Tab", "Up", "Alt-Enter")
        #expect(
            fixture.errands == [
                .sendFiles(["/home/jo/notes.txt", "/home/jo/Pictures/cat.png"], caption: "", to: Fixture.alice)
            ])
    }

    @Test("a mark is taken away by marking again")
    func unmark() {
        var fixture = opened()
        fixture.press("Tab", "Up", "Tab")
        guard case .files(let picker) = fixture.state.place.overlay else {
            Issue.record("the picker is closed")
            return
        }
        #expect(picker.marked.isEmpty)
    }

    @Test("Enter walks into a folder, Backspace out of it and back onto it; Alt-Enter sends the folder itself")
    func folders() {
        var fixture = opened()
        fixture.press("Enter")
        answer(&fixture, "/home/jo/Pictures", [])
        #expect(fixture.text.contains("Send to Alice · ~/Pictures"))
        fixture.press("Backspace")
        answer(&fixture, "/home/jo", Self.home)
        #expect(fixture.errands.isEmpty)
        fixture.press("Alt-Enter")
        #expect(fixture.errands == [.sendFiles(["/home/jo/Pictures"], caption: "", to: Fixture.alice)])
    }

    @Test("a path that is pasted leads to its folder, with its name as the filter")
    func paste() {
        var fixture = opened()
        fixture.send(.input(.paste("/tmp/../var/log/syslog\nrest")))
        answer(&fixture, "/var/log", [.init(name: "syslog", isFolder: false), .init(name: "other", isFolder: false)])
        fixture.press("Enter")
        #expect(fixture.errands == [.sendFiles(["/var/log/syslog"], caption: "", to: Fixture.alice)])
    }

    @Test(
        "a path that is pasted as terminals and file managers do it leads there, too",
        arguments: [
            "'/tmp/my pics/a b.png'", "\"/tmp/my pics/a b.png\"", "/tmp/my\\ pics/a\\ b.png ",
            "file:///tmp/my%20pics/a%20b.png", "file://localhost/tmp/my%20pics/a%20b.png",
        ])
    func pastedForms(pasted: String) {
        var fixture = opened()
        fixture.send(.input(.paste(pasted)))
        answer(&fixture, "/tmp/my pics", [.init(name: "a b.png", isFolder: false, size: 5)])
        fixture.press("Enter")
        #expect(fixture.errands == [.sendFiles(["/tmp/my pics/a b.png"], caption: "", to: Fixture.alice)])
    }

    @Test("other text stays as it is, and /send takes a file URI")
    func pastedText() {
        for text in ["/tmp/x", "a/b c", "file:///tmp/%00", "file://host", "'a' and 'b'", "/tmp/%41", "~/x"] {
            #expect(PastedPath.plain(text) == text)
        }
        #expect(PastedPath.path(ofURI: "FILE:///a%C3%A4%2g%") == "/aä%2g%")
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/send file:///tmp/a%20b.png")
        #expect(fixture.errands == [.sendFiles(["/tmp/a b.png"], caption: "", to: Fixture.alice)])
        fixture.enter("/var/tmp/x.txt")
        #expect(fixture.text.contains("/var/tmp/x.txt is not a command: start with /send"))
    }

    @Test("where nothing matches no key is said to open anything")
    func nothingToOpen() {
        var fixture = opened()
        #expect(fixture.text.contains("Enter open/send"))
        fixture.type("qqq")
        #expect(fixture.text.contains("nothing matches"))
        #expect(!fixture.text.contains("Enter open/send"))
    }

    @Test("hidden files come on request, or when the filter begins with a dot")
    func hidden() {
        var fixture = opened()
        fixture.press("Alt-.")
        #expect(fixture.text.contains("cache"))
        fixture.press("Alt-.")
        #expect(!fixture.text.contains("cache"))
        fixture.type(".c")
        #expect(fixture.text.contains("cache"))
    }

    @Test("a folder that cannot be read says why; an answer to an earlier question is not shown")
    func problems() {
        var fixture = opened()
        guard case .files(let first) = fixture.state.place.overlay else {
            Issue.record("the picker is not open")
            return
        }
        fixture.press("Enter")
        fixture.send(.answer(.files(FileListing(folder: "/home/jo", entries: Self.home), generation: first.generation)))
        #expect(fixture.text.contains("reading…"))
        guard case .files(let folder, _, _, let generation)? = fixture.questions.last else {
            Issue.record("no folder is read")
            return
        }
        let denied = FileListing(folder: folder, entries: [], problem: "permission denied")
        fixture.send(.answer(.files(denied, generation: generation)))
        #expect(fixture.text.contains("cannot be read: permission denied"))
    }

    @Test("Ctrl-t and Esc close it; the next one begins in the folder of the last sending")
    func closes() {
        var fixture = opened()
        fixture.press("Ctrl-t")
        #expect(fixture.state.place.overlay == nil)
        fixture.press("Ctrl-t", "Esc")
        #expect(fixture.state.place.overlay == nil)
        fixture.press("Ctrl-t")
        fixture.send(.input(.paste("/tmp/")))
        answer(&fixture, "/tmp", [.init(name: "a", isFolder: false)])
        fixture.press("Enter", "Ctrl-t")
        guard case .files(let folder, _, _, _)? = fixture.questions.last else {
            Issue.record("no folder is read")
            return
        }
        #expect(folder == "/tmp")
    }

    @Test("in a folder of too many entries a filter asks for what it leaves; the cursor stays on its entry")
    func cutListing() {
        var fixture = opened()
        guard case .files(let picker) = fixture.state.place.overlay else {
            Issue.record("the picker is not open")
            return
        }
        var listing = FileListing(
            folder: "/home/jo", entries: ["a1", "b1", "b2"].map { .init(name: $0, isFolder: false) })
        listing.isCut = true
        fixture.send(.answer(.files(listing, generation: picker.generation)))
        fixture.effects = []
        fixture.type("2")
        guard case .files(let folder, _, let wish, let generation)? = fixture.questions.last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(
            folder == "/home/jo" && wish == "2" && fixture.text.contains("b2")
        )
        listing.entries = ["b2", "z2"].map { .init(name: $0, isFolder: false) }
        fixture.send(.answer(.files(listing, generation: generation)))
        #expect(fixture.text.contains("z2") && fixture.text.contains("2 of"))
        guard case .files(let now) = fixture.state.place.overlay else {
            Issue.record("the picker is not open")
            return
        }
        #expect(now.selectedRow?.name == "b2")
        fixture.type("9")
        #expect(fixture.text.contains("looking…") && !fixture.text.contains("nothing matches"))
        guard case .files(_, _, "29", let last)? = fixture.questions.last else {
            Issue.record("the longer filter was not asked for")
            return
        }
        listing.entries = []
        fixture.send(.answer(.files(listing, generation: last)))
        #expect(fixture.text.contains("nothing matches"))
    }

    @Test("a file name of a hostile sort is shown as every name from outside")
    func hostileNames() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-t")
        answer(&fixture, "/home/jo", [.init(name: "a\u{1B}[31m\u{202E}gpj.exe", isFolder: false)])
        #expect(fixture.text.contains("␛[31m"))
        #expect(!fixture.text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test("reads a real folder: kinds, sizes, and what cannot be sent left out")
    func realFolder() throws {
        let listing = FileListing.read("/proc/self")
        #expect(listing.problem == nil)
        #expect(listing.entries.contains { $0.name == "fd" && $0.isFolder })
        #expect(listing.entries.contains { $0.name == "status" && !$0.isFolder })
        #expect(FileListing.read("/no/such/folder").problem == "no such file or directory")
        #expect(!FileListing.read("/dev").entries.contains { $0.name == "null" })
    }

    @Test("what does not fit is cut off with a mark")
    func longWords() {
        var fixture = Fixture.main(columns: 40, rows: 10)
        fixture.press("Ctrl-t")
        guard case .files(let folder, _, _, let generation)? = fixture.questions.last else {
            Issue.record("no folder is read")
            return
        }
        let hidden = FileListing.Entry(name: ".profile", isFolder: false, size: 1, modified: Fixture.time(20, 9, 0))
        fixture.send(.answer(.files(FileListing(folder: folder, entries: [hidden]), generation: generation)))
        #expect(fixture.text.contains(/nothing but 1 hidden entr[a-z]* .*… +│/), "\(fixture.text)")
    }
}
