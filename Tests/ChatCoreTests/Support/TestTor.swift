// A Tor of a test: control port and SOCKS port on real UNIX sockets, and onion services that are places of this machine.

import BLIPNet
import Synchronization
import TestSupport
import Testing

@testable import ChatCore

/// Speaks for both sides: each peer of a test has it as the tor of its user's.
final class TestTor: TorProviding {
    private struct State {
        /// ids by the key that ADD_ONION has.
        var ids: [String: String] = [:]
        /// Where services are.
        var targets: [String: Endpoint] = [:]
        var names: [String: Set<String>] = [:]
        var percent = 100
        var answer: UInt8?
        var connections: [TCPConnection] = []
        var starts = 0
    }

    private let folder: TemporaryDirectory
    private let control: TCPListener
    private let socks: TCPListener
    private let cookie = RandomSource.system.bytes(32)
    private let state = Mutex(State())

    /// Under which names each service was called.
    var names: [String: Set<String>] { state.withLock { $0.names } }
    var services: Set<String> { state.withLock { Set($0.targets.keys) } }
    var starts: Int { state.withLock { $0.starts } }
    /// Where it takes SOCKS.
    var place: Endpoint { socks.localEndpoint }

    /// How far it says that it has come, to whoever asks from now on.
    func starts(at percent: Int) { state.withLock { $0.percent = percent } }
    /// Calls are answered with this code; `nil`: as they should be.
    func answers(_ code: UInt8?) { state.withLock { $0.answer = code } }

    /// All connections end, as when the program dies.
    func drop() {
        for connection in state.withLock({ $0.connections }) { connection.close() }
    }

    init(for identities: [TLSIdentity]) throws {
        folder = try TemporaryDirectory()
        control = try TCPListener.listen(on: .unix(path: folder.file("control")))
        socks = try TCPListener.listen(on: .unix(path: folder.file("socks")))
        for identity in identities {
            for generation in UInt32(0)...2 {
                learn(try #require(identity.onionService(generation: generation)))
            }
        }
        let (control, socks) = (control, socks)
        Task { [weak self] in
            for await connection in control {
                self?.state.withLock { $0.connections.append(connection) }
                Task { [weak self] in try await self?.talk(on: connection) }
            }
        }
        Task { [weak self] in
            for await connection in socks {
                self?.state.withLock { $0.connections.append(connection) }
                Task { [weak self] in try await self?.carry(connection) }
            }
        }
    }

    /// A tor computes the name of a service from its key; this one has to be told.
    func learn(_ service: OnionService) {
        let words = TorCommand.addOnion(service, target: "").text.split(separator: " ")
        state.withLock { $0.ids[String(words[1])] = service.id }
    }

    deinit {
        control.close()
        socks.close()
    }

    // MARK: As the host of a chat has it

    private struct Running: RunningTor {
        let control: Endpoint
        let socks: Endpoint?
        let door: Endpoint
        func door(ofWords number: Int) -> Endpoint {
            guard case .unix(let path) = door else { return door }
            return .unix(path: "\(path)-\(number)")
        }
        var isOurs: Bool { false }
        func waitUntilReady() async throws(OnionProblem) {}
        func end() async -> OnionProblem? { nil }
        func stop() async {}
    }

    func start(at control: Endpoint?) async throws(OnionProblem) -> any RunningTor {
        let number = state.withLock { state in
            state.starts += 1
            return state.starts
        }
        return Running(
            control: self.control.localEndpoint, socks: nil, door: .unix(path: folder.file("door\(number)")))
    }

    func read(_ path: String) async -> [UInt8]? { path == folder.file("cookie") ? cookie : nil }

    // MARK: The control port

    private func talk(on connection: TCPConnection) async throws {
        var nonces: (ours: [UInt8], theirs: [UInt8]) = ([], [])
        var added: [String] = []
        defer {
            let gone = added
            state.withLock { state in for id in gone { state.targets[id] = nil } }
        }
        while true {
            let line = String(decoding: try await connection.read(through: [13, 10], max: 4096), as: UTF8.self)
            let words = line.dropLast().split(separator: " ").map(String.init)
            var reply = "250 OK"
            switch words[0] {
            case "PROTOCOLINFO":
                reply = """
                    250-PROTOCOLINFO 1\r
                    250-AUTH METHODS=COOKIE,SAFECOOKIE COOKIEFILE="\(folder.file("cookie"))"\r
                    250-VERSION Tor="0.4.9.11"\r
                    250 OK
                    """
            case "AUTHCHALLENGE":
                nonces = (words[2].hexBytes, RandomSource.system.bytes(32))
                let hash = proof("server-to-controller", nonces).hex
                reply = "250 AUTHCHALLENGE SERVERHASH=\(hash) SERVERNONCE=\(nonces.theirs.hex)"
            case "AUTHENTICATE":
                if words.count < 2 || words[1].hexBytes != proof("controller-to-server", nonces) {
                    reply = "515 Authentication failed"
                }
            case "GETINFO" where words[1] == "status/bootstrap-phase":
                let percent = state.withLock { $0.percent }
                reply = "250-status/bootstrap-phase=NOTICE BOOTSTRAP PROGRESS=\(percent) TAG=x SUMMARY=\"y\"\r\n250 OK"
            case "GETINFO": reply = "250-net/listeners/socks=\"\(socks.localEndpoint)\"\r\n250 OK"
            case "ADD_ONION":
                let target = words[3].split(separator: ",")[1]
                if let id = state.withLock({ $0.ids[words[1]] }), let endpoint = Endpoint(String(target)) {
                    state.withLock { $0.targets[id] = endpoint }
                    added.append(id)
                    reply = "250-ServiceID=\(id)\r\n250 OK"
                    // Nobody hears of it before it has come so far.
                    if state.withLock({ $0.percent }) == 100 {
                        reply += "\r\n650 HS_DESC UPLOADED \(id) UNKNOWN $0~relay"
                    }
                } else {
                    reply = "512 Failed to decode ED25519-V3 key"
                }
            case "DEL_ONION":
                if added.contains(words[1]) { state.withLock { $0.targets[words[1]] = nil } }
            default: break
            }
            try await connection.write(Array("\(reply)\r\n".utf8))
        }
    }

    private func proof(_ direction: String, _ nonces: (ours: [UInt8], theirs: [UInt8])) -> [UInt8] {
        KeyedDigest.hmac(
            cookie + nonces.ours + nonces.theirs,
            key: Array("Tor safe cookie authentication \(direction) hash".utf8))
    }

    // MARK: The SOCKS port

    private func carry(_ connection: TCPConnection) async throws {
        _ = try await connection.read(exactly: 3)
        try await connection.write([5, 2])
        let user = try await connection.read(exactly: 2)
        let name = try await connection.read(exactly: Int(user[1]))
        let length = try await connection.read(exactly: 1)
        _ = try await connection.read(exactly: Int(length[0]))
        try await connection.write([1, 0])
        let head = try await connection.read(exactly: 5)
        let host = String(decoding: try await connection.read(exactly: Int(head[4])), as: UTF8.self)
        _ = try await connection.read(exactly: 2)
        let id = host.replacing(".onion", with: "")
        let (target, code) = state.withLock { state in
            state.names[id, default: []].insert(String(decoding: name, as: UTF8.self))
            return (state.targets[id], state.answer)
        }
        guard let target, code == nil else {
            try await connection.write([5, code ?? 0xF0, 0, 4] + [UInt8](repeating: 0, count: 18))
            return connection.close()
        }
        let other = TCPConnection.connect(to: target)
        state.withLock { $0.connections.append(other) }
        try await connection.write([5, 0, 0, 4] + [UInt8](repeating: 0, count: 18))
        Task { try await Self.pump(other, connection) }
        try await Self.pump(connection, other)
    }

    private static func pump(_ from: TCPConnection, _ to: TCPConnection) async throws {
        defer {
            from.close()
            to.close()
        }
        while case let bytes = try await from.readSome(), !bytes.isEmpty { try await to.write(bytes) }
    }
}

extension String {
    fileprivate var hexBytes: [UInt8] {
        let digits = Array(utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
