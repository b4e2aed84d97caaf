// Slash commands: parsing, the tables, and what the commands ask for.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Slash commands")
struct SlashCommandTests {
    private typealias Fixture = ScreenFixture

    @Test(
        "a command is never sent as text, whatever stands before the slash",
        arguments: [
            "/qiut", " /quit", "\u{200B}/quit", "\u{FEFF}\u{2060} /quit", "\n/quit", "/", "/ hello", "/usr/bin",
            "\u{2800}/qiut", "／quit", "／Help me",
        ])
    func neverSent(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.send(.input(.paste(line)))
        fixture.press("Enter")
        #expect(!fixture.errands.contains { if case .send? = $0.call { true } else { false } })
    }

    @Test("a mistyped command stays in the line and names the one that was meant")
    func suggestion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/qiut")
        #expect(fixture.state.composer.input.text == "/qiut")
        #expect(fixture.text.contains("Did you mean /quit? To send it, start with //"))
        fixture.press("Ctrl-c")
        fixture.enter("hello")
        #expect(!fixture.text.contains("Did you mean"), "it is about a line that is gone")
    }

    @Test("the question about a paste goes with its answer, and the next paste is asked about again")
    func pasteAnswered() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste("one\ntwo\nthree")))
        fixture.press("Enter")
        #expect(fixture.text.contains("3 pasted lines: Enter again sends them"))
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("one\ntwo\nthree", to: Fixture.alice))))
        #expect(!fixture.text.contains("Enter again"))
        // The answer was about that paste only.
        fixture.send(.input(.paste("four\nfive")))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.text.contains("2 pasted lines: Enter again sends them"))
        // It says what Enter does: here it sends nothing.
        fixture.press("Ctrl-c")
        fixture.send(.input(.paste("/clear\nfive")))
        fixture.press("Enter")
        #expect(fixture.text.contains("2 pasted lines: Enter again runs /clear; // in front sends them"))
        fixture.press("Ctrl-c")
        fixture.enter("／wide is no command")
        #expect(fixture.errands.contains(.call(.send("／wide is no command", to: Fixture.alice))))
    }

    @Test("the question about a paste stays for what says nothing about it, and Esc takes only the question back")
    func pasteQuestion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste("one\ntwo")))
        fixture.press("Enter")
        for key in ["Ctrl-z", "Ctrl-l"] {
            fixture.press(key)
            #expect(fixture.text.contains("2 pasted lines: Enter again sends them"), "\(key)")
        }
        fixture.send(.input(.resize(Size(columns: 100, rows: 30))))
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("one\ntwo", to: Fixture.alice))))
        fixture.send(.input(.paste("three\nfour")))
        fixture.press("Enter", "Esc")
        #expect(!fixture.text.contains("Enter again") && fixture.state.place.browse == nil)
        #expect(fixture.state.composer.input.text == "three\nfour")
        fixture.press("Enter", "x")
        #expect(!fixture.text.contains("Enter again"), "a changed draft is asked about anew")
    }

    @Test("names that other programs have for it are the same commands")
    func otherNames() {
        let same = [
            "myqr": "qr", "upload": "send", "sendfile": "send", "download": "accept", "savefile": "accept",
            "key": "bind", "sub": "add", "roster": "contacts", "url": "links", "correct": "edit", "redact": "delete",
        ]
        for (other, name) in same {
            #expect(SlashCommands.named(other)?.name == name, "\(other)")
        }
    }

    @Test("an empty path is no file, and not the working folder")
    func emptyPath() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for line in ["/send \"\"", "/send a.txt ''", "/accept 8 \"\""] {
            fixture.effects = []
            fixture.enter(line)
            #expect(fixture.errands.isEmpty && fixture.text.contains("\"\" is not a path"), "\(line)")
        }
    }

    @Test(
        "a command behind blanks or invisible characters is not run",
        arguments: [" /quit", "\u{200B}/quit", "\n/quit", "/\u{200B}quit", "/qu\u{2060}it"])
    func hiddenCommand(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.send(.input(.paste(line)))
        fixture.press("Enter")
        #expect(!fixture.effects.contains(.quit))
        #expect(fixture.state.composer.input.text == line)
        #expect(fixture.text.contains("Did you mean /quit? To send it, start with //"))
    }

    @Test("/contacts says who is blocked")
    func blockedContact() {
        var blocked = Fixture.conversation(Fixture.bob, "Bob")
        blocked.peer.isBlocked = true
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice"), blocked])
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: [])
        fixture.enter("/contacts")
        #expect(fixture.text.contains(/2 Bob: [a-z]+, blocked/))
        #expect(fixture.text.contains(/1 Alice: [a-z]+, offline/))
    }

    @Test("two slashes send a text that begins with one")
    func doubleSlash() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("//quit is a command")
        #expect(fixture.errands.contains(.call(.send("/quit is a command", to: Fixture.alice))))
    }

    @Test("commands of later versions say so")
    func planned() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/kick Bob")
        #expect(fixture.text.contains("/kick is not in this version yet"))
        #expect(fixture.errands.isEmpty)
    }

    @Test("no name stands twice in the tables, and no planned command is available")
    func table() {
        let names = SlashCommands.available.flatMap(\.names)
        #expect(Set(names).count == names.count)
        #expect(SlashCommands.planned.isDisjoint(with: names))
        for command in SlashCommands.available { #expect(!command.summary.isEmpty) }
    }

    @Test("every command runs without an argument and with nonsense, and only asks for known things")
    func everyCommand() async {
        for command in SlashCommands.available {
            // Others may run meanwhile: this takes long.
            await Task.yield()
            for arguments in ["", "x", "1", "\"", "Alice", "999999999999999999999", "Alice \u{202E}x", "-1"] {
                var fixture = Fixture.main(columns: 80, rows: 24)
                fixture.addTransfers()
                fixture.state.composer.write(InputLine("/\(command.name) \(arguments)"))
                fixture.press("Enter")
                _ = fixture.canvas
            }
        }
    }

    @Test("/msg sends to somebody else without opening the chat")
    func message() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/msg bob  two  blanks stay")
        #expect(fixture.errands == [.call(.send("two  blanks stay", to: Fixture.bob))])
        #expect(fixture.state.place.openID == Fixture.alice)
    }

    @Test("/query opens a chat by the beginning of its name, by number and in any case")
    func query() {
        for word in ["bob", "BO", "2"] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.enter("/query \(word)")
            #expect(fixture.state.place.openID == Fixture.bob)
        }
    }

    @Test("/send takes several paths, quotes and ~")
    func send() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/send ~/a.txt \"/tmp/two words\" b\\ c")
        #expect(
            fixture.errands == [
                .sendFiles(["/home/jo/a.txt", "/tmp/two words", "b c"], caption: "", to: Fixture.alice)
            ])
        fixture.enter("/send ~/a.txt --  from \"last\" night ")
        #expect(
            fixture.errands == [
                .sendFiles(["/home/jo/a.txt"], caption: "from \"last\" night", to: Fixture.alice)
            ])
        fixture.enter("/send -- just words")
        #expect(fixture.errands.isEmpty && fixture.text.contains("/send PATH -- TEXT"))
        let words = Errand.sendFiles(["/home/jo/a.txt", "from", "last"], caption: "", to: Fixture.alice)
        fixture.send(.failed(words, .cannotRead(path: "/home/jo/from", errno: 2)))
        #expect(fixture.text.contains("Nothing was offered: cannot read /home/jo/from"))
        #expect(fixture.text.replacing("\n", with: " ").contains("text for the files goes after"))
    }

    @Test("/limit names a direction or a transfer, and a rate or off")
    func limit() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        let number = RateScope.transfer(TransferNumber(8))
        let lines: [(String, Errand)] = [
            ("/limit up 500k", .call(.setRateLimit(500_000, of: .all(.outgoing)))),
            ("/limit DOWN 2M", .call(.setRateLimit(2_000_000, of: .all(.incoming)))),
            ("/limit up 1.5MB/s", .call(.setRateLimit(1_500_000, of: .all(.outgoing)))),
            ("/limit up 512Ki", .call(.setRateLimit(524_288, of: .all(.outgoing)))),
            ("/limit #8 1000", .call(.setRateLimit(1000, of: number))),
            ("/limit 8 off", .call(.setRateLimit(nil, of: number))),
            ("/limit up 0", .call(.setRateLimit(nil, of: .all(.outgoing)))),
        ]
        for (line, errand) in lines {
            fixture.enter(line)
            #expect(fixture.errands == [errand], "\(line)")
        }
        for line in [
            "/limit up", "/limit sideways 5k", "/limit up fast", "/limit up -5", "/limit up 1e3", "/limit +8 5",
        ] {
            fixture.enter(line)
            #expect(fixture.errands.isEmpty, "\(line)")
        }
        fixture.send(.done(.call(.setRateLimit(500_000, of: .all(.outgoing))), .nothing))
        #expect(fixture.text.contains("All uploads: at most 500 kB/s"))
    }

    @Test("/limit alone shows what is limited, and of files only those that are")
    func limits() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.enter("/limit")
        let asked = fixture.questions.compactMap { if case .limits(let scopes) = $0 { scopes } else { nil } }
        let scopes = try #require(asked.first)
        #expect(scopes.prefix(2) == [.all(.outgoing), .all(.incoming)])
        let files = scopes.dropFirst(2).map { $0 }
        #expect(files == fixture.state.world.transfers.unfinished.map { .transfer($0.number) } && files.count > 1)
        let limited = [RateLimit(scope: scopes[0], rate: 500_000), RateLimit(scope: scopes[1], rate: nil)]
        let file = [RateLimit(scope: scopes[2], rate: 1000), RateLimit(scope: scopes[3], rate: nil)]
        fixture.send(.answer(.limits(limited + file)))
        let text = fixture.text
        #expect(text.contains("All uploads: at most 500 kB/s") && text.contains("All downloads: no limit"))
        #expect(text.contains("\(scopes[2].words): at most 1.0 kB/s") && !text.contains("\(scopes[3].words): no limit"))
    }

    @Test(
        "Tab adds nothing behind the last argument",
        arguments: ["/whois Bob ", "/limit up off ", "/theme dark ", "/forward 2 Bob "])
    func nothingBehind(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type(line)
        fixture.press("Tab", "Tab")
        #expect(fixture.state.composer.input.text == line)
    }

    @Test("/clear far up in the history leads to the end: what comes next is seen")
    func clearScrolled() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-Home")
        fixture.enter("/clear")
        let message = Fixture.message(900, .incoming, "after the clearing", at: Fixture.time(21, 22, 0))
        fixture.send(.chat(.messageAdded(message)))
        #expect(fixture.text.contains("after the clearing") && !fixture.text.contains("newer"))
    }

    @Test("names of other programs: /unreads and /blocked list, /slashguard says what it is here")
    func namesOfOthers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/unreads")
        let unread = fixture.state.world.chats.filter(\.isUnread)
        #expect(!unread.isEmpty)
        for chat in unread {
            #expect(fixture.text.contains("\(chat.name.text): \(chat.conversation.unreadCount) unread"))
        }
        fixture.enter("/unreads nobody")
        #expect(fixture.text.contains("No contact matches"))
        fixture.enter("/blocked")
        #expect(fixture.text.contains("Nobody is blocked (/block WHO)"))
        fixture.state.world.chats[1].set(\.peer.isBlocked, to: true)
        fixture.enter("/blocked")
        #expect(fixture.text.contains("Blocked (/unblock WHO lets them call again):"))
        fixture.enter("/slashguard")
        #expect(fixture.text.contains("Always on") && fixture.errands.isEmpty)
    }

    @Test("a folder that is offered says how many files it has and what was left out")
    func folder() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let folder = FolderOffer(messages: [], skipped: 2)
        let one = Errand.sendFiles(["/home/jo/photos"], caption: "", to: Fixture.alice)
        fixture.send(.done(one, .files([], folders: [folder])))
        #expect(fixture.text.contains("Offered nothing, 2 links and devices left out"))
        let two = Errand.sendFiles(["/home/jo/photos", "/dev/null"], caption: "", to: Fixture.alice)
        let refused = RefusedOffer(path: "/dev/null", error: .notARegularFile(path: "/dev/null"))
        fixture.send(.done(two, .files([], folders: [folder], refused: [refused])))
        #expect(fixture.text.contains("Offered 1 of 2, not /dev/null"))
    }

    @Test("the offer of a folder says what accepting it takes, in one box for all of its files")
    func folderOffer() {
        var fixture = Fixture.main(columns: 100, rows: 30)
        for number in Int64(20)...22 {
            var transfer = Fixture.transfer(number, .incoming, "f\(number).jpg", size: 1000, .offered)
            transfer.place = FolderPlace(
                set: Fixture.messageID(1), path: "ho\u{202E}me/2024", files: 3, bytes: 3000)
            fixture.send(
                .chat(.messageAdded(Fixture.fileMessage(transfer, position: 100 + number, at: Fixture.time(21, 9, 6)))))
        }
        let text = fixture.text
        #expect(text.contains("┌ #20 ho‹RLO›me/  3.0 kB  folder of 3 files"))
        #expect(text.ranges(of: "┌ #").count == 1 && !text.contains("f21.jpg"))
    }

    @Test("/accept needs no number when there is one offer, and takes a folder")
    func accept() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.enter("/accept")
        #expect(fixture.errands.contains(.accept(TransferNumber(8), folder: nil)))
        fixture.enter("/accept #8 ~/x")
        #expect(fixture.errands.contains(.accept(TransferNumber(8), folder: "/home/jo/x")))
    }

    @Test("/pause, /resume, /cancel and /decline name the transfer")
    func transfers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.enter("/pause 8")
        #expect(fixture.errands.contains(.call(.pauseTransfer(TransferNumber(8)))))
        fixture.enter("/resume")
        #expect(fixture.errands.contains(.call(.resumeTransfer(TransferNumber(5)))))
        fixture.enter("/cancel")
        #expect(!fixture.errands.contains { if case .cancelTransfer? = $0.call { true } else { false } })
        #expect(fixture.text.contains("Which one?"))
    }

    @Test("/cancel without a number asks once before it ends the only transfer there is")
    func cancelOnly() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.enter("/cancel")
        #expect(!fixture.errands.contains(.call(.cancelTransfer(TransferNumber(8)))))
        #expect(fixture.text.contains("This cancels #8"))
        fixture.enter("/cancel")
        #expect(fixture.errands.contains(.call(.cancelTransfer(TransferNumber(8)))))
    }

    @Test("/decline N REASON: the reason goes out as an answer to the offer")
    func declineReason() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        let offer = Fixture.fileMessage(Fixture.release, position: 10, at: Fixture.time(21, 9, 7))
        fixture.enter("/decline 8 too big  for \"me\"")
        #expect(
            fixture.errands == [
                .call(.declineTransfer(TransferNumber(8))),
                .call(.send("too big  for \"me\"", to: offer.contact, replyTo: offer.id)),
            ])
        fixture.enter("/decline not now")
        #expect(
            fixture.errands == [
                .call(.declineTransfer(TransferNumber(8))),
                .call(.send("not now", to: offer.contact, replyTo: offer.id)),
            ])
        fixture.enter("/decline 8")
        #expect(fixture.errands == [.call(.declineTransfer(TransferNumber(8)))])
        // Of another chat, whose messages are not read, and of what is no offer to us.
        let elsewhere = Fixture.transfer(12, .incoming, "late", size: 5, .offered, contact: Fixture.bob)
        fixture.send(.answer(.transfers([elsewhere, Fixture.buildLog])))
        fixture.enter("/decline 12 no room")
        #expect(
            fixture.errands == [.call(.declineTransfer(TransferNumber(12))), .call(.send("no room", to: Fixture.bob))])
        fixture.enter("/decline 7 no room")
        #expect(fixture.errands == [.call(.declineTransfer(TransferNumber(7)))])
    }

    @Test(
        "a number alone is no new text: it was to be the message that is meant",
        arguments: ["/edit 1", "/reply 2", "/edit #8", "/reply 8 "])
    func loneNumber(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        #expect(fixture.errands.isEmpty)
        let name = line.prefix { $0 != " " }
        #expect(fixture.text.contains("\(name) [N] TEXT: say wh"))
    }

    @Test("a text that is only a number is sent behind the message that it is for")
    func numberAsText() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/edit 1 1")
        #expect(fixture.errands.contains { if case .edit(_, "1")? = $0.call { true } else { false } })
        fixture.enter("/reply 1 2")
        #expect(fixture.errands.contains { if case .send(_, "2", _?)? = $0.call { true } else { false } })
    }

    @Test("what was taken back is told to those who have it, when they can be told")
    func deletedWords() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var message = Fixture.history[4]
        let errand = Errand.retract(message, of: 1)
        fixture.send(.done(errand, .reply(message)))
        #expect(fixture.text.contains("Deleted your message of "))
        fixture.send(.chat(.linkChanged(Fixture.alice, .offline(reason: nil))))
        fixture.send(.done(errand, .reply(message)))
        #expect(fixture.text.contains(" here; for Alice once online"))
        message.state = .takenBack
        fixture.send(.done(errand, .reply(message)))
        #expect(fixture.text.contains("; Alice never got it"))
        fixture.send(.done(.retract(message, of: 5), .reply(message)))
        #expect(fixture.text.contains("Deleted 5 messages of yours here; for Alice once online"))
    }

    @Test("/export of a word that is nobody's name writes nothing: it may be a slip")
    func exportSlip() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("/export alise")
        #expect(fixture.questions.isEmpty && fixture.text.contains("Nobody is called alise"))
        fixture.enter("/export ./alise")
        #expect(!fixture.questions.isEmpty)
    }

    @Test("/export refuses an end that it does not write", arguments: ["x.pdf", "~/a.b/x.csv", "bob x.PDF"])
    func exportForms(path: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/export \(path)")
        #expect(fixture.questions.isEmpty && fixture.text.contains("/export writes .txt, .json or .html"))
    }

    @Test(
        "/export takes the form from the end of the path",
        arguments: [("x.txt", "text"), ("x.JSON", "json"), ("x.html", "html"), ("a.b/x", "text"), (".hidden", "text")])
    func exportForm(path: String, form: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/export \(path)")
        #expect(fixture.questions == [.command(ProgramCommand(["export", "--format", form, "-o", path]))])
    }

    @Test("commands with nothing to do say so: a contact who is online, a reaction that is not there")
    func nothingToDo() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/connect alice")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Alice is already online"))
        fixture.enter("/connect bob")
        #expect(fixture.errands.contains(.call(.reconnect(Fixture.bob))) && fixture.text.contains("Calling Bob now"))
        fixture.enter("/react 2")
        #expect(fixture.errands.isEmpty && fixture.text.contains("You have not reacted to that message"))
        var message = Fixture.history[6]
        message.reactions = [Reaction(direction: .outgoing, emoji: "👍")]
        fixture.send(.chat(.messageChanged(message)))
        fixture.enter("/react 2")
        #expect(
            fixture.errands == [.call(.react(to: message, with: nil))]
                && fixture.text.contains("Took back your reaction"))
    }

    @Test("/alias says how to remove one, and a decision is called by one word")
    func words() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/alias hi /me waves")
        fixture.enter("/alias")
        #expect(fixture.text.contains("/alias NAME - removes one"))
        fixture.enter("/alias hi")
        #expect(fixture.text.contains("(/alias hi - removes it)"))
        fixture.send(.done(.call(.declineTransfer(TransferNumber(8))), .nothing))
        #expect(fixture.text.contains("#8 is declined"))
    }

    @Test("/remove asks once")
    func remove() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/remove bob")
        #expect(fixture.errands.isEmpty)
        fixture.enter("/remove bob")
        #expect(fixture.errands.contains(.remove(Fixture.bob, name: "Bob")))
    }

    @Test("/remove asks again after anything else was entered")
    func removeForgets() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/remove bob")
        fixture.enter("hello")
        fixture.enter("/remove bob")
        #expect(!fixture.errands.contains(.remove(Fixture.bob, name: "Bob")))
    }

    @Test("/myid puts the address on the clipboard and says so; line mode, which has none, only shows it")
    func myID() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let address = PeerAddress(host: "192.0.2.10", peerID: fixture.state.world.identity.peerID, name: "Jo")
        fixture.state.world.setIdentity(\.address, to: address)
        fixture.effects = []
        fixture.enter("/myid")
        #expect(fixture.effects.contains(.terminal(.copy("\(address)"))))
        #expect(fixture.text.contains("it is on the clipboard now") && fixture.text.contains("Copied your address"))
        fixture.effects = []
        fixture.state.surface = fixture.state.surface.rebuilt(isLineMode: true)
        fixture.enter("/myid")
        #expect(!fixture.effects.contains(.terminal(.copy("\(address)"))))
        fixture.state.surface = fixture.state.surface.rebuilt()
        fixture.state.world.setIdentity(\.address, to: nil)
        fixture.enter("/myid")
        #expect(!fixture.effects.contains { if case .terminal(.copy) = $0 { true } else { false } })
    }

    @Test("/add takes an address that comes in rows with frames, and the name behind it")
    func addPasted() throws {
        let id = Fixture.peerID("q").text
        let address = try PeerAddress(parsing: "blip://192.0.2.17:4985/\(id)#Al")
        for (text, name) in [
            ("blip://192.0.2.17:4985/\(id.prefix(30)) │\n│ \(id.dropFirst(30))#Al", nil),
            ("blip://192.0.2.17:4985/\(id.prefix(30)) \(id.dropFirst(30))#Al Al B", "Al B"),
            ("\"blip://192.0.2.17:4985/\(id)?name=Al\" Al B", "Al B"),
        ] as [(String, String?)] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.enter("/add \(text)")
            #expect(fixture.errands == [.call(.addContact(address, name: name))], "\(text)")
        }
    }

    @Test("/add reads an address and says what is wrong with one")
    func add() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/add http://example.org")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("an address begins"))
        fixture.enter("/add 127.0.0.1:5000 Eve the second")
        let address = try PeerAddress(parsing: "127.0.0.1:5000")
        #expect(fixture.errands.contains(.call(.addContact(address, name: "Eve the second"))))
    }

    @Test("/block, /unblock and /rename")
    func people() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/block carol")
        #expect(fixture.errands == [.call(.setBlocked(Fixture.carol, true))])
        fixture.enter("/unblock carol")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Carol is not blocked"))
        fixture.state.world.chats[2].set(\.peer.isBlocked, to: true)
        fixture.enter("/unblock carol")
        #expect(fixture.errands == [.call(.setBlocked(Fixture.carol, false))])
        fixture.state.world.chats[2].set(\.peer.isBlocked, to: false)
        // In the chat of who is blocked no name is needed, as with other commands.
        fixture.state.world.chats[0].set(\.peer.isBlocked, to: true)
        fixture.enter("/unblock")
        #expect(fixture.errands == [.call(.setBlocked(Fixture.alice, false))])
        fixture.state.world.chats[0].set(\.peer.isBlocked, to: false)
        fixture.enter("/rename carol Caro L")
        #expect(fixture.errands == [.rename(Fixture.carol, to: "Caro L")])
        fixture.enter("/rename carol \"Caro L\"")
        #expect(fixture.errands == [.rename(Fixture.carol, to: "Caro L")])
        fixture.enter("/rename carol \"")
        #expect(fixture.errands.isEmpty && fixture.text.contains("the new name is missing"))
    }

    @Test("/goto with a day asks for its first message and shows it")
    func goTo() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/goto 2026-11-20")
        guard case .ask(.day(let contact, let day, let generation)) = fixture.effects.last else {
            Issue.record("the day was not asked for")
            return
        }
        #expect(day == Fixture.time(20, 0, 0))
        fixture.effects = []
        fixture.send(.answer(.day(contact, day, Fixture.history[0], generation: generation - 1)))
        #expect(fixture.effects.isEmpty)
        fixture.send(.answer(.day(contact, day, Fixture.history[0], generation: generation)))
        fixture.answerPages(from: Fixture.history)
        #expect(fixture.state.openChat?.window.highlight?.id == Fixture.messageID(1))
    }

    @Test("/quit stores the draft and quits once")
    func quit() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/quit")
        fixture.press("Ctrl-q")
        #expect(fixture.effects.count { $0 == .quit } == 1)
    }

    @Test("/help with what is no command says that, and filters the help")
    func helpAboutOther() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/help pastes")
        #expect(fixture.text.contains("pastes is not a command"))
        guard case .help(let pane) = fixture.state.place.overlay else {
            return #expect(Bool(false), "the help is closed")
        }
        #expect(pane.list.filter.text == "pastes")
    }

    @Test("/help NAME shows the line of the table")
    func help() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/help send")
        #expect(fixture.text.contains("/send [PATH…] [-- TEXT]: offer files or folders"))
    }

    @Test("spelling", arguments: [("qiut", "quit"), ("hepl", "help"), ("serach", "search"), ("xyzzy", nil)])
    func spelling(word: String, expected: String?) {
        #expect(SlashCommands.suggestion(for: word) == expected)
    }

    @Test(
        "arguments with quotes come back as they were", arguments: ["a b", "it's", "\"q\"", "back\\slash", "plain", ""])
    func quoting(word: String) {
        var scanner = ArgumentScanner(ArgumentScanner.quoted(word) + " rest")
        let result1 = scanner.next()
        #expect(result1 == word)
        let result2 = scanner.remainder()
        #expect(result2 == "rest")
    }

    @Test("an unclosed quote ends with the text")
    func unclosed() {
        var scanner = ArgumentScanner("\"open end")
        let result3 = scanner.all()
        #expect(result3 == ["open end"])
    }

    @Test(
        "a command without a number says what there is nothing of",
        arguments: [
            ("/accept", "No offer is waiting"), ("/decline", "No offer is waiting"),
            ("/pause", "No file is being sent or received"), ("/resume", "Nothing is paused"),
            ("/cancel", "No unfinished transfers"), ("/pause release", "release is not a transfer (8, #8;"),
            ("/unread 9", "There are fewer than 9 messages of theirs"),
            ("/read nobody", "No contact is called nobody"),
            ("/goto #zz", "#zz is not a message in this chat"), ("/goto soon", "soon is not a day"),
        ])
    func nothingToDo(line: String, words: String) {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter(line)
        #expect(fixture.effects.allSatisfy { if case .run = $0 { false } else { true } })
        #expect(fixture.text.contains(words), "\(fixture.text)")
    }

    @Test("/read WHO marks that chat, /read the open one")
    func readWhom() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/read dave")
        #expect(fixture.text.contains("Marked Dave as read"))
        fixture.enter("/read")
        #expect(fixture.text.contains("Marked Alice as read"))
    }

    @Test("a slash alone is not taken for the shortest command")
    func slashAlone() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/")
        #expect(fixture.text.contains("/ alone is not a command (/help lists all). To send it, start with //"))
    }

    @Test("whom we refuse is neither called nor pinged, and is shown without a link", arguments: ["connect", "ping"])
    func blockedLink(name: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.chat(.linkChanged(Fixture.bob, .offline(reason: "nobody listens there"))))
        fixture.state.world.chats[1].set(\.peer.isBlocked, to: true)
        fixture.enter("/\(name) bob")
        #expect(fixture.errands.isEmpty && fixture.questions.isEmpty)
        #expect(fixture.text.contains("Bob is blocked (/unblock Bob)"))
        fixture.press("Alt-k")
        #expect(fixture.text.contains(/Bob +blocked/))
        fixture.press("Esc", "Alt-2")
        #expect(fixture.text.hasPrefix(" Bob · blocked · unverified  "))
    }

    @Test("a view that was cleared says so as long as it is empty, and PgUp can be clicked there")
    func cleared() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/clear")
        fixture.press("Alt-2", "Alt-1")
        #expect(fixture.text.contains("│The view is clear; PgUp shows the history again."))
        try fixture.click(on: "PgUp")
        #expect(fixture.text.contains("morning!") && !fixture.text.contains("The view is clear"))
    }

    @Test("a chat that its user has marked as unread is the next unread one, also while it is open")
    func markedUnread() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for index in fixture.state.world.chats.indices { fixture.state.world.chats[index].set(\.unreadCount, to: 0) }
        fixture.press("Tab")
        #expect(fixture.text.contains("Nothing unread"))
        fixture.state.world.chats[0].set(\.unreadCount, to: 2)
        fixture.enter("/version")
        fixture.press("Tab")
        #expect(fixture.state.place.openID == Fixture.alice && !fixture.text.contains("Nothing unread"))
    }

    @Test(
        "a name of several words needs no quotes, and the longest name counts",
        arguments: [
            ("/msg bob builder hi there", .call(.send("hi there", to: Fixture.carol))),
            ("/msg \"bob builder\" hi", .call(.send("hi", to: Fixture.carol))),
            ("/msg bob hi", .call(.send("hi", to: Fixture.bob))),
            ("/msg bob builders hi", .call(.send("builders hi", to: Fixture.bob))),
            ("/rename Bob Builder Bobby", .rename(Fixture.carol, to: "Bobby")),
            ("/mute Bob Builder off", .call(.setMuted(Fixture.carol, until: nil))),
            ("/autoaccept bob builder off", .call(.setAutomaticAcceptance(0, from: Fixture.carol))),
        ] as [(String, Errand)])
    func nameOfTwoWords(line: String, errand: Errand) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.world.chats[2].set(\.peer.name, to: "Bob Builder")
        fixture.enter(line)
        #expect(fixture.errands == [errand])
    }

    @Test("the only key that sends a line is not taken away by one", arguments: ["/bind Enter quit", "/unbind Enter"])
    func lastSendingKey(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        #expect(fixture.errands.isEmpty && fixture.state.surface.settings.keys.isEmpty)
        #expect(fixture.text.contains("Enter is the only key that sends"))
        fixture.enter("/bind Alt-j send")
        fixture.enter(line)
        #expect(fixture.state.surface.settings.keys["Enter"] != nil)
    }

    @Test("words of the user that are cut off in a sentence have a mark")
    func cutWords() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter("/react " + String(repeating: "x", count: 40))
        #expect(fixture.text.contains(String(repeating: "x", count: 29) + "… is not a reaction"))
    }
}
