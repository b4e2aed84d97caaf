// Tests of WebSocket channels over real sockets: messages, back-pressure, TLS, the end.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct WebSocketChannelTests {

    @Test("carries text and binary messages over IPv4, IPv6 and UNIX sockets, in order")
    func echoes() async throws {
        let directory = try TemporaryDirectory()
        for endpoint in [
            Endpoint.host("127.0.0.1", port: 0), .host("::1", port: 0), .unix(path: directory.path + "/s"),
        ] {
            let server = try ChannelServer(on: endpoint)
            let channel = try await server.connect()
            let messages: [WebSocketMessage] = [
                .text("grüß dich"), .binary([]), .text(""), .binary([UInt8](repeating: 7, count: 300_000)),
            ]
            for message in messages { try await channel.send(message) }
            for message in messages { #expect(try await channel.receive() == message) }
            channel.close()
            #expect(try await channel.receive() == nil)
            #expect(await channel.waitUntilClosed() == .closedLocally)
        }
    }

    @Test("hands messages to a handler, whose replies go out in order")
    func handler() async throws {
        final class Counter: WebSocketHandler {
            let seen = Mutex<[String]>([])
            let end = Mutex<LinkError?>(nil)
            func received(
                _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel
            ) {
                seen.withLock { $0.append(String(decoding: payload, as: UTF8.self)) }
                if seen.withLock({ $0.count }) == 3 { channel.close(code: 4001, reason: "three") }
            }
            func closed(_ reason: LinkError, on channel: isolated WebSocketChannel) { end.withLock { $0 = reason } }
        }
        let server = try ChannelServer()
        let counter = Counter()
        let channel = try await WebSocketChannel.connect(server.request(), handler: counter)
        for text in ["a", "b", "c"] { try await channel.send(.text(text)) }
        #expect(await channel.waitUntilClosed() == .closedLocally)
        #expect(counter.seen.withLock { $0 } == ["a", "b", "c"])
        #expect(counter.end.withLock { $0 } == .closedLocally)
        #expect(await server.log.channels.first?.waitUntilClosed() == .closedByPeer(code: 4001, reason: "three"))
    }

    @Test("compresses when both sides want it")
    func deflate() async throws {
        let server = try ChannelServer(configure: { $0.handshake.deflate = PermessageDeflate() })
        var request = try server.request()
        request.deflate = PermessageDeflate()
        let channel = try await WebSocketChannel.connect(request)
        #expect(channel.info.deflate != nil)
        let text = WebSocketMessage.text(String(repeating: "all work and no play ", count: 1_000))
        for _ in 0..<3 {
            try await channel.send(text)
            #expect(try await channel.receive() == text)
        }
        #expect(try await server.connect().info.deflate == nil)
        channel.close()
    }

    @Test("agrees on the server's favourite among the client's subprotocols, and says what was asked for")
    func info() async throws {
        let server = try ChannelServer(configure: { $0.handshake.subprotocols = ["b", "a"] })
        var request = try server.request("/path?query")
        request.subprotocols = ["a", "b", "c"]
        request.fields.append(name: "X-Mood", value: "good")
        let channel = try await WebSocketChannel.connect(request)
        #expect(channel.info.subprotocol == "b")
        #expect(channel.info.url == request.url)
        #expect(!channel.info.isEncrypted)
        let peer = try await server.channel().info
        #expect(peer.request?.target == "/path?query")
        #expect(peer.request?.fields.single("x-mood") == "good")
        #expect(peer.remoteAddress == channel.info.localAddress)
        channel.close()
    }

    // MARK: Back-pressure (SOCKETS C6)

    @Test("a receiver that takes nothing stops the sender, and loses nothing")
    func slowReceiver() async throws {
        let server = try ChannelServer(isSilent: true)
        var request = try server.request()
        request.windows.receive = 100_000
        let channel = try await WebSocketChannel.connect(request)
        let peer = try await server.channel()
        let count = 100
        let sent = Mutex(0)
        let sender = Task {
            for index in 0..<count {
                try await peer.send(.binary([UInt8](repeating: UInt8(index & 255), count: 65_536)))
                sent.withLock { $0 += 1 }
            }
        }
        try await eventually("the reader pauses") { await channel.isReadingPaused }
        try await eventually("the sender waits") { await peer.hasWaitingSender }
        #expect(await channel.unreadBytes < 100_000 + 66_000)
        #expect(sent.withLock { $0 } < count)
        for index in 0..<count {
            let message = try await channel.receive()
            #expect(message == .binary([UInt8](repeating: UInt8(index & 255), count: 65_536)))
        }
        try await sender.value
        channel.close()
    }

    @Test("a handler whose replies are not taken gets no further message")
    func slowReplies() async throws {
        let server = try ChannelServer()
        var request = try server.request()
        request.windows.receive = 1
        let channel = try await WebSocketChannel.connect(request)
        let peer = try await server.channel()
        let sender = Task {
            for index in 0..<100 {
                try await channel.send(.binary([UInt8](repeating: UInt8(index & 255), count: 65_536)))
            }
        }
        try await eventually("the server pauses") { await peer.isReadingPaused }
        let held = await peer.unsentBytes
        #expect(held <= WebSocketWindows().send + 2 * 66_000)
        for index in 0..<100 {
            #expect(try await channel.receive() == .binary([UInt8](repeating: UInt8(index & 255), count: 65_536)))
        }
        try await sender.value
        channel.close()
    }

    @Test("a silent peer is not taken for dead while we do not read")
    func pausedKeepalive() async throws {
        let server = try ChannelServer(isSilent: true)
        var request = try server.request()
        request.windows.receive = 1
        request.limits.keepaliveInterval = .milliseconds(20)
        request.limits.keepaliveTimeout = .milliseconds(20)
        let channel = try await WebSocketChannel.connect(request)
        let peer = try await server.channel()
        try await peer.send(.text("one"))
        try await eventually("the reader pauses") { await channel.isReadingPaused }
        // Five times what would end a connection that is read.
        try await Task.sleep(for: .milliseconds(200))
        try await peer.send(.text("two"))
        #expect(try await channel.receive() == .text("one"))
        #expect(try await channel.receive() == .text("two"))
        channel.close()
    }

    // MARK: Cancelling

    @Test("a cancelled receiver takes no message with it")
    func cancelledReceive() async throws {
        let server = try ChannelServer()
        let channel = try await server.connect()
        let receiver = Task { try await channel.receive() }
        receiver.cancel()
        #expect(try await receiver.value == nil)
        try await channel.send(.text("still here"))
        #expect(try await channel.receive() == .text("still here"))
        channel.close()
    }

    @Test("a cancelled sender's message is not sent")
    func cancelledSend() async throws {
        let server = try ChannelServer(isSilent: true, configure: { $0.windows.receive = 1 })
        let channel = try await server.connect()
        let peer = try await server.channel()
        let big = WebSocketMessage.binary([UInt8](repeating: 1, count: 8 << 20))
        try await channel.send(big)
        try await channel.send(big)
        let third = Task { try await channel.send(.text("unsent")) }
        try await eventually("the sender waits") { await channel.hasWaitingSender }
        third.cancel()
        await #expect(throws: LinkError.closedLocally) { try await third.value }
        #expect(try await peer.receive() == big)
        #expect(try await peer.receive() == big)
        try await channel.send(.text("sent"))
        #expect(try await peer.receive() == .text("sent"))
        channel.close()
    }

    // MARK: The end (SOCKETS C7)

    @Test("close sends what is queued and tells code and reason")
    func closing() async throws {
        let server = try ChannelServer(isSilent: true)
        let channel = try await server.connect()
        let peer = try await server.channel()
        let big = WebSocketMessage.binary([UInt8](repeating: 1, count: 3 << 20))
        try await channel.send(big)
        channel.close(code: 4000, reason: "enough")
        #expect(try await peer.receive() == big)
        #expect(try await peer.receive() == nil)
        #expect(await peer.waitUntilClosed() == .closedByPeer(code: 4000, reason: "enough"))
        #expect(await channel.waitUntilClosed() == .closedLocally)
        await #expect(throws: LinkError.closedLocally) { try await channel.send(.text("late")) }
    }

    @Test("close replaces codes that are not for the wire", arguments: [0, 999, 1004, 1005, 1006, 1015, 2999, 5000])
    func badCodes(code: UInt16) async throws {
        let server = try ChannelServer(isSilent: true)
        let channel = try await server.connect()
        channel.close(code: code)
        #expect(try await server.channel().waitUntilClosed() == .closedByPeer(code: 1000, reason: ""))
    }

    @Test("disconnect ends without a word, which the other side can tell from a close")
    func disconnecting() async throws {
        let server = try ChannelServer(isSilent: true)
        let channel = try await server.connect()
        let peer = try await server.channel()
        try await channel.send(.text("last"))
        channel.disconnect()
        #expect(await channel.waitUntilClosed() == .closedLocally)
        let last = await peer.waitUntilClosed()
        #expect(last == .disconnected)
        #expect(try await peer.receive() == .text("last"))
        await #expect(throws: LinkError.disconnected) { _ = try await peer.receive() }
    }

    @Test("a channel that nobody refers to ends")
    func lettingGo() async throws {
        let server = try ChannelServer(isSilent: true)
        var channel: WebSocketChannel? = try await server.connect()
        let peer = try await server.channel()
        #expect(channel != nil)
        channel = nil
        #expect(await peer.waitUntilClosed() == .disconnected)
    }

    @Test("delivers what came before the peer broke the protocol, and answers it before the close frame")
    func answersBeforeViolation() async throws {
        let server = try ChannelServer()
        let channel = try await server.connect()
        // A masked text message and, in the same piece, a frame with a reserved bit.
        let bytes: [UInt8] = [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69, 0xC1, 0x80, 0, 0, 0, 0]
        await channel.inject(bytes)
        #expect(try await channel.receive() == .text("hi"))
        #expect(try await channel.receive() == nil)
        guard case .closedByPeer(code: 1002, _) = await channel.waitUntilClosed() else {
            Issue.record("not closed with 1002")
            return
        }
    }

    @Test("iterates over messages until the end")
    func iterating() async throws {
        let server = try ChannelServer(isSilent: true)
        let channel = try await server.connect()
        let peer = try await server.channel()
        for index in 0..<3 { try await peer.send(.text("\(index)")) }
        peer.close()
        var texts: [WebSocketMessage] = []
        for try await message in channel.messages { texts.append(message) }
        #expect(texts == [.text("0"), .text("1"), .text("2")])
    }

    @Test("measures the round trip")
    func pings() async throws {
        let server = try ChannelServer()
        let channel = try await server.connect()
        #expect(await channel.roundTrip == nil)
        channel.ping()
        try await eventually("a pong") { await channel.roundTrip != nil }
        channel.close()
    }
}

extension WebSocketChannel {
    fileprivate var isReadingPaused: Bool { stream.isReadingPaused }
    fileprivate var hasWaitingSender: Bool { !outbox.isEmpty }
    fileprivate var unreadBytes: Int { inbox.byteCount }
    fileprivate var unsentBytes: Int { stream.stack.queuedBytes + stream.waitingBytes }

    /// Puts bytes into the socket past the protocol.
    fileprivate func inject(_ bytes: [UInt8]) {
        guard let socket = stream.socket else { return }
        _ = bytes.withUnsafeBytes { socket.write($0) }
    }
}
