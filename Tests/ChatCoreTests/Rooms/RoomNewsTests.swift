// What events of a room mean, and which of them are our own coming back.

import Testing

@testable import ChatCore

@Suite("Events of a room") struct RoomNewsTests {
    private let id = MessageID(at: Timestamp(milliseconds: 1_795_000_000_000))

    @Test("a line has a text, perhaps a sender, a time and an id")
    func line() {
        let names = RoomURL.Names()
        let fields: [String: RoomValue] = [
            "message": .text("hi"), "sender": .text("bob"), "timestamp": .number(1_795_000_000_000),
            "id": .text(id.text),
        ]
        #expect(
            RoomNews(RoomEvent("chatMessage", [.object(fields)]), names)
                == .line(
                    RoomLine(text: "hi", sender: "bob", sent: Timestamp(milliseconds: 1_795_000_000_000), id: id)))
        #expect(
            RoomNews(RoomEvent("chatMessage", [.text("hi")]), names)
                == .line(RoomLine(text: "hi", sender: nil, sent: nil, id: nil)))
        #expect(RoomNews(RoomEvent("chatMessage", []), names) == .malformed(event: "chatMessage"))
        #expect(
            RoomNews(RoomEvent("chatMessage", [.object(["message": .bool(true)])]), names)
                == .malformed(event: "chatMessage"))
        #expect(RoomNews(RoomEvent("customEvent", [.null]), names) == .other(event: "customEvent"))
    }

    @Test(
        "times are milliseconds or seconds; what is neither is none",
        arguments: [
            (RoomValue.number(1_795_000_000), 1_795_000_000_000 as Int64?),
            (.number(1_795_000_000.25), 1_795_000_000_250),
            (.text("1795000000123"), 1_795_000_000_123), (.number(-1), nil), (.number(1e300), nil), (.text("now"), nil),
            (.number(.nan), nil),
        ] as [(RoomValue, Int64?)])
    func time(value: RoomValue, milliseconds: Int64?) {
        let event = RoomEvent("chatMessage", [.object(["message": .text("x"), "timestamp": value])])
        guard case .line(let line) = RoomNews(event, RoomURL.Names()) else {
            Issue.record("no line")
            return
        }
        #expect(line.sent?.milliseconds == milliseconds)
    }

    @Test("a room may call its events and fields as it likes")
    func names() throws {
        let url = try RoomURL(
            parsing: "sio+tls://h/?event=msg&message=body&sender=user&people=who&binary=blob&binaryData=b")
        let line = RoomEvent("msg", [.object(["body": .text("hi"), "user": .text("bob")])])
        #expect(RoomNews(line, url.names) == .line(RoomLine(text: "hi", sender: "bob", sent: nil, id: nil)))
        let people = RoomEvent("who", [.array([.text("bob"), .object(["user": .text("eve")]), .null])])
        #expect(RoomNews(people, url.names) == .people(["bob", "eve"]))
        let file = RoomEvent("blob", [.object(["b": .bytes([1, 2]), "text": .text("pic"), "name": .text("a.png")])])
        #expect(
            RoomNews(file, url.names)
                == .file(RoomBinary(bytes: [1, 2], caption: "pic", name: "a.png", sender: nil, sent: nil, id: nil)))
    }

    @Test("an echo is known by its id, else by name, text and time, and is taken once")
    func echoes() {
        let other = MessageID(at: Timestamp(milliseconds: 1_795_000_000_001))
        let time = Timestamp(milliseconds: 5)
        var echoes = RoomEchoes()
        echoes.emitted(id, .text("hi"), sent: time)
        echoes.emitted(id, .text("hi"), sent: time)
        #expect(echoes.take(nil, .text("hi"), sent: time, isOurName: false) == nil)
        #expect(echoes.take(id, .text("ho"), sent: time, isOurName: true) == nil)
        #expect(echoes.take(id, .text("hi"), sent: nil, isOurName: false) == id)
        #expect(echoes.take(id, .text("hi"), sent: time, isOurName: true) == nil)
        // The server has made ids of its own; the older of two alike comes first.
        echoes.emitted(id, .text("hi"), sent: time)
        echoes.emitted(other, .text("hi"), sent: Timestamp(milliseconds: 6))
        #expect(echoes.take(nil, .text("hi"), sent: Timestamp(milliseconds: 6), isOurName: true) == other)
        #expect(echoes.take(nil, .text("hi"), sent: Timestamp(milliseconds: 9), isOurName: true) == id)
    }

    @Test("what never comes back is forgotten")
    func echoLimit() {
        var echoes = RoomEchoes()
        var ids: [MessageID] = []
        for number in 0...RoomEchoes.most {
            ids.append(MessageID(at: Timestamp(milliseconds: Int64(number))))
            echoes.emitted(ids[number], .text("\(number)"), sent: Timestamp(milliseconds: Int64(number)))
        }
        #expect(echoes.take(ids[0], .text("0"), sent: nil, isOurName: true) == nil)
        #expect(echoes.take(ids[1], .text("1"), sent: nil, isOurName: true) == ids[1])
    }

    @Test("the log counts pings in one entry, and keeps the latest")
    func log() {
        var log = RoomLog()
        let time = Timestamp(milliseconds: 1)
        log.note(.pings(1), at: time)
        log.note(.pings(1), at: Timestamp(milliseconds: 2))
        #expect(log.entries == [.init(time: Timestamp(milliseconds: 2), what: .pings(2))])
        for number in 1...RoomLog.most { log.note(.connecting(attempt: number), at: time) }
        #expect(log.entries.count == RoomLog.most)
        #expect(log.entries.first?.what == .connecting(attempt: 1))
    }
}
