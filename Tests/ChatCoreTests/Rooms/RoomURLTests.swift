// Addresses of rooms: read strictly, written as short as can be, and wrong ones named with their place.

import BLIPNet
import Testing

@testable import ChatCore

@Suite("The address of a room") struct RoomURLTests {
    private static let pin = String(repeating: "0a", count: 32)

    @Test("without settings everything is as in the founding document")
    func plain() throws {
        let url = try RoomURL(parsing: "sio+tls://Chat.Example/garden")
        #expect(url.host == "chat.example" && url.port == 443 && url.namespace == "/garden" && url.trust == .system)
        #expect(url.names == RoomURL.Names() && url.ownName == nil && url.path == "/socket.io/")
        #expect(url.names.line == "chatMessage" && url.names.text == "message" && url.names.time == "timestamp")
        #expect(url.names.sender == "sender" && url.names.binary == "binaryEvent" && url.names.data == "binaryData")
        #expect(url.names.caption == "text" && url.names.custom == "customEvent")
        #expect(url.suggestedName == "garden" && url.usesTLS)
        let bare = try RoomURL(parsing: "sio://[::1]:3000")
        #expect(bare.namespace == "/" && bare.trust == .plaintext && bare.port == 3000 && !bare.usesTLS)
        #expect(try RoomURL(parsing: "SIO://h").port == 80)
    }

    @Test(
        "what is written reads as the same",
        arguments: [
            "sio+tls://chat.example/", "sio+tls://chat.example:8443/garden", "sio://127.0.0.1:3000/",
            "sio+tls://[2001:db8::1]/a/b", "sio+tls://h/r?event=msg&message=body&sender=user&as=Jo%20B",
            "sio+tls://h/r?id=&path=/chat/io/", "sio+tls://h/?ca=/etc/ssl/mine.pem", "sio+tls://h/r%C3%A4um",
            "sio+tls://h/?pin=\(Self.pin)",
        ])
    func roundTrip(text: String) throws {
        let url = try RoomURL(parsing: text)
        #expect(url.description == text)
        #expect(try RoomURL(parsing: url.description) == url)
    }

    @Test("values are decoded, and keep their case")
    func values() throws {
        let url = try RoomURL(parsing: "sio+tls://h/r?event=Chat%26More&as=A+B&pin=\(Self.pin.uppercased())")
        #expect(url.names.line == "Chat&More" && url.ownName == "A B")
        #expect(url.trust == .pinned(try #require(SPKIFingerprint([UInt8](repeating: 10, count: 32)))))
    }

    @Test(
        "what is wrong is named, with its place",
        arguments: [
            ("blip://h", RoomURLError.Problem.wrongScheme, 0), ("sio:/h", .wrongScheme, 0), ("", .wrongScheme, 0),
            ("sio+tls://", .badHost(""), 10), ("sio+tls://:80/r", .badHost(":80"), 10),
            ("sio://h:0/r", .badHost("h:0"), 6),
            ("sio://u@h/r", .userInfo, 7), ("sio://h/r#x", .fragment, 9), ("sio://h/a b", .badCharacter, 9),
            ("sio://h/\u{e4}", .badCharacter, 8), ("sio://h/a,b", .badNamespace("/a,b"), 7),
            ("sio://h/%zz", .badNamespace("/%zz"), 7), ("sio://h/%00", .badNamespace("/%00"), 7),
            ("sio://h/r?", .badItem(""), 10), ("sio://h/r?event", .badItem("event"), 10),
            ("sio://h/r?event=a&", .badItem(""), 18), ("sio://h/r?evnt=a", .unknownKey("evnt"), 10),
            ("sio://h/r?event=a&event=b", .twice("event"), 18),
            ("sio://h/r?event=", .badValue(key: "event", value: "", .text(limit: 256)), 16),
            ("sio://h/r?event=connect", .badValue(key: "event", value: "connect", .ownEvent), 16),
            ("sio://h/r?as=%0A", .badValue(key: "as", value: "%0A", .text(limit: 256)), 13),
            ("sio://h/r?path=x", .badValue(key: "path", value: "x", .path), 15),
            ("sio://h/r?pin=\(Self.pin)", .badValue(key: "pin", value: Self.pin, .tls), 14),
            ("sio+tls://h/r?pin=12", .badValue(key: "pin", value: "12", .pin), 18),
            ("sio+tls://h/r?ca=x.pem", .badValue(key: "ca", value: "x.pem", .file), 17),
        ] as [(String, RoomURLError.Problem, Int)])
    func wrong(text: String, problem: RoomURLError.Problem, offset: Int) {
        #expect(throws: RoomURLError(problem, at: offset)) { try RoomURL(parsing: text) }
    }

    @Test("pin and ca exclude each other, and a long text is refused as a whole")
    func limits() {
        let both = "sio+tls://h/r?ca=/a.pem&pin=\(Self.pin)"
        #expect(throws: RoomURLError(.badValue(key: "pin", value: Self.pin, .onePolicy), at: 28)) {
            try RoomURL(parsing: both)
        }
        #expect(throws: RoomURLError(.tooLong(limit: 2048), at: 2048)) {
            try RoomURL(parsing: "sio://h/" + String(repeating: "a", count: 2048))
        }
    }

    @Test("the same place is the same room, whatever is set for it")
    func sameRoom() throws {
        let room = try RoomURL(parsing: "sio+tls://h/r")
        #expect(room.isSameRoom(as: try RoomURL(parsing: "sio+tls://H:443/r?event=x")))
        #expect(!room.isSameRoom(as: try RoomURL(parsing: "sio+tls://h/s")))
        #expect(
            RoomURL.isMeant(by: "SIO+TLS://x") && RoomURL.isMeant(by: "sio://x")
                && !RoomURL.isMeant(by: "sio.example:1"))
    }
}
