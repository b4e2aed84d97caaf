// The commands of rooms: what is typed, and what is said of a wrong address.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Testing

@testable import blipchat

@Suite("Rooms on the command line") struct RoomCommandTests {
    @Test("an address that is wrong ends with code 2, and says where")
    func wrongAddress() throws {
        #expect(try RoomURL(typed: "sio://h:3000/r").port == 3000)
        let error = #expect(throws: CommandError.self) { try RoomURL(typed: "sio+tls://h/r?pin=1") }
        #expect(error?.exit == .usage && error?.subject == "sio+tls://h/r?pin=1")
        #expect(error?.reason.hasSuffix("at character 19") == true)
    }

    @Test("the record of a room says where it is, and that it was left; that of a person says neither")
    func records() throws {
        var peer = Peer(
            id: ContactID(1), peerID: nil, name: "garden", addresses: [], trust: .unverified,
            added: Timestamp(milliseconds: 0))
        #expect(Records.contact(peer)["room"] == nil && Records.contact(peer)["left"] == nil)
        peer.room = JoinedRoom(url: try RoomURL(parsing: "sio://h/"), isLeft: true)
        let record = Records.contact(peer)
        #expect(record["room"] == "sio://h/" && record["left"] == .bool(true) && record["trust"] == "unverified")
    }
}
