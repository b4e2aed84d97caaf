// What a hostile or broken server may send: each ends in a fault that says what and where, and within limits.

import Testing

@testable import BLIPNet

@Suite struct SocketIOBadInputTests {
    /// The fault that ends a connected session when the server sends these packets and bytes.
    private func fault(
        _ limits: SocketIOLimits = SocketIOLimits(), _ serve: (inout SocketIOPeer) -> Void
    ) throws -> SocketIOFault? {
        var peer = try SocketIOPeer(limits: limits)
        try peer.connect()
        serve(&peer)
        guard case .closed(.malformed(let fault))? = peer.events().last else { return nil }
        #expect(peer.session.status == .closed)
        return fault
    }

    // MARK: Payloads

    @Test(
        "lengths that lie",
        arguments: [
            ("99:4a", SocketIOFault.Reason.lengthBeyondEnd(99), 0),
            ("9999999999:4a", .lengthBeyondEnd(9_999_999_999), 0),
            ("99999999999:4a", .badLength, 0), ("99999999999999999999999999:4a", .badLength, 0), ("2", .badLength, 0),
            ("2:4a3", .badLength, 4), ("2:4a-1:", .badLength, 4), ("2:😀", .unknownType(0xF0), 2),
        ])
    func lengths(body: String, reason: SocketIOFault.Reason, offset: Int) {
        let decoded = EngineIOPayload.decode(Array(body.utf8), revision: .eio3)
        #expect(decoded.fault?.reason == reason && decoded.fault?.offset == offset, "\(decoded)")
    }

    @Test(
        "lengths that lie in the binary framing",
        arguments: [
            ([0], SocketIOFault.Reason.badLength), ([0, 0xFF], .badLength), ([0, 1], .badLength),
            ([0, 9, 9, 0xFF, 0x34], .lengthBeyondEnd(99)), ([0, 0, 0xFF], .empty), ([1, 0, 0xFF], .empty),
            ([0] + [UInt8](repeating: 9, count: 40) + [0xFF], .badLength), ([1, 1, 0xFF, 2], .unknownType(2)),
            ([0, 1, 0xFF, 0x34, 7], .unknownType(7)), ([0, 2, 0xFF, 0x34, 0xC3], .notUTF8),
        ])
    func binaryLengths(body: [UInt8], reason: SocketIOFault.Reason) {
        #expect(EngineIOPayload.decode(body, revision: .eio3).fault?.reason == reason)
    }

    @Test("a length in bytes is taken where one in UTF-16 units does not come out (trap 3)")
    func bytesLength() {
        let decoded = EngineIOPayload.decode(Array("4:4€2:4a".utf8), revision: .eio3)
        #expect(decoded == .init(packets: [EngineIOPacket(.message, "€"), EngineIOPacket(.message, "a")]))
    }

    @Test("broken Base64", arguments: ["bA", "b=", "bAA=A", "b AAA", "bAAA\n", "bAAB="])
    func base64(packet: String) {
        let fault = SocketIOFault(.engineIO, .badBase64, packet: 1, offset: 2)
        #expect(EngineIOPayload.decode(Array("6\u{1E}\(packet)".utf8), revision: .eio4).fault == fault)
        #expect(
            EngineIOPayload.decode(Array("\(packet.utf8.count + 1):b4\(packet.dropFirst())".utf8), revision: .eio3)
                .fault?
                .reason == .badBase64)
    }

    @Test("more packets than a payload may have")
    func packets() {
        let body = Array(Array(repeating: "6", count: 20).joined(separator: "\u{1E}").utf8)
        let decoded = EngineIOPayload.decode(body, revision: .eio4, maxPackets: 10)
        #expect(decoded.packets.count == 10)
        #expect(decoded.fault == SocketIOFault(.engineIO, .limit("packets in one payload", 10), packet: 10, offset: 20))
    }

    @Test("packets and attachments without end")
    func huge() throws {
        var limits = SocketIOLimits()
        limits.maxPacketBytes = 100
        limits.maxAttachmentBytes = 10
        #expect(
            try fault(limits) { $0.serve("2[\"\(String(repeating: "x", count: 200))\"]") }?.reason
                == .limit("bytes in one packet", 100))
        #expect(
            try fault(limits) { $0.serve(bytes: Array(repeating: 0, count: 11)) }?.reason
                == .limit("bytes in one packet", 10))
        let attachments = try fault(limits) {
            $0.serve(#"53-["a"]"#)
            for _ in 0..<3 { $0.serve(bytes: [1, 2, 3, 4]) }
        }
        #expect(attachments == SocketIOFault(.socketIO, .limit("bytes of attachments", 10), packet: 3))
    }

    // MARK: Packets

    @Test(
        "placeholders that name no attachment, before the attachments come",
        arguments: [
            #""num":1"#, #""num":-1"#, #""num":"0""#, #""num":0.5"#, #""num":null"#, #""num":99999999999999999999"#,
            #""x":0"#,
        ])
    func placeholders(number: String) throws {
        let fault = try fault { $0.serve("51-[\"a\",[{\"_placeholder\":true,\(number)}]]") }
        #expect(fault?.reason == .badPlaceholder(attachments: 1))
    }

    @Test("a placeholder in a packet of no attachments")
    func noAttachments() throws {
        #expect(
            try fault { $0.serve(#"50-["a",{"_placeholder":true,"num":0}]"#) }?.reason
                == .badPlaceholder(attachments: 0))
    }

    @Test("attachments that never come, that are text, and that nobody has announced")
    func attachments() throws {
        #expect(try fault { $0.serve(#"52-["a"]"#, #"2["b"]"#) }?.reason == .attachmentsMissing(2))
        #expect(try fault { $0.serve(bytes: [1]) }?.reason == .unexpectedBinary)
        let late = try fault {
            $0.serve(#"52-["a"]"#)
            $0.serve(bytes: [1])
            #expect($0.session.deadline == .seconds(30))
            $0.session.handleTimeout(now: .seconds(29))
            $0.session.handleTimeout(now: .seconds(30))
        }
        #expect(late?.reason == .attachmentsLate(1))
    }

    @Test(
        "numbers of attachments that no packet has",
        arguments: [
            ("5-[]", 1), ("5[]", 1), ("51[]", 2), ("5x-[]", 1), ("51234567890-[]", 11), ("5", 1),
        ])
    func counts(packet: String, offset: Int) throws {
        #expect(try fault { $0.serve(packet) } == SocketIOFault(.socketIO, .badAttachmentCount, offset: offset))
        #expect(try fault { $0.serve("5-1-[]") }?.reason == .badAttachmentCount)
    }

    @Test("too many attachments")
    func tooMany() throws {
        #expect(try fault { $0.serve(#"5257-["a"]"#) }?.reason == .limit("attachments", 256))
    }

    @Test("JSON that is too deep or has too many values is dropped, with its attachments, and the connection lives")
    func bombs() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        let deep = String(repeating: "[", count: 100_000)
        let wide = "[\"a\"" + String(repeating: ",0", count: 300_000) + "]"
        peer.serve("2[\"a\",\(deep)", "52-[\"a\",\(deep)")
        peer.serve(bytes: [1])
        peer.serve(bytes: [2])
        peer.serve("2\(wide)", #"2["after"]"#)
        let tooDeep = SocketIOFault.Reason.badJSON("nested too deeply")
        #expect(
            peer.events() == [
                .ignored(SocketIOFault(.socketIO, tooDeep, offset: 69)),
                .ignored(SocketIOFault(.socketIO, tooDeep, offset: 71)),
                .ignored(SocketIOFault(.socketIO, .badJSON("too many values"), offset: 524_290)),
                .event(SocketIOEvent(namespace: "/", name: "after", arguments: [])),
            ])
    }

    @Test("a name twice in an object, and JSON that is none")
    func json() throws {
        #expect(
            try fault { $0.serve(#"2["a",{"x":1,"x":2}]"#) }
                == SocketIOFault(.socketIO, .badJSON("a name appears twice"), offset: 16))
        #expect(try fault { $0.serve(#"2["a",NaN]"#) }?.reason == .badJSON("a value is missing"))
    }

    @Test("a binary packet without JSON has no data")
    func noData() throws {
        var assembler = SocketIOAssembler(revision: .eio4)
        #expect(try assembler.receive(.text("61-7"), now: .seconds(0)) == .incomplete)
        #expect(try assembler.receive(.bytes([1]), now: .seconds(0)) == .packet(SocketIOPacket(.ack, id: 7)))
    }

    @Test("half of a surrogate pair from another person ends nobody's connection, and numbers stay what they were")
    func leniences() throws {
        var peer = try SocketIOPeer()
        try peer.connect()
        peer.serve(#"2["a","\ud83d",12345678901234567890,1e999]"#)
        let values: [SocketIOValue] = ["\u{FFFD}", .digits("12345678901234567890"), .digits("1e999")]
        #expect(peer.events() == [.event(SocketIOEvent(namespace: "/", name: "a", arguments: values))])
        _ = try peer.emit("b", values)
        #expect(peer.sent() == ["42[\"b\",\"\u{FFFD}\",12345678901234567890,1e999]"])
    }

    @Test("packets of the transport that a server must not send", arguments: ["0{}", "5"])
    func transport(packet: String) throws {
        let fault = try fault { $0.session.receive(.webSocketMessage(.text, Array(packet.utf8)), now: $0.now) }
        #expect(fault?.reason == .unexpectedPacket(packet == "5" ? "upgrade" : "open"))
    }

    @Test("packets before CONNECT of what nobody asked for are ignored")
    func strangers() throws {
        var peer = try SocketIOPeer()
        _ = peer.events()
        peer.serve("0/x,{}", #"2/x,["a"]"#, "3/x,1[]", "1/x,", "4/x,1", "31[]")
        let events = peer.events()
        #expect(events.count == 6)
        #expect(events.allSatisfy { if case .ignored = $0 { true } else { false } })
        #expect(peer.session.joined == ["/"])
    }
}
