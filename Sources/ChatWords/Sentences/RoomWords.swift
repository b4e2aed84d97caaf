// The words for Socket.IO rooms.

package import ChatCore

package enum RoomWords {
    /// The words of the title for a room; never that it is verified.
    package static func title(of url: RoomURL) -> String { "Socket.IO · \(url.usesTLS ? "TLS" : "PLAINTEXT")" }

    /// How sure we are of a contact: of a room what protects it, and never that it is verified.
    package static func standing(of peer: Peer) -> String {
        peer.room.map { title(of: $0.url) } ?? Sentences.word(for: peer.trust)
    }

    /// A warning that everybody in a room should know.
    package static func warning(of url: RoomURL) -> String {
        url.usesTLS
            ? "the server reads everything; names are what people say" : "everybody on the way reads everything"
    }

    /// Whom we believe there.
    package static func trust(in url: RoomURL) -> String {
        switch url.trust {
        case .plaintext: "PLAINTEXT"
        case .system: "TLS, by the authorities of this system"
        case .authority(let file): "TLS, by the authorities in \(file)"
        case .pinned: "TLS, pinned to a key"
        }
    }

    package static func words(for lack: RoomLack) -> String {
        switch lack {
        case .key: "it has no key to compare, and is never verified"
        case .address: "its only address is that of its server (join the new one instead)"
        case .blocking: "nobody in it can be blocked (/mute silences it, /leave ends it)"
        case .acceptance: "its files are always accepted one by one"
        case .changes: "messages there cannot be changed, taken back or reacted to"
        case .folders: "it takes single files only (pack the folder into an archive)"
        case .link: "nobody in it answers a ping (/whois shows its log)"
        case .pauses: "its files come and go whole, so there is nothing to pause"
        }
    }

    // MARK: Addresses

    /// The form of an address, for sentences.
    package static let form = "sio+tls://HOST[:PORT]/NAMESPACE[?event=chatMessage&…]"

    package static func sentence(for error: RoomURLError) -> String {
        "That is not the address of a room: \(reason(of: error)) (\(form))"
    }

    /// What is wrong, and where: characters are counted from 1.
    package static func reason(of error: RoomURLError) -> String {
        "\(words(for: error.problem)), at character \(error.offset + 1)"
    }

    private static func words(for problem: RoomURLError.Problem) -> String {
        switch problem {
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .badCharacter: "a space, or a character that must be written as %XX"
        case .wrongScheme: "a room begins with sio+tls:// (or sio://, without encryption)"
        case .fragment: "a # and what follows it have no meaning here"
        case .userInfo: "it has no user and password"
        case .badHost(let host): "\"\(host)\" is not HOST:PORT"
        case .badNamespace(let text): "\"\(text)\" cannot be a namespace (at most 128 bytes, no space, comma or ?)"
        case .badItem(let item): "\"\(item)\" is not NAME=VALUE"
        case .unknownKey(let key): "there is no setting \"\(key)\""
        case .twice(let key): "\(key) is there twice"
        case .badValue(let key, let value, let expected): "\(key) is \"\(value)\", but \(words(for: expected))"
        }
    }

    private static func words(for expected: RoomURLError.Expected) -> String {
        switch expected {
        case .text(let limit): "must be 1 to \(limit) bytes without control characters"
        case .ownEvent: "Socket.IO keeps that name for itself"
        case .name: "must be a name (1 to 64 bytes, no control characters)"
        case .path: "must be a path like /socket.io/"
        case .pin: "must be the SHA-256 of the server's public key, 64 hexadecimal digits"
        case .file: "must be the full path of a PEM file"
        case .onePolicy: "pin and ca exclude each other"
        case .tls: "only sio+tls:// has certificates"
        }
    }

    // MARK: Log

    package static func words(for what: RoomLog.What) -> String {
        switch what {
        case .connecting(let attempt): attempt == 1 ? "connecting" : "connecting, attempt \(attempt)"
        case .joined(let transport, let address): "joined over \(transport), \(address)"
        case .left(let reason, let milliseconds?):
            "\(reason.words); tries again in \(Units.tenths(milliseconds)) s"
        case .left(let reason, nil): reason.words
        case .pings(let count): count == 1 ? "a ping" : "\(count) pings"
        case .event(let name): "an event \"\(name)\", which is not shown"
        case .malformed(let event): "an event \"\(event)\" without what belongs to it"
        case .tooLong(let bytes, let sender): "\(sender) sent \(bytes) bytes of text, which is too long: not stored"
        case .notStored(let sender): "a line of \(sender) was not stored: too much today, or the disk is nearly full"
        case .fileNotKept(let size, let sender):
            "\(sender) sent a file of \(Units.size(size)): no room for it (accept or decline those that wait)"
        case .unconfirmed: "the server confirms nothing: lines stay at >"
        }
    }
}

extension Units {
    /// `1.5` for 1,500 thousandths.
    fileprivate static func tenths(_ thousandths: Int64) -> String {
        let tenths = max(thousandths, 0) / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
