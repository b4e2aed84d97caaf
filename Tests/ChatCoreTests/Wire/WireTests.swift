// The codecs of PROTOCOL 4: what goes out comes in again, and nothing malformed does.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("Chat requests on the wire") struct WireTests {
    private static let id = MessageID(at: Timestamp(milliseconds: 1_700_000_000_000))

    /// As the peer would get it.
    private func incoming(_ request: BLIPRequest) -> BLIPIncomingRequest {
        var body: [UInt8] = []
        if case .bytes(let bytes) = request.body { body = bytes }
        return BLIPIncomingRequest(
            number: 1, properties: request.properties, body: body, isUrgent: request.isUrgent, isNoReply: false)
    }

    private func expectRoundTrip<Request: WireRequest>(_ request: Request) throws {
        let encoded = request.encoded()
        #expect(encoded.properties.profile == Request.profile.rawValue)
        #expect(try Request(decoding: incoming(encoded)) == request)
    }

    @Test("places where both are to call are numeric and have a port; of many, four count; rounds are 1 to 3")
    func punchCandidates() throws {
        func candidates(_ text: String, round: String = "1") throws -> [Endpoint] {
            let properties: BLIPProperties = ["Profile": "punch", "Round": round, "Candidates": text]
            let request = BLIPIncomingRequest(
                number: 1, properties: properties, body: [], isUrgent: true, isNoReply: false)
            return try PunchRequest(decoding: request).candidates
        }
        let first = Endpoint.host("192.0.2.1", port: 1)
        #expect(try candidates("example.org:5 192.0.2.1:1 192.0.2.2:0 192.0.2.3") == [first])
        #expect(try candidates((1...6).map { "192.0.2.1:\($0)" }.joined(separator: " ")).count == 4)
        #expect(try candidates("unix:/run/x") == [] && candidates("") == [])
        #expect(throws: WireError.malformed("Candidates")) {
            try candidates(String(repeating: "192.0.2.1:1 ", count: 30))
        }
        for round in ["0", "4", "-1", "", "x"] {
            #expect(throws: WireError.malformed("Round")) { try candidates("192.0.2.1:1", round: round) }
        }
    }

    @Test("every request survives the way over the wire")
    func roundTrips() throws {
        let id = Self.id
        let time = Timestamp(milliseconds: 1_700_000_000_123)
        try expectRoundTrip(HelloRequest(name: "Zoë", client: "x/1", listenPort: 4985, features: ["a", "b"]))
        try expectRoundTrip(HelloRequest(name: "Zoë", client: "", listenPort: nil))
        try expectRoundTrip(
            MessageRequest(StoredHead(id: id, sequence: 7, sent: time), replyTo: id, text: "hi\n\u{0}there"))
        try expectRoundTrip(
            MessageRequest(StoredHead(id: id, sequence: .max, sent: time), text: String(repeating: "x", count: 65_536)))
        try expectRoundTrip(ReadRequest(upTo: id))
        let places: [Endpoint] = [.host("192.0.2.1", port: 5), .host("2001:db8::1", port: 65_535)]
        try expectRoundTrip(PunchRequest(round: 1, candidates: places))
        try expectRoundTrip(PunchRequest(round: 3, candidates: []))
        try expectRoundTrip(PunchGoRequest(round: 2))
        #expect(try PunchReply(decoding: PunchReply(candidates: places).encoded()).candidates == places)
        try expectRoundTrip(TypingRequest(isComposing: true))
        try expectRoundTrip(TypingRequest(isComposing: false))
        try expectRoundTrip(PresenceRequest(away: nil))
        try expectRoundTrip(PresenceRequest(away: ""))
        try expectRoundTrip(PresenceRequest(away: "lunch · back at 14:00"))
        try expectRoundTrip(
            FileOfferRequest(
                StoredHead(id: id, sequence: 1, sent: time), name: "a b.txt", size: 1 << 40, modified: time,
                contentType: "text/plain", caption: ""))
        try expectRoundTrip(
            FileOfferRequest(
                StoredHead(id: id, sequence: 1, sent: time), name: "a", size: 1, modified: time, contentType: "x/y",
                caption: "",
                place: FolderPlace(set: id, path: "photos/Zoë", files: 3, bytes: 1 << 40)))
        for reason in [FileStatusRequest.Reason.digest, .changed, .gone] {
            try expectRoundTrip(FileStatusRequest(id: id, state: .cancelled, reason: reason))
            #expect(FileStatusRequest.Reason(reason.transferReason) == reason)
        }
        try expectRoundTrip(FileStatusRequest(id: id, state: .accepted, pause: .user))
        try expectRoundTrip(FileStatusRequest(id: id, state: .accepted, pause: .disk))
        for state in [FileStatusRequest.State.accepted, .declined, .cancelled, .complete] {
            try expectRoundTrip(FileStatusRequest(id: id, state: state))
        }
        try expectRoundTrip(FileGetRequest(id: id, offset: 1 << 33, length: 1 << 20))
        try expectRoundTrip(FileGetRequest(id: id, offset: 0, length: 1, takesLess: true))
        try expectRoundTrip(FileGetRequest(id: id, offset: 1 << 33, length: 1, present: 1 << 32))
        try expectRoundTrip(FileDigestRequest(id: id, length: 0))
        try expectRoundTrip(FileLanesRequest(count: 6))
        try expectRoundTrip(FileBundleRequest(ids: [id]))
        try expectRoundTrip(FileBundleRequest(ids: Array(repeating: id, count: WireLimit.bundledFiles)))
    }

    @Test("a bundle survives the way over the wire, and a damaged one is refused")
    func bundles() throws {
        let file = FileBundleReply.File(
            modified: Timestamp(milliseconds: 9), sha256: String(repeating: "0a", count: 32),
            bytes: Array("a\nb".utf8)[...])
        var empty = file
        empty.bytes = []
        let reply = FileBundleReply([
            (Self.id, .file(file)), (Self.id, .refused(code: 404)), (Self.id, .file(empty)),
        ])
        #expect(try FileBundleReply(decoding: reply.encoded()) == reply)
        let whole = reply.encoded().bodyBytes
        // Cut anywhere but between two files it is no bundle.
        let ends = [1, 2].map { FileBundleReply(Array(reply.parts.prefix($0))).encoded().bodyBytes.count }
        for count in 1..<whole.count where !ends.contains(count) {
            #expect(throws: WireError.malformed("body")) {
                try FileBundleReply(decoding: BLIPResponse(body: .bytes(Array(whole.prefix(count)))))
            }
        }
        let line = "\(Self.id.text) 1 9 \(file.sha256)\n"
        let wrong = [
            "\n", "x", line, line.uppercased() + "a", "\(Self.id.text) 18446744073709551615 9 \(file.sha256)\na",
            "\(Self.id.text) -1 9 \(file.sha256)\n", "\(Self.id.text) refused\n", "\(Self.id.text) refused x\n",
            String(repeating: "x", count: 300) + "\n",
            String(repeating: "\(Self.id.text) refused 1\n", count: WireLimit.bundledFiles + 1),
        ]
        for text in wrong {
            #expect(throws: WireError.malformed("body"), "\(text.prefix(80))") {
                try FileBundleReply(decoding: BLIPResponse(body: .text(text)))
            }
        }
        for body in ["", "x", Self.id.text + "\n", String(repeating: Self.id.text + "\n", count: 128) + Self.id.text] {
            let request = BLIPRequest(profile: ChatProfile.fileBundle.rawValue, body: .text(body))
            #expect(throws: WireError.malformed("body")) { try FileBundleRequest(decoding: incoming(request)) }
        }
    }

    @Test("replies survive the way over the wire")
    func replies() throws {
        for meeting in [nil, HelloReply.Meeting.used, .proof([UInt8](repeating: 7, count: 32))] {
            let reply = HelloReply(.pending, meeting)
            #expect(try HelloReply(decoding: reply.encoded()) == reply)
        }
        let get = FileGetReply(size: 5, modified: Timestamp(milliseconds: 9))
        #expect(try FileGetReply(decoding: get.encoded(body: .empty)) == get)
        let less = FileGetReply(size: 5, modified: Timestamp(milliseconds: 9), length: 3)
        #expect(try FileGetReply(decoding: less.encoded(body: .empty)) == less)
        #expect(throws: WireError.malformed("Length")) {
            try FileGetReply(
                decoding: FileGetReply(size: 5, modified: get.modified, length: 0).encoded(body: .empty))
        }
        let digest = FileDigestReply(sha256: String(repeating: "0a", count: 32))
        #expect(try FileDigestReply(decoding: digest.encoded()) == digest)
        #expect(throws: WireError.malformed("SHA-256")) {
            try FileDigestReply(decoding: FileDigestReply(sha256: String(repeating: "0A", count: 32)).encoded())
        }
    }

    @Test(
        "numbers are digits and nothing else",
        arguments: [
            "", "+5", "-1", " 1", "1 ", "1.0", "0x1", "1e3", "٣", "9223372036854775808", "18446744073709551616",
            "00000000000000000001",
        ])
    func badNumbers(_ text: String) {
        #expect(Decimal.parse(text) == nil)
        var request = FileGetRequest(id: Self.id, offset: 0, length: 1).encoded()
        request.properties["Offset"] = text
        #expect(throws: WireError.malformed("Offset")) { try FileGetRequest(decoding: self.incoming(request)) }
    }

    @Test("the largest numbers fit")
    func largeNumbers() {
        #expect(Decimal.parse("9223372036854775807") == UInt64(Int64.max))
        #expect(Decimal.parse("0") == 0)
        #expect(Decimal.parse("007") == 7)
    }

    @Test("a message without id, sequence, time or text is refused", arguments: ["Id", "Seq", "Sent"])
    func missing(_ name: String) {
        var request = MessageRequest(
            StoredHead(id: Self.id, sequence: 1, sent: Timestamp(milliseconds: 1)), text: "x"
        ).encoded()
        request.properties[name] = nil
        #expect(throws: WireError.missing(name)) { try MessageRequest(decoding: self.incoming(request)) }
    }

    @Test("malformed fields are named")
    func malformed() {
        var request = MessageRequest(StoredHead(id: Self.id, sequence: 1, sent: Timestamp(milliseconds: 1)), text: "x")
            .encoded()
        request.properties["Id"] = Self.id.text.uppercased()
        #expect(throws: WireError.malformed("Id")) { try MessageRequest(decoding: self.incoming(request)) }
        request.properties["Id"] = Self.id.text
        request.properties["Seq"] = "0"
        #expect(throws: WireError.malformed("Seq")) { try MessageRequest(decoding: self.incoming(request)) }
        request.properties["Seq"] = "1"
        request.properties["Reply-To"] = "x"
        #expect(throws: WireError.malformed("Reply-To")) { try MessageRequest(decoding: self.incoming(request)) }
        var typing = TypingRequest(isComposing: true).encoded()
        typing.properties["State"] = "Composing"
        #expect(throws: WireError.malformed("State")) { try TypingRequest(decoding: self.incoming(typing)) }
        var hello = HelloRequest(name: "a", client: "", listenPort: nil).encoded()
        hello.properties["Listen"] = "65536"
        #expect(throws: WireError.malformed("Listen")) { try HelloRequest(decoding: self.incoming(hello)) }
        hello.properties["Listen"] = nil
        hello.properties["Name"] = String(repeating: "ä", count: 33)
        #expect(throws: WireError.malformed("Name")) { try HelloRequest(decoding: self.incoming(hello)) }
    }

    @Test("of a folder everything is told or nothing; reasons that nobody knows are left out")
    func folders() throws {
        let time = Timestamp(milliseconds: 1)
        let offer = FileOfferRequest(
            StoredHead(id: Self.id, sequence: 1, sent: time), name: "a", size: 1, modified: time, contentType: "x/y",
            caption: "",
            place: FolderPlace(set: Self.id, path: "photos", files: 3, bytes: 9)
        ).encoded()
        for name in ["Folder-Id", "Folder-Files", "Folder-Size"] {
            var request = offer
            request.properties[name] = nil
            #expect(throws: WireError.missing(name)) { try FileOfferRequest(decoding: self.incoming(request)) }
            request.properties[name] = "-1"
            #expect(throws: WireError.malformed(name)) { try FileOfferRequest(decoding: self.incoming(request)) }
        }
        var request = offer
        request.properties["Folder"] = String(repeating: "x", count: 4097)
        #expect(throws: WireError.malformed("Folder")) { try FileOfferRequest(decoding: self.incoming(request)) }
        // Without a folder the others mean nothing: what an older or later version may send.
        request.properties["Folder"] = nil
        #expect(try FileOfferRequest(decoding: self.incoming(request)).place == nil)
        var status = FileStatusRequest(id: Self.id, state: .cancelled, reason: .digest).encoded()
        status.properties["Reason"] = "something of a later version"
        #expect(try FileStatusRequest(decoding: self.incoming(status)).reason == nil)
        status.properties["Pause"] = "user"
        #expect(try FileStatusRequest(decoding: self.incoming(status)).pause == nil, "what is cancelled has no pause")
        var pause = FileStatusRequest(id: Self.id, state: .accepted, pause: .user).encoded()
        pause.properties["Pause"] = "something of a later version"
        #expect(try FileStatusRequest(decoding: self.incoming(pause)).pause == nil)
    }

    @Test("text that is too long, empty or not UTF-8 is refused")
    func badText() {
        let valid = MessageRequest(StoredHead(id: Self.id, sequence: 1, sent: Timestamp(milliseconds: 1)), text: "x")
            .encoded()
        var request = incoming(valid)
        request.body = [UInt8](repeating: 0x61, count: 65_537)
        #expect(throws: WireError.bodyTooLong(limit: 65_536)) { try MessageRequest(decoding: request) }
        request.body = []
        #expect(throws: WireError.badText) { try MessageRequest(decoding: request) }
        request.body = [0xC3, 0x28]
        #expect(throws: WireError.badText) { try MessageRequest(decoding: request) }
    }

    @Test("ranges of nothing or of more than 16 MiB are refused")
    func badRanges() {
        for length in [0, (16 << 20) + 1] as [UInt64] {
            let request = FileGetRequest(id: Self.id, offset: 0, length: length).encoded()
            #expect(throws: WireError.malformed("Length")) { try FileGetRequest(decoding: self.incoming(request)) }
        }
    }
}
