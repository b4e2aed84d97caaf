// The JSON records that scripts rely on: names, order and words of the fields.

import BLIPNet
import Testing

@testable import ChatCore
@testable import ChatHost
@testable import ChatSettings

@Suite struct RecordsTests {
    private let bob = Peer(
        id: ContactID(2), peerID: nil, name: "Bob", addresses: [PeerAddress(host: "::1", port: 7)], trust: .unverified,
        added: Timestamp(milliseconds: 0))

    private func message(_ content: ChatMessage.Content, _ direction: MessageDirection, _ state: DeliveryState) throws
        -> ChatMessage
    {
        ChatMessage(
            id: try #require(MessageID("01900000-0000-7000-8000-000000000001")), position: HistoryPosition(9),
            contact: bob.id, direction: direction, sequence: 1, sent: Timestamp(milliseconds: 1000),
            stored: Timestamp(milliseconds: 2000), state: state, content: content)
    }

    @Test("has the fields of a message exactly as promised")
    func messages() throws {
        let records = Records(contacts: ContactDirectory([bob]))
        let incoming = try records.record(of: message(.text("hi\u{1B}"), .incoming, .read))
        #expect(
            incoming.text
                == #"{"v":1,"type":"message","id":"01900000-0000-7000-8000-000000000001","conversation":"Bob","#
                + #""from":"Bob","state":"read","sent":"1970-01-01T00:00:01.000Z","#
                + #""received":"1970-01-01T00:00:02.000Z","text":"hi\u001b"}"#)
        let failed = try records.record(of: message(.text("x"), .outgoing, .failed(reason: .other("no"))))
        #expect(failed["from"] == "me")
        #expect(failed["state"] == "failed")
        #expect(failed["reason"] == "no" && failed["reason_code"] == "other no")
        let known = try records.record(of: message(.text("x"), .outgoing, .failed(reason: .idTaken)))
        #expect(known["reason_code"] == "id-taken")
        #expect(failed["received"] == .null)
    }

    @Test("says \"me\" of the user only: who was let be called so has another name, and is found by both")
    func reservedName() throws {
        var me = bob
        me.name = "Me"
        let other = Peer(
            id: ContactID(3), peerID: nil, name: "me 2", addresses: [], trust: .unverified,
            added: Timestamp(milliseconds: 0))
        let contacts = ContactDirectory([me, other])
        let record = try Records(contacts: contacts).record(of: message(.text("x"), .incoming, .read))
        #expect(record["from"] == "Me 3" && record["conversation"] == "Me 3")
        #expect(try contacts.find("me").id == me.id)
        #expect(try contacts.find("ME 3").id == me.id)
        #expect(try contacts.find("me 2").id == other.id)
        #expect(throws: CommandError.self) { try ContactDirectory([other]).find("me") }
    }

    @Test("a contact is found by the name that is shown, also when invisible characters are in it")
    func invisibleName() throws {
        var hidden = bob
        hidden.name = "Bo\u{200D}b"
        let contacts = ContactDirectory([hidden])
        for name in ["Bob", "bob", "Bo\u{200D}b"] { #expect(try contacts.find(name).id == hidden.id) }
        #expect(throws: CommandError.self) { try contacts.find("Bo") }
    }

    @Test("tells what was done to a message, what is missing before it and that its time is off, and only then")
    func changes() throws {
        let records = Records(contacts: ContactDirectory([bob]))
        var changed = try message(.text("new"), .outgoing, .delivered)
        changed.edited = Timestamp(milliseconds: 5000)
        changed.reactions = [Reaction(direction: .incoming, emoji: "👍"), Reaction(direction: .outgoing, emoji: "x")]
        changed.operationState = .sent
        let record = records.record(of: changed)
        #expect(record["edited"] == "1970-01-01T00:00:05.000Z")
        #expect(record["reactions"]?.text == #"[{"from":"Bob","emoji":"👍"},{"from":"me","emoji":"x"}]"#)
        #expect(record["change"] == "sent")
        #expect(record["retracted"] == nil && record["missing_before"] == nil && record["clock_off"] == nil)
        var gone = try message(.text(""), .incoming, .delivered)
        gone.isRetracted = true
        gone.missingBefore = 2
        gone.sent = Timestamp(milliseconds: 400_000)
        let other = records.record(of: gone)
        #expect(other["retracted"] == .bool(true) && other["text"] == "")
        #expect(other["missing_before"] == 2)
        #expect(other["clock_off"] == .bool(true))
    }

    @Test("has the fields of a file, with its rate while it runs")
    func files() throws {
        let id = try #require(MessageID("01900000-0000-7000-8000-000000000001"))
        let transfer = FileTransfer(
            id: id, number: TransferNumber(8), contact: bob.id, direction: .incoming, name: "a.txt", size: .max,
            modified: Timestamp(milliseconds: 0), state: .running, transferred: 5, offered: Timestamp(milliseconds: 0))
        let records = Records(contacts: ContactDirectory([bob]), rates: [id: 1000.4])
        let record = try records.record(of: message(.file(transfer), .incoming, .delivered))
        #expect(record["type"] == "file")
        #expect(record["number"] == 8)
        #expect(record["name"] == "a.txt")
        #expect(record["size"] == .integer(.max))
        #expect(record["transferred"] == 5)
        #expect(record["state"] == "running")
        #expect(record["direction"] == "incoming")
        #expect(record["rate"] == .number(1000))
        #expect(record["sha256"] == .null)
        #expect(record["path"] == .null)
        #expect(record["conversation"] == "Bob")
    }

    @Test("why a way is of no use is said for people and, by a code that stays, for programs")
    func reasonsOfWays() throws {
        let relay = RelayReport(
            host: "h", port: 1, state: .failed(.relay(host: "h", .violated(reason: "no bytes of theirs"))))
        let record = Records.reach(
            ReachReport(
                listening: nil, isInside: true, mapping: .failed(.noPublicAddress("10.0.0.1")),
                relays: [relay, RelayReport(host: "i", port: 2, state: .joining)],
                onion: OnionReport(host: nil, state: .failed(.onion(.starting(percent: 7))), isOnly: false),
                neighbours: .off))
        #expect(record["mapping"]?["reason_code"] == "no-public-address 10.0.0.1")
        #expect(record["onion"]?["reason_code"] == "tor-starting 7")
        let relays = try #require(record["relays"]?.arrayValue)
        #expect(relays.map { $0["reason_code"] } == ["relay-violated h", nil])
        #expect(relays[0]["reason"]?.stringValue?.hasSuffix("no bytes of theirs") == true && relays[1]["reason"] == nil)
    }

    @Test("a limit of the rate names what it is for by a word of its own, and a transfer by its number")
    func limits() {
        let limits = [
            Records.limit(1000, of: .all(.outgoing)), Records.limit(nil, of: .all(.incoming)),
            Records.limit(5, of: .transfer(TransferNumber(8))),
        ]
        #expect(
            limits.map(\.text) == [
                #"{"v":1,"type":"limit","scope":"up","rate":1000}"#,
                #"{"v":1,"type":"limit","scope":"down","rate":null}"#,
                #"{"v":1,"type":"limit","scope":"transfer","number":8,"rate":5}"#,
            ])
    }

    @Test("finds contacts without regard to case, and suggests the nearest name")
    func directory() throws {
        let directory = ContactDirectory([bob])
        #expect(try directory.find("bOB").id == bob.id)
        do {
            _ = try directory.find("Bbo")
            Issue.record("found")
        } catch {
            #expect(error.exit == .notFound)
            #expect(error.advice == "did you mean Bob?")
        }
    }
}
