// A small HTTP proxy on loopback that makes tunnels, on threads of its own with blocking sockets.

import Dispatch
import Glibc
import Synchronization

@testable import BLIPNet

/// Answers CONNECT requests as the test says, and carries bytes for those that it accepts.
final class TestProxy: Sendable {
    /// What to say to a request head: the head of an answer. A 2xx makes the tunnel.
    typealias Judgement = @Sendable (HTTPRequestHead) -> String

    let endpoint: Endpoint
    private let listening: ListeningSockets
    private let heads = Mutex<[HTTPRequestHead]>([])

    /// The requests so far.
    var requests: [HTTPRequestHead] { heads.withLock { $0 } }

    init(judge: @escaping Judgement = { _ in "HTTP/1.0 200 Connection established\r\n\r\n" }) throws {
        listening = try ListeningSockets.open(.host("127.0.0.1", port: 0))
        endpoint = listening.endpoint
        let socket = listening.sockets[0]
        _ = socket.setBlocking()
        Self.onThread { [weak self] in
            while case .connection(let client) = socket.accept() {
                _ = client.setBlocking()
                guard let self else { return }
                Self.onThread { self.serve(client, judge) }
            }
        }
    }

    deinit { for socket in listening.sockets { socket.shutdownBoth() } }

    private func serve(_ client: Socket, _ judge: Judgement) {
        guard let bytes = Self.readHead(client), let head = try? HTTPHeadParser.parseRequest(bytes, maxFields: 100)
        else { return }
        heads.withLock { $0.append(head) }
        let answer = judge(head)
        // Interim responses may stand before the last one.
        let end = "\r\n\r\n"
        let last = answer.hasSuffix(end) ? (answer.split(separator: end).last ?? "") + end : answer[...]
        guard let response = try? HTTPHeadParser.parseResponse(Array(last.utf8), maxFields: 100),
            HTTPTunnel.isOpen(response), let server = Self.connect(head.target)
        else {
            Self.write(Array(answer.utf8)[...], to: client)
            client.shutdownWrites()
            return
        }
        Self.write(Array(answer.utf8)[...], to: client)
        Self.onThread { Self.relay(from: server, to: client) }
        Self.relay(from: client, to: server)
    }

    private static func connect(_ target: String) -> Socket? {
        guard case .host(let host, let port)? = Endpoint(target),
            let address = NameResolver.numeric(host: host, port: port)?.first,
            let socket = try? Socket.open(family: address.family)
        else { return nil }
        _ = socket.setBlocking()
        return socket.connect(to: address) == 0 ? socket : nil
    }

    private static func readHead(_ socket: Socket) -> [UInt8]? {
        var head: [UInt8] = []
        var byte: [UInt8] = [0]
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard case .bytes(1) = byte.withUnsafeMutableBytes({ socket.read(into: $0) }) else { return nil }
            head += byte
        }
        return head
    }

    private static func relay(from source: Socket, to target: Socket) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ source.read(into: $0) }), count > 0 {
            write(buffer[..<count], to: target)
        }
        target.shutdownWrites()
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to socket: Socket) {
        var rest = bytes
        while !rest.isEmpty {
            guard case .bytes(let count) = rest.withUnsafeBytes({ socket.write($0) }) else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "test-proxy").async(execute: body)
    }
}
