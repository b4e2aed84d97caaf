// Parts that the tests of WebSocket channels share: servers that echo, handlers that remember, a proxy.

import Synchronization
import TestSupport

@testable import BLIPNet

/// Sends every message back.
final class EchoHandler: WebSocketHandler {
    func received(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel
    ) {
        channel.reply(kind, payload)
    }
}

/// What happened at a server, for the test to look at.
final class ServerLog: Sendable {
    private struct State {
        var requests: [HTTPRequestHead] = []
        var channels: [WebSocketChannel] = []
    }
    private let state = Mutex(State())

    var requests: [HTTPRequestHead] { state.withLock { $0.requests } }
    var channels: [WebSocketChannel] { state.withLock { $0.channels } }

    func note(_ request: HTTPRequestHead) { state.withLock { $0.requests.append(request) } }
    func note(_ channel: WebSocketChannel) { state.withLock { $0.channels.append(channel) } }
}

/// A WebSocket server on this machine.
struct ChannelServer {
    let listener: WebSocketListener
    let log = ServerLog()

    /// Echoes unless `isSilent`; then the test takes the channels from the log.
    init(
        on endpoint: Endpoint = .host("127.0.0.1", port: 0), isSilent: Bool = false,
        configure: (inout WebSocketListenerOptions) -> Void = { _ in },
        decide: (@Sendable (HTTPRequestHead, ServerLog) async -> UpgradeDecision)? = nil
    ) throws {
        var options = WebSocketListenerOptions()
        options.admission = TestServer.manyHandshakes
        options.handshake.limits = Self.patient
        // Little room in the kernel: a sender notices soon that nobody reads.
        options.stream.localBuffer = 65_536
        configure(&options)
        let log = log
        let decision = decide.map { decide in
            { @Sendable (head: HTTPRequestHead) async -> UpgradeDecision in
                log.note(head)
                return await decide(head, log)
            }
        }
        listener = try WebSocketListener.listen(on: endpoint, options: options, decide: decision) { channel in
            log.note(channel)
            return isSilent ? nil : EchoHandler()
        }
    }

    /// A loaded machine is no reason for a test to fail.
    static var patient: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.handshakeTimeout = .seconds(120)
        limits.closeTimeout = .seconds(120)
        limits.keepaliveTimeout = .seconds(120)
        return limits
    }

    /// `host:port` of the listener.
    var address: String { listener.localEndpoint.description }

    func request(_ target: String = "/", scheme: String = "ws") throws -> WebSocketRequest {
        let text = listener.localEndpoint.description
        var request = WebSocketRequest(
            url: try WebSocketURL(text.hasPrefix("unix:") ? text : "\(scheme)://\(text)\(target)"))
        request.limits = Self.patient
        request.connect.stream.localBuffer = 65_536
        request.proxy = .direct
        return request
    }

    func connect(_ target: String = "/") async throws -> WebSocketChannel {
        try await WebSocketChannel.connect(request(target))
    }

    /// The server's end of the first connection.
    func channel() async throws -> WebSocketChannel {
        try await eventuallyGet("a channel") { log.channels.first }
    }
}

/// The error of a channel that must not come about.
func connectError(_ request: WebSocketRequest) async -> WebSocketError? {
    do throws(WebSocketError) {
        try await WebSocketChannel.connect(request).close()
        return nil
    } catch {
        return error
    }
}

/// The status with which a server refuses; `nil` if something else happens.
func refusalStatus(_ request: WebSocketRequest) async -> Int? {
    guard case .refused(let response)? = await connectError(request) else { return nil }
    return response.status
}
