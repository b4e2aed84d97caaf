// SOCKS5 (RFC 1928, RFC 1929) as tor speaks it. Pure: bytes in, bytes out, and how many come next, so that the
// handshake takes no byte of the stream that follows.

/// Asks for a connection to a named host.
package struct SOCKSHandshake: Sendable {
    /// A caller with a name of its own gets circuits of its own (tor: IsolateSOCKSAuth). Each part has 1 to 255 bytes.
    package struct Name: Sendable, Hashable {
        package var user: String
        package var password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        /// One by chance.
        package static func random(_ source: RandomSource = .system) -> Name {
            Name(user: source.bytes(16).hex, password: source.bytes(16).hex)
        }
    }

    private enum Step {
        case method
        case admission
        case head
        case nameLength
        case address
        case done
    }

    /// Bytes of the longest answer.
    package static let maxAnswerBytes = 262

    private let name: Name?
    private let request: [UInt8]
    private var step = Step.method
    private var outgoing: [UInt8]
    /// How many bytes `receive` takes next; 0: the stream after the handshake has begun.
    package private(set) var need = 2

    /// `nil` when the host has no 1 to 255 bytes, or the name's parts have not.
    package init?(host: String, port: UInt16, name: Name?) {
        let bytes = Array(host.utf8)
        let parts = [bytes] + (name.map { [Array($0.user.utf8), Array($0.password.utf8)] } ?? [])
        guard parts.allSatisfy({ (1...255).contains($0.count) }) else { return nil }
        self.name = name
        request =
            [5, 1, 0, 3, UInt8(clamping: bytes.count)] + bytes
            + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        outgoing = [5, 1, name == nil ? 0 : 2]
    }

    /// The bytes that the caller sends now; none when we have nothing to say.
    package mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Takes the `need` bytes that come next.
    package mutating func receive(_ bytes: [UInt8]) throws(OnionProblem) {
        guard bytes.count == need, need > 0 else { throw .violated(reason: "bytes that nobody asked for") }
        switch step {
        case .method: try takeMethod(bytes)
        case .admission:
            guard bytes[0] == 1 else { throw .violated(reason: "no answer to a name") }
            guard bytes[1] == 0 else { throw .refused(reason: "it does not take our name") }
            ask()
        case .head: try takeHead(bytes)
        case .nameLength: expect(.address, Int(bytes[0]) + 2)
        case .address, .done: expect(.done, 0)
        }
    }

    private mutating func takeMethod(_ bytes: [UInt8]) throws(OnionProblem) {
        guard bytes[0] == 5 else { throw .violated(reason: "it does not speak SOCKS5") }
        switch (bytes[1], name) {
        case (0, nil): ask()
        case (2, let name?):
            let (user, password) = (Array(name.user.utf8), Array(name.password.utf8))
            outgoing = [1, UInt8(clamping: user.count)] + user + [UInt8(clamping: password.count)] + password
            expect(.admission, 2)
        default: throw .violated(reason: "it wants another kind of name")
        }
    }

    private mutating func takeHead(_ bytes: [UInt8]) throws(OnionProblem) {
        guard bytes[0] == 5 else { throw .violated(reason: "it does not speak SOCKS5") }
        if let problem = Self.problem(bytes[1]) { throw problem }
        switch bytes[3] {
        case 1: expect(.address, 6)
        case 3: expect(.nameLength, 1)
        case 4: expect(.address, 18)
        default: throw .violated(reason: "an address of an unknown kind")
        }
    }

    private mutating func ask() {
        outgoing = request
        expect(.head, 4)
    }

    private mutating func expect(_ next: Step, _ count: Int) {
        step = next
        need = count
    }

    /// The problem that a code of the answer means; the last eight are tor's own (ExtendedErrors).
    static func problem(_ code: UInt8) -> OnionProblem? {
        switch code {
        case 0: nil
        case 2: .refused(reason: "it may not call there")
        case 5: .refusedThere
        case 0xF0, 0xF1: .notThere
        case 0xF4, 0xF5: .wantsKey
        case 0xF6: .badName
        case 1, 3, 4, 6, 0xF2, 0xF3, 0xF7: .unreachable
        default: .refused(reason: "SOCKS \(code)")
        }
    }
}
