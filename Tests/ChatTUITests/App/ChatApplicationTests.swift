// The running application over a scripted terminal: order of errands, painting, quitting.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@ScreenActor
@Suite("Chat application", .timeLimit(.minutes(10)))
struct ChatApplicationTests {
    private let terminal = ScriptedTerminal()
    private let options = ChatApplicationOptions(home: "/home/jo", version: "0.1", clock: .fixed(seconds: 0))

    private func start(
        _ service: RecordingService, patience: Duration? = nil
    ) -> (ChatApplication, Task<Int32, any Error>) {
        var options = options
        if let patience { options.patience = patience }
        let application = ChatApplication(service: service, terminal: terminal, options: options)
        return (application, Task { try await application.run() })
    }

    @Test("lines are sent in the order of Enter, all of them before the program ends, and the terminal is given back")
    func order() async throws {
        let service = RecordingService()
        let (application, run) = start(service)
        #expect(await terminal.waits(for: "Alice>"))
        let lines = (1...100).map { "line \($0)" }
        for line in lines {
            terminal.type(line)
            terminal.press("Enter")
        }
        terminal.type("half")
        terminal.press("Ctrl-q")
        #expect(try await run.value == 0)
        let log = await service.log
        #expect(log.filter { $0.hasPrefix("send ") } == lines.map { "send \($0)" })
        #expect(log.last == "draft half")
        #expect(terminal.isStopped)
        #expect(application.farewell?.contains("stay queued") == true)
    }

    @Test("the first picture has the chat in it")
    func firstPicture() async throws {
        let hello = ScreenFixture.message(1, .incoming, "hello there", at: ScreenFixture.time(21, 9, 0))
        let (_, run) = start(RecordingService(history: [hello], draft: "half a thought"), patience: .seconds(600))
        #expect(await terminal.waits { $0.presentCount > 0 })
        let first = terminal.first.map { ScreenFixture.text($0) } ?? ""
        #expect(first.contains("Alice> half a thought") && first.contains("hello there"), "\(first)")
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("who was named on the first page is added first, and what is wrong with that is said in the chat")
    func someone() async throws {
        var options = options
        options.someone = "/add blip://192.0.2.10:4985/\(ScreenFixture.peerID("b").text)"
        // Who comes from that page has nobody yet.
        let service = RecordingService()
        await service.holdConversations()
        let application = ChatApplication(service: service, terminal: terminal, options: options)
        let run = Task { try await application.run() }
        #expect(await terminal.waits(for: "theirs)"))
        await service.releaseConversations()
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("a history that does not answer keeps nobody from the screen, and is not taken for an empty one")
    func slowHistory() async throws {
        let service = RecordingService()
        await service.holdConversations()
        let (_, run) = start(service)
        #expect(await terminal.waits(for: "F1 help"))
        #expect(!terminal.text.contains("Nobody to talk to"))
        terminal.type("early")
        #expect(await terminal.waits(for: "> early"))
        await service.releaseConversations()
        #expect(await terminal.waits(for: "Alice> early"))
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("a folder that is being offered holds up nothing but the end of the program")
    func folder() async throws {
        let service = RecordingService()
        await service.holdFolders()
        let (_, run) = start(service)
        #expect(await terminal.waits(for: "Alice>"))
        let folder = try TemporaryDirectory()
        for line in ["/send \(folder.path)", "meanwhile"] {
            terminal.type(line)
            terminal.press("Enter")
        }
        try await eventually("the line is sent") { await service.log.contains("send meanwhile") }
        terminal.press("Ctrl-q")
        #expect(await !service.log.contains("folder \(folder.path)"))
        await service.releaseFolder()
        _ = try await run.value
        #expect(await service.log.contains("folder \(folder.path)"))
    }

    @Test("a flood of news is painted in few pictures, and keys still echo")
    func flood() async throws {
        let service = RecordingService()
        let (_, run) = start(service)
        #expect(await terminal.waits(for: "Alice>"))
        let before = terminal.presentCount
        let clock = ContinuousClock.now
        for number in 1...1000 as ClosedRange<Int64> {
            service.publish(
                .messageAdded(
                    ScreenFixture.message(number, .incoming, "news \(number)", at: ScreenFixture.time(21, 9, 0))))
        }
        terminal.type("echo")
        #expect(await terminal.waits(for: "news 1000"))
        #expect(terminal.text.contains("Alice> echo"))
        let frames = Int((ContinuousClock.now - clock) / PaintSchedule.interval)
        // Keys may be some pictures ahead of their time.
        #expect(terminal.presentCount - before <= frames + PaintSchedule.advance + 2)
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("nothing is painted at rest")
    func rest() async throws {
        let (_, run) = start(RecordingService())
        #expect(await terminal.waits(for: "Alice>"))
        // Until everything that the start asked for is there: pictures stop changing.
        var before = -1
        #expect(
            await terminal.waits { terminal in
                defer { before = terminal.presentCount }
                return before == terminal.presentCount && terminal.text.contains("No messages yet")
            })
        let canvas = terminal.canvas
        terminal.press("Esc")
        #expect(await terminal.waits { $0.presentCount > before })
        #expect(terminal.canvas == canvas)
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("an error of the service is a sentence in the chat")
    func failure() async throws {
        let (_, run) = start(RecordingService())
        #expect(await terminal.waits(for: "Alice>"))
        terminal.type("/send /no/such/file")
        terminal.press("Enter")
        #expect(await terminal.waits(for: "Nothing was offered: cannot read /no/such/file"))
        // What is there is not sent either when something else is not.
        terminal.type("/send /etc/passwd /no/such/words -- text")
        terminal.press("Enter")
        #expect(await terminal.waits(for: "Nothing was offered: cannot read /no/such/words"))
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("the day of /goto is found by halving the history")
    func day() async throws {
        let history = (1...300 as ClosedRange<Int64>).map {
            ScreenFixture.message($0 * 7, .incoming, "line \($0)", at: ScreenFixture.time(1 + $0 / 15, 10, 0))
        }
        let (_, run) = start(RecordingService(history: history))
        #expect(await terminal.waits(for: "line 300"))
        terminal.type("/goto 2026-11-11")
        terminal.press("Enter")
        #expect(await terminal.waits(for: "line 150"))
        #expect(terminal.text.contains("Wed 11 Nov 2026"))
        terminal.press("Ctrl-q")
        _ = try await run.value
    }

    @Test("SIGTERM ends the program with 143")
    func terminate() async throws {
        let (_, run) = start(RecordingService())
        #expect(await terminal.waits(for: "Alice>"))
        terminal.send(.terminate(signal: 15))
        #expect(try await run.value == 143)
        #expect(terminal.isStopped)
    }
}
