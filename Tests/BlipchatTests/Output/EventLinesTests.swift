// `blipchat watch` for people, the progress of files, and colours.

import Arguments
import BLIPNet
import ChatCore
import ChatSettings
import Testing

@testable import ChatHost
@testable import blipchat

@Suite struct EventLinesTests {
    private let raw = "x\u{1B}[2J\u{202E}y"
    private let time = Timestamp(milliseconds: 1_793_491_200_000)

    /// With one contact of this name, whom everything is about.
    private func records(_ name: String) -> Records {
        Records(
            contacts: ContactDirectory([
                Peer(id: ContactID(2), peerID: nil, name: name, addresses: [], trust: .unverified, added: time)
            ]))
    }

    private func message(
        _ direction: MessageDirection, _ content: ChatMessage.Content, _ state: DeliveryState = .delivered
    ) -> ChatMessage {
        ChatMessage(
            id: MessageID(at: time), position: HistoryPosition(1), contact: ContactID(2), direction: direction,
            sequence: 1, sent: time, stored: time, state: state, content: content)
    }

    private func file(
        _ name: String, _ state: FileTransfer.State, caption: String = "", reason: TransferReason? = nil
    ) -> ChatMessage {
        message(
            .incoming,
            .file(
                FileTransfer(
                    id: MessageID(at: time), number: TransferNumber(8), contact: ContactID(2), direction: .incoming,
                    name: name, size: 2048, modified: time, caption: caption, state: state, reason: reason,
                    offered: time)))
    }

    private func request(_ name: String, from origin: String) throws -> ContactRequest {
        ContactRequest(
            id: 3, peerID: try #require(PeerID(String(repeating: "b", count: 51) + "a")), name: name, address: nil,
            origin: origin, received: time)
    }

    @Test("what is said beside a file, and what is to be said of the name of a stranger, is told")
    func words() throws {
        let file = file("a.txt", .offered, caption: "first line\nsecond\u{200B}")
        let lines = EventLines().lines(of: .message(file, records("bob")))
        #expect(Array(lines.dropFirst()) == ["    first line", "    second ‹hidden: 1›"])
        for (name, warning) in [
            ("a1ice", "  looks like your contact alice, but has another key"),
            ("verified", "  the name says \"verified\""), ("Erin", "(blipchat requests)"),
        ] {
            let lines = EventLines().lines(
                of: .event(.requestsChanged([try request(name, from: "192.0.2.7")]), records("alice")))
            #expect(lines.count == 1 && lines[0].hasSuffix(warning), "\(lines)")
        }
    }

    @Test("prints every kind of event on lines that no terminal obeys")
    func kinds() throws {
        var edited = message(.outgoing, .text("mine"), .read)
        edited.edited = time
        var retracted = message(.outgoing, .text(""), .sent)
        retracted.isRetracted = true
        var reacted = message(.incoming, .text("nice"))
        reacted.reactions = [Reaction(direction: .outgoing, emoji: raw)]
        let (bob, hostile) = (records("bob"), records(raw))
        let reports: [(ChatReport, String)] = [
            (.message(message(.incoming, .text("one\n" + raw)), hostile), "one"),
            (.message(edited, bob), "me to bob read  mine  (edited)"),
            (.message(retracted, bob), "me to bob sent  (deleted)"),
            (.message(reacted, bob, news: .reaction), " me]"),
            (.message(message(.incoming, .text("nice")), bob, news: .reaction), "nice  (reaction removed)"),
            (.message(file(raw, .failed, reason: .other(raw)), bob), "#8 "),
            (.event(.linkChanged(ContactID(2), .connecting), hostile), " is connecting"),
            (.event(.requestsChanged([try request(raw, from: raw)]), bob), "contact request 3 from"),
            (.event(.notice(.keyChanged(ContactID(2))), hostile), "[2J"),
            (.event(.messagesDeleted(ContactID(2)), hostile), "were deleted"),
        ]
        for (report, expected) in reports {
            let lines = EventLines().lines(of: report)
            #expect(lines.contains { $0.contains(expected) }, "\(lines)")
            for line in lines {
                #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E }, "\(line)")
            }
        }
        #expect(EventLines().lines(of: .event(.typing(ContactID(2), true), bob)).isEmpty)
        let progress = TransferProgress(id: MessageID(at: time), transferred: 1, rate: 1)
        #expect(EventLines().lines(of: .progress(progress)).isEmpty)
    }

    @Test("uses colours only when asked, and says the same without them")
    func colors() {
        let link = ChatReport.message(message(.outgoing, .text("mine")), records("bob"))
        let plain = EventLines().lines(of: link)
        let colored = EventLines(usesColor: true).lines(of: link)
        #expect(colored != plain)
        #expect(colored.map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") } == plain)
    }

    @Test("an own file is printed with whom it goes to, its folder, how far it is and how fast")
    func transferLine() {
        var transfer = FileTransfer(
            id: MessageID(at: time), number: TransferNumber(8), contact: ContactID(2), direction: .outgoing,
            name: "a.txt", size: 2048, modified: time, state: .running, transferred: 7, offered: time)
        var records = records("bob")
        #expect(FileReport(transfer, records).line == "#8  a.txt  to bob  7 of 2048 bytes  running")
        records.rates[transfer.id] = 1_200_000.4
        #expect(FileReport(transfer, records).line == "#8  a.txt  to bob  7 of 2048 bytes  running  1.2 MB/s")
        transfer.state = .failed
        transfer.reason = .other(raw)
        #expect(FileReport(transfer, records).line.hasPrefix("#8  a.txt  to bob  7 of 2048 bytes  failed  (x"))
        #expect(FileReport(transfer, records).offer == "a.txt (2.0 kB) from bob")
    }

    @Test("decides about colours by the option, the terminal and NO_COLOR")
    func usesColor() {
        let terminal = ["TERM": "xterm"]
        #expect(StandardStreams.usesColor(nil, terminal, isTerminal: true))
        #expect(StandardStreams.usesColor("auto", terminal, isTerminal: true))
        #expect(!StandardStreams.usesColor(nil, terminal, isTerminal: false))
        #expect(!StandardStreams.usesColor(nil, ["TERM": "xterm", "NO_COLOR": "1"], isTerminal: true))
        #expect(!StandardStreams.usesColor(nil, ["TERM": "dumb"], isTerminal: true))
        #expect(StandardStreams.usesColor("always", ["NO_COLOR": "1"], isTerminal: false))
        #expect(!StandardStreams.usesColor("never", terminal, isTerminal: true))
    }

    @Test("takes only the listed words for options with a choice, and says which")
    func choices() throws {
        #expect(try CommandContext.arguments(of: ["status", "--wait", "online"]).text("--wait") == "online")
        #expect(try CommandContext.arguments(of: ["--color=never", "status"]).text("--color") == "never")
        do {
            _ = try CommandContext.arguments(of: ["--progress", "bars", "status"])
            Issue.record("accepted")
        } catch {
            #expect(error.exit == .usage)
            #expect(error.sentence.contains("auto, bar, plain, json, none, perhaps bar"))
        }
        for option in OptionSpecification.global where option.name == "--progress" {
            #expect(option.choices == ProgressForm.allCases.map(\.rawValue))
        }
    }

    @Test("knows whom a status calls online, and says of each contact how far they are")
    func online() throws {
        let conversations = ["bob", "eve"].enumerated().map { index, name in
            Conversation(
                peer: Peer(
                    id: ContactID(Int64(index)), peerID: nil, name: name, addresses: [], trust: .unverified, added: time
                ),
                lastMessage: nil, unreadCount: 1, readUpTo: nil, queuedCount: 2)
        }
        let identity = LocalIdentity(
            peerID: try #require(PeerID(String(repeating: "b", count: 51) + "a")), name: "me", address: nil,
            listening: "[::]:1")
        let chat = RunningChat(until: .service, process: 5, isConfined: false, identity: identity)
        let details = LinkDetails(remoteAddress: "192.0.2.7:1", isEncrypted: true, roundTrip: .microseconds(1250))
        let status = ChatStatus(
            ChatStatus.Running(chat: chat), conversations, [ContactID(0): .online(details)])
        #expect(status.isOnline(nil))
        #expect(status.isOnline("bob"))
        #expect(!status.isOnline("eve"))
        #expect(status.only("eve").record["peers"]?.arrayValue?.count == 1)
        #expect(
            status.lines == [
                "running (process 5), listening [::]:1, 4 queued, 2 unread",
                "bob: online at 192.0.2.7:1, 1.3 ms, 2 queued", "eve: offline, 2 queued",
            ])
        let onDisk = ChatStatus(onDisk: conversations, own: (nil, nil), process: nil)
        #expect(onDisk.lines.first == "not running, 4 queued, 2 unread")
        #expect(onDisk.record["confined"] == .null)
    }
}
