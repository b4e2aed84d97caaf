// A peer that is not ours: answers a connection with something fixed, or with nothing.

import Dispatch
import Synchronization

@testable import BLIPNet

/// Accepts connections on loopback and keeps them open until it goes away.
final class MuteServer: Sendable {
    enum Answer: Sendable {
        case nothing
        case notFound
        case garbage
        /// A correct WebSocket upgrade, and never another byte. Reads nothing after the request.
        case upgradeThenSilence
    }

    private struct State {
        var connections: [Socket] = []
        var isOver = false
    }

    let endpoint: Endpoint
    private let listening: ListeningSockets
    private let state = Mutex(State())

    var connectionCount: Int { state.withLock { $0.connections.count } }

    init(answering answer: Answer) throws {
        listening = try ListeningSockets.open(.host("127.0.0.1", port: 0))
        endpoint = listening.endpoint
        let socket = listening.sockets[0]
        _ = socket.setBlocking()
        Thread.run { [weak self] in
            while case .connection(let connection) = socket.accept() {
                _ = connection.setBlocking()
                Self.answer(connection, answer)
                guard let self else { return }
                self.state.withLock { $0.connections.append(connection) }
            }
        }
    }

    deinit { socketsShutdown() }

    private func socketsShutdown() {
        for socket in listening.sockets { socket.shutdownBoth() }
    }

    private static func answer(_ connection: Socket, _ answer: Answer) {
        switch answer {
        case .nothing: break
        case .notFound:
            write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: connection)
        case .garbage:
            write("SSH-2.0-OpenSSH_9.2\r\n\u{1}\u{2}\r\n\r\n", to: connection)
        case .upgradeThenSilence:
            var options = LinkOptions()
            options.handshakeTimeout = .seconds(600)
            guard var stack = try? ProtocolStack.server(options: options, now: .now()) else { return }
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case .bytes(let count) = buffer.withUnsafeMutableBytes({ connection.read(into: $0) }) {
                buffer.withUnsafeBytes {
                    stack.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: .now())
                }
                guard stack.nextEvent() != nil else { continue }
                var out = ByteQueue()
                while stack.nextOutgoing(into: &out) {}
                _ = out.withUnsafeBytes { connection.write($0) }
                return
            }
        }
    }

    private static func write(_ text: String, to connection: Socket) {
        var text = text
        text.withUTF8 { _ = connection.write(UnsafeRawBufferPointer($0)) }
    }
}

private enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "mute-server").async(execute: body)
    }
}
