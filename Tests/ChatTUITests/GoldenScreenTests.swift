// The pictures of the screens, compared with text files in Golden/. BLIPCHAT_RECORD_GOLDEN=1 writes them anew.

import ChatCore
import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Golden screens")
struct GoldenScreenTests {
    static let sizes = [(120, 40), (80, 24), (40, 10), (20, 5), (10, 3)]

    @Test("the main screen", arguments: sizes)
    func main(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.addBuildLog()
        fixture.send(.chat(.typing(ScreenFixture.alice, true)))
        fixture.type("one more thing")
        try compare(fixture.canvas, "main")
    }

    @Test("an offer leaves the half-typed line alone", arguments: sizes)
    func offer(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.type("half-typed text stays here")
        fixture.addOffer()
        try compare(fixture.canvas, "offer")
    }

    @Test("the transfers pane", arguments: sizes)
    func transfers(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.addTransfers()
        fixture.press("Alt-t")
        while case .transfers(let pane) = fixture.state.place.overlay, pane.selected != TransferNumber(8) {
            fixture.press("j")
        }
        try compare(fixture.canvas, "transfers")
    }

    @Test("a contact request with its number", arguments: sizes)
    func request(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.type("half-typed text stays here")
        let erin = ContactRequest(
            id: 3, peerID: ScreenFixture.peerID("h"), name: "Erin", address: nil, origin: "192.0.2.44:51022",
            received: ScreenFixture.time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([erin])))
        fixture.press("Alt-r")
        fixture.send(.answer(.requestNumber(erin, ScreenFixture.safetyNumber)))
        try compare(fixture.canvas, "request")
    }

    @Test("the file picker", arguments: sizes)
    func picker(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.type("half-typed text stays here")
        fixture.press("Ctrl-t")
        guard case .files(let folder, _, _, let generation)? = fixture.questions.last else {
            Issue.record("no folder was asked for")
            return
        }
        let entries: [FileListing.Entry] = [
            .init(name: ".cache", isFolder: true), .init(name: "Pictures", isFolder: true),
            .init(name: "build.log", isFolder: false, size: 4_100_000, modified: ScreenFixture.time(20, 23, 58)),
            .init(
                name: "release.tar.zst", isFolder: false, size: 1_400_000_000, modified: ScreenFixture.time(3, 11, 20)),
        ]
        fixture.send(.answer(.files(FileListing(folder: folder, entries: entries), generation: generation)))
        fixture.press("Down", "Tab")
        try compare(fixture.canvas, "picker")
    }

    @Test("the search", arguments: sizes)
    func search(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.press("Alt-s")
        fixture.type("build log")
        let hits = [
            ScreenFixture.history[2],
            ScreenFixture.message(0, .outgoing, "the build passed, log attached", at: ScreenFixture.time(20, 23, 58)),
            ScreenFixture.fileMessage(ScreenFixture.buildLog, position: 9, at: ScreenFixture.time(20, 23, 59)),
            ScreenFixture.message(
                -1, .incoming, "nightly build log is 40 MB again", at: ScreenFixture.time(3, 11, 20),
                contact: ScreenFixture.bob),
        ]
        guard case .ask(.search(let query, let generation)) = fixture.effects.last else {
            Issue.record("typing did not search")
            return
        }
        let result = SearchResult(hits: hits, searched: 12_408, isTruncated: false)
        fixture.send(.answer(.search(query, generation: generation, result, took: .milliseconds(3))))
        guard case .ask(.context(_, _, let contextGeneration)) = fixture.effects.last else {
            Issue.record("the hit's context was not asked for")
            return
        }
        let context = Array(ScreenFixture.history[2...4])
        fixture.send(.answer(.context(generation: contextGeneration, context)))
        try compare(fixture.canvas, "search")
    }

    @Test("browse mode, with an answer that is begun", arguments: sizes)
    func browse(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.type("half-typed text stays here")
        fixture.press("Esc", "k", "k")
        try compare(fixture.canvas, "browse")
        fixture.press("r")
        try compare(fixture.canvas, "reply")
    }

    @Test("everything about a message", arguments: sizes)
    func info(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.press("Esc", "k", "k", "i")
        try compare(fixture.canvas, "info")
    }

    @Test("the help", arguments: sizes)
    func help(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.type("half-typed text stays here")
        fixture.press("F1")
        try compare(fixture.canvas, "help")
    }

    @Test("the number to compare", arguments: sizes)
    func verify(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        fixture.enter("/verify")
        fixture.send(.answer(.safetyNumber(ScreenFixture.alice, ScreenFixture.safetyNumber)))
        try compare(fixture.canvas, "verify")
    }

    @Test("the contact requests", arguments: sizes)
    func requests(columns: Int, rows: Int) throws {
        var fixture = ScreenFixture.main(columns: columns, rows: rows)
        let erin = ContactRequest(
            id: 3, peerID: ScreenFixture.peerID("h"), name: "Erin",
            address: PeerAddress(host: "192.0.2.44", port: 4985), origin: "192.0.2.44:51022",
            received: ScreenFixture.time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([erin])))
        fixture.press("Alt-r")
        try compare(fixture.canvas, "requests")
    }

    @Test("the first start", arguments: sizes)
    func firstRun(columns: Int, rows: Int) throws {
        let screen = FirstRunScreen(
            form: FirstRunForm(.jo), capabilities: TerminalCapabilities(colors: 256, unicode: true))
        try compare(screen.draw(size: Size(columns: columns, rows: rows)), "first_run")
    }

    @Test("a room", arguments: sizes)
    func room(columns: Int, rows: Int) throws {
        try compare(ScreenFixture.room(columns: columns, rows: rows).canvas, "room")
    }

    @Test("nobody to talk to yet", arguments: sizes)
    func lobby(columns: Int, rows: Int) throws {
        try compare(ScreenFixture(columns: columns, rows: rows).canvas, "lobby")
    }

    // MARK: Files

    private func compare(_ canvas: Canvas, _ name: String) throws {
        for unicode in [true, false] {
            let text = ScreenFixture.text(canvas, unicode: unicode)
            if !unicode { #expect(text.utf8.allSatisfy { $0 < 0x80 }, "ASCII screens have no other bytes") }
            try compare(text, "\(name)_\(canvas.size.columns)x\(canvas.size.rows)\(unicode ? "" : "_ascii").txt")
        }
        guard canvas.size.columns >= 40 else { return }
        let styles = StyleLayer.colorCounts.map { StyleLayer(canvas: canvas, colors: $0).text }
        try compare(styles.joined(), "\(name)_\(canvas.size.columns)x\(canvas.size.rows)_styles.txt")
    }

    private func compare(_ text: String, _ file: String) throws {
        if getenv("BLIPCHAT_RECORD_GOLDEN") != nil {
            try GoldenFile.write(text, to: file)
        } else {
            let expected = try #require(GoldenFile.read(file), "\(file) is missing: record it")
            #expect(text == expected, "\(file) differs:\n\(text)")
        }
    }
}

/// Files in Tests/ChatTUITests/Golden.
enum GoldenFile {
    static func path(_ name: String) -> String {
        let here = "\(#filePath)"
        return here.prefix(upTo: here.lastIndex(of: "/") ?? here.startIndex) + "/Golden/" + name
    }

    static func read(_ name: String) -> String? {
        guard let file = fopen(path(name), "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(validating: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to name: String) throws {
        let file = try #require(fopen(path(name), "w"))
        defer { fclose(file) }
        var text = text
        text.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    }
}
