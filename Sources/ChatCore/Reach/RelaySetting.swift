// A relay of our user's, as the setting `reach.relay` has it (REACH 1): the line that strelaysrv prints is understood.

package import BLIPNet

/// `relay://HOST:PORT/?id=ID&token=T`.
package struct RelaySetting: Sendable, Hashable {
    package var host: String
    package var port: UInt16
    /// `nil`: the first one that answers there is kept.
    package var id: RelayID?
    /// The token that the relay wants from those who join; callers need none, so we tell it to nobody.
    package var token: String

    package init(host: String, port: UInt16 = RelayRoute.defaultPort, id: RelayID? = nil, token: String = "") {
        self.host = host
        self.port = port
        self.id = id
        self.token = token
    }

    /// How many of them there may be.
    package static let most = 2

    package var endpoint: Endpoint { .host(host, port: port) }

    /// Why a text cannot be the setting.
    package enum Problem: Error, Sendable, Equatable {
        /// The public pool is for syncthing.
        case pool
        case tooMany
        /// Not of that form.
        case unreadable
    }

    /// Reads the setting: none, one or two with a blank between them.
    package static func list(_ text: String) throws(Problem) -> [RelaySetting] {
        let words = text.split(separator: " ").map(String.init)
        guard !words.contains(where: isPool) else { throw .pool }
        guard words.count <= most else { throw .tooMany }
        var relays: [RelaySetting] = []
        for word in words { relays.append(try RelaySetting(word)) }
        return relays
    }

    private static func isPool(_ word: String) -> Bool {
        let word = word.lowercased()
        return word == "pool" || word.hasPrefix("dynamic+") || word.contains("relays.syncthing.net")
    }

    init(_ text: String) throws(Problem) {
        let scheme = "relay://"
        guard text.hasScheme(scheme) else { throw .unreadable }
        let rest = text.dropFirst(scheme.count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var place = parts.first.map(String.init) ?? ""
        if place.hasSuffix("/") { place.removeLast() }
        guard case .host(let host, let port)? = Endpoint(place, defaultPort: RelayRoute.defaultPort), port > 0,
            !LocalHost.isWildcard(host)
        else { throw .unreadable }
        self.init(host: host, port: port)
        for item in (parts.dropFirst().first ?? "").split(separator: "&") {
            let pair = item.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = PercentEncoding.decode(pair[1].utf8) else { throw .unreadable }
            switch pair[0] {
            case "id":
                guard let id = RelayID(syncthing: value) else { throw .unreadable }
                self.id = id
            case "token":
                guard value.utf8.count <= RelayMessage.maxTokenBytes else { throw .unreadable }
                token = value
            // strelaysrv prints its own settings, too.
            default: break
            }
        }
    }
}

extension OutsideObserver {
    /// The setting `reach.observer`, `HOST:PORT/ID` with an id in syncthing's form; `nil` for anything else.
    package init?(setting text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, case .host(let host, let port)? = Endpoint(String(parts[0])), port > 0,
            !LocalHost.isWildcard(host), let id = RelayID(syncthing: String(parts[1]))
        else { return nil }
        self.init(host: host, port: port, id: id)
    }
}

extension RelayID {
    /// Reads an id in syncthing's form: 52 characters of base32, or 56 with a check character after each 13; dashes and
    /// case do not matter, and 0, 1 and 8 are read as the letters that they look like.
    package init?(syncthing text: String) {
        var characters: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
            switch byte {
            case UInt8(ascii: "0"): characters.append(UInt8(ascii: "o"))
            case UInt8(ascii: "1"): characters.append(UInt8(ascii: "i"))
            case UInt8(ascii: "8"): characters.append(UInt8(ascii: "b"))
            case 0x41...0x5A: characters.append(byte | 0x20)
            default: characters.append(byte)
            }
        }
        if characters.count == 56 {
            var plain: [UInt8] = []
            for start in stride(from: 0, to: 56, by: 14) {
                let group = characters[start..<start + 13]
                guard Self.checkCharacter(group) == characters[start + 13] else { return nil }
                plain += group
            }
            characters = plain
        }
        guard characters.count == 52 else { return nil }
        self.init(text: String(decoding: characters, as: UTF8.self))
    }

    /// The check character of a group: Luhn's sum with 32 digits, the first one counted once.
    private static func checkCharacter(_ group: ArraySlice<UInt8>) -> UInt8? {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var sum = 0
        for (index, character) in group.enumerated() {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            let addend = index % 2 == 0 ? digit : digit * 2
            sum += addend / 32 + addend % 32
        }
        return alphabet[(32 - sum % 32) % 32]
    }
}
