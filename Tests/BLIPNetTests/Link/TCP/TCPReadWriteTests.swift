// Reads and writes over real sockets of each family: SOCKETS A1, A3 to A7, A20, A26.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite("TCP connections: reading and writing", .timeLimit(.minutes(5))) struct TCPReadWriteTests {
    @Test("what is asked for before the connection is up waits and is done in order", arguments: Transport.allCases)
    func queued(transport: Transport) async throws {
        let folder = try TemporaryDirectory()
        let listener = try TCPListener.listen(on: transport.endpoint(in: folder))
        let client = TCPConnection.connect(to: listener.localEndpoint)
        async let first = client.read(exactly: 3)
        try await eventually("queued") { await client.waiting.reads == 1 }
        async let second = client.read(through: .lineFeed, max: 100)
        async let written: Void = client.write("hello".bytes)
        var callers = listener.makeAsyncIterator()
        let server = try #require(await callers.next())
        #expect(try await server.read(exactly: 5) == "hello".bytes)
        try await server.write("abcdef\nrest".bytes)
        #expect(try await [first, second] == ["abc".bytes, "def\n".bytes])
        try await written
        #expect(try await client.readSome() == "rest".bytes)
    }

    @Test("reads and writes queue while nobody answers, and fail together when the connection cannot be made")
    func queuedInVain() async throws {
        let full = try FullSocket()
        let client = TCPConnection.connect(to: full.address.endpoint)
        let failures = await withTaskGroup(of: NetError?.self) { group in
            for index in 0..<6 {
                group.addTask {
                    await netError {
                        if index % 2 == 0 { try await client.write([1]) } else { _ = try await client.readSome() }
                    }
                }
            }
            try? await eventually("queued") { await client.waiting == (3, 3) }
            #expect(await client.waiting == (3, 3))
            client.close()
            return await group.reduce(into: [NetError?]()) { $0.append($1) }
        }
        #expect(failures == Array(repeating: .closedLocally, count: 6))
        #expect(await netError { try await client.waitUntilConnected() } == .closedLocally)
    }

    @Test("exact reads: over many segments, several in one, and of nothing", arguments: Transport.allCases)
    func exact(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        async let written: Void = pair.client.write(bytes)
        #expect(try await pair.server.read(exactly: 1) == [bytes[0]])
        #expect(try await pair.server.read(exactly: 0) == [])
        #expect(try await pair.server.read(exactly: 299_999) == Array(bytes[1...]))
        try await written
        #expect(await netError { _ = try await pair.server.read(exactly: -1) }?.endedBy == .us)
    }

    @Test("a delimiter may straddle segments; what is behind it stays", arguments: Transport.allCases)
    func delimiter(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        async let head = pair.server.read(through: .blankLine, max: 100)
        for piece in ["GET / HTTP/1.1\r", "\nA: b\r\n", "\r", "\nbo", "dy"] {
            try await pair.client.write(piece.bytes)
            try await eventually("arrived") { await pair.server.unreadCount > 0 || piece == "\nbo" || piece == "dy" }
        }
        #expect(try await head == "GET / HTTP/1.1\r\nA: b\r\n\r\n".bytes)
        #expect(try await pair.server.read(exactly: 4) == "body".bytes)
        // One that begins several times before it is there.
        try await pair.client.write("aaab-aab".bytes)
        #expect(try await pair.server.read(through: "aab".bytes, max: 10) == "aaab".bytes)
        #expect(try await pair.server.read(through: "aab".bytes, max: 10) == "-aab".bytes)
    }

    @Test("exactly max bytes that end in the delimiter are fine, one more is the end", arguments: Transport.allCases)
    func maximum(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try await pair.client.write("12345\r\n12345\r\n123456\r\n".bytes)
        #expect(try await pair.server.read(through: .crlf, max: 7) == "12345\r\n".bytes)
        #expect(try await pair.server.read(through: .crlf, max: 8) == "12345\r\n".bytes)
        #expect(
            await netError { _ = try await pair.server.read(through: .crlf, max: 7) } == .delimiterNotFound(max: 7))
        #expect(await netError { _ = try await pair.server.readSome() } == .delimiterNotFound(max: 7))
        #expect(await pair.server.waitUntilClosed() == .delimiterNotFound(max: 7))
        #expect(NetError.delimiterNotFound(max: 7).endedBy == .peer)
        #expect(try await pair.client.readSome() == [])
    }

    @Test("a maximum below the delimiter, an empty delimiter and an empty read are errors of ours")
    func usage() async throws {
        let pair = try await ConnectedPair(.ipv4)
        for body in [
            { () async throws in _ = try await pair.server.read(through: .crlf, max: 1) },
            { () async throws in _ = try await pair.server.read(through: [], max: 1) },
            { () async throws in _ = try await pair.server.readSome(max: 0) },
        ] {
            guard case .badParameter? = await netError(body) else {
                Issue.record("no error of usage")
                continue
            }
        }
        // Nothing has happened to the connection.
        try await pair.client.write([1])
        #expect(try await pair.server.read(exactly: 1) == [1])
    }

    @Test("reads what is there, up to a maximum, and nothing at the end", arguments: Transport.allCases)
    func some(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try await pair.client.write("abcdef".bytes)
        #expect(try await pair.server.readSome(max: 4) == "abcd".bytes)
        #expect(try await pair.server.readSome() == "ef".bytes)
        pair.client.close()
        #expect(try await pair.server.readSome() == [])
        #expect(try await pair.server.readSome() == [])
        #expect(await netError { _ = try await pair.server.read(exactly: 1) } == .closedByPeer)
        #expect(await pair.server.waitUntilClosed() == .closedByPeer)
    }

    // MARK: Limits of time

    @Test(
        "a read that is not over in time takes nothing, says how far it was, and can go on",
        arguments: Transport.allCases)
    func readDeadline(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try await pair.client.write("abc".bytes)
        try await eventually("arrived") { await pair.server.unreadCount == 3 }
        let error = await netError {
            _ = try await pair.server.read(exactly: 6, deadline: .after(.milliseconds(100)))
        }
        guard case .readTimedOut(let elapsed, bytesDone: 3)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(elapsed > .zero)
        async let again = pair.server.read(exactly: 6, deadline: .after(patience))
        try await pair.client.write("def".bytes)
        #expect(try await again == "abcdef".bytes)
    }

    @Test("the idle limit begins anew with each byte; a deadline does not", arguments: Transport.allCases)
    func idle(transport: Transport) async throws {
        // On a machine that stood still for as long as the limit nothing can be said: then once more.
        var isJudged = false
        for _ in 0..<5 where !isJudged {
            let pair = try await ConnectedPair(transport)
            let clock = ContinuousClock()
            let limit = Duration.seconds(4)
            let read = Task { await netError { _ = try await pair.server.read(exactly: 8, idle: limit) } }
            var (last, longest) = (clock.now, Duration.zero)
            for index in 0..<8 {
                try await Task.sleep(for: .milliseconds(700))
                try await pair.client.write([UInt8(index)])
                longest = max(longest, clock.now - last)
                last = clock.now
            }
            guard longest < limit - .milliseconds(500) else { continue }
            isJudged = true
            #expect(await read.value == nil)
            let error = await netError { _ = try await pair.server.read(exactly: 1, idle: .milliseconds(50)) }
            guard case .readTimedOut(_, bytesDone: 0)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(isJudged, "the machine stood still for seconds, five times")
    }

    @Test("the idle limit does not count while another read is before it")
    func idleInQueue() async throws {
        let pair = try await ConnectedPair(.ipv4)
        async let first = pair.server.read(exactly: 1)
        try await eventually("queued") { await pair.server.waiting.reads == 1 }
        async let second = pair.server.read(exactly: 1, idle: .milliseconds(400))
        try await eventually("queued") { await pair.server.waiting.reads == 2 }
        try await Task.sleep(for: .milliseconds(500))
        try await pair.client.write([1, 2])
        #expect(try await [first, second] == [[1], [2]])
    }

    @Test(
        "a write that the peer does not take in time says what was sent, and ends the connection",
        arguments: Transport.allCases)
    func writeDeadline(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport, client: .narrow, server: .narrow)
        let big = [UInt8](repeating: 1, count: 4 << 20)
        let error = await netError { try await pair.client.write(big, idle: .milliseconds(300)) }
        guard case .writeTimedOut(_, let bytesDone)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(bytesDone > 0 && bytesDone < big.count)
        #expect(error?.endedBy == .peer)
        #expect(await pair.client.waitUntilClosed() == error)
    }

    @Test("a write that waited in vain behind another has not happened")
    func queuedWriteDeadline() async throws {
        let pair = try await ConnectedPair(.ipv4, client: .narrow, server: .narrow)
        let big = [UInt8](repeating: 1, count: 4 << 20)
        async let first: Void = pair.client.write(big)
        try await eventually("queued") { await pair.client.waiting.writes == 1 }
        let error = await netError { try await pair.client.write([2], deadline: .after(.milliseconds(50))) }
        guard case .writeTimedOut(_, bytesDone: 0)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        async let third: Void = pair.client.write([3])
        #expect(try await pair.server.read(exactly: big.count) == big)
        #expect(try await pair.server.read(exactly: 1) == [3])
        try await first
        try await third
    }

    // MARK: Cancelling

    @Test("a cancelled read takes nothing with it", arguments: Transport.allCases)
    func cancelledRead(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let task = Task { await netError { _ = try await pair.server.read(exactly: 10) } }
        try await pair.client.write("abc".bytes)
        try await eventually("arrived") { await pair.server.unreadCount == 3 }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(try await pair.server.read(exactly: 3) == "abc".bytes)
        let early = Task { await netError { _ = try await pair.server.readSome() } }
        early.cancel()
        #expect(await early.value == .cancelled)
        #expect(await pair.server.waiting == (0, 0))
    }

    @Test("a cancelled write that was partly sent closes the connection, one that was not has not happened")
    func cancelledWrite() async throws {
        let pair = try await ConnectedPair(.ipv4, client: .narrow, server: .narrow)
        let big = [UInt8](repeating: 1, count: 4 << 20)
        let first = Task { await netError { try await pair.client.write(big) } }
        try await eventually("queued") { await pair.client.waiting.writes == 1 }
        let second = Task { await netError { try await pair.client.write([2]) } }
        try await eventually("queued") { await pair.client.waiting.writes == 2 }
        second.cancel()
        #expect(await second.value == .cancelled)
        #expect(await pair.client.end == nil)
        first.cancel()
        #expect(await first.value == .cancelled)
        #expect(await pair.client.waitUntilClosed() == .closedLocally)
    }

    // MARK: Back-pressure

    @Test("nobody reads: little is taken from the kernel, and the writer waits", arguments: Transport.allCases)
    func backPressure(transport: Transport) async throws {
        var options = StreamOptions.narrow
        options.readAhead = 10_000
        let pair = try await ConnectedPair(transport, client: .narrow, server: options)
        let big = [UInt8](repeating: 6, count: 4 << 20)
        let isWritten = Mutex(false)
        let writer = Task {
            try await pair.client.write(big)
            isWritten.withLock { $0 = true }
        }
        try await eventually("read ahead") { await pair.server.unreadCount > 0 }
        try await Task.sleep(for: .milliseconds(300))
        #expect(await pair.server.unreadCount <= 10_000 + 65_536)
        #expect(isWritten.withLock { !$0 })
        #expect(try await pair.server.read(exactly: big.count) == big)
        try await writer.value
    }

    // MARK: Progress

    @Test(
        "progress comes at most 20 times a second, never goes back, and ends with the whole",
        arguments: Transport.allCases)
    func progress(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        let total = 4 << 20
        let (reading, writing) = (ProgressMeter(), ProgressMeter())
        let clock = ContinuousClock()
        let start = clock.now
        async let written: Void = pair.client.write([UInt8](repeating: 5, count: total), progress: writing)
        async let read = pair.server.read(exactly: total, progress: reading)
        for meter in [reading, writing] {
            var values: [TransferProgress] = []
            for await value in meter.updates { values.append(value) }
            #expect(values.last == TransferProgress(bytesDone: total, total: total))
            #expect(values.last?.fraction == 1)
            #expect(values.map(\.bytesDone) == values.map(\.bytesDone).sorted())
            #expect(values.count <= Int((clock.now - start) / .milliseconds(50)) + 2)
        }
        try await written
        _ = try await read
    }

    @Test(
        "where a transfer stalls, the last value comes all the same; a failed one ends its updates",
        .timeLimit(.minutes(3)))
    func stalledProgress() async throws {
        let pair = try await ConnectedPair(.ipv4)
        let meter = ProgressMeter(interval: .seconds(3))
        let read = Task { await netError { _ = try await pair.server.read(exactly: 100, progress: meter) } }
        try await pair.client.write([1])
        var updates = meter.updates.makeAsyncIterator()
        #expect(await updates.next() == TransferProgress(bytesDone: 1, total: 100))
        try await pair.client.write([2, 3])
        #expect(await updates.next() == TransferProgress(bytesDone: 3, total: 100))
        pair.client.close()
        #expect(await updates.next() == nil)
        #expect(await read.value == .closedByPeer)
    }

    // MARK: Options

    @Test("sets what the options say, and leaves out what is switched off")
    func options() async throws {
        let pair = try await ConnectedPair(.ipv4)
        let tcp = Int32(IPPROTO_TCP)
        for connection in [pair.client, pair.server] {
            let socket = try #require(await connection.socket)
            #expect(socket.option(tcp, TCP_NODELAY) == 1)
            #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1)
            #expect(socket.option(tcp, TCP_KEEPIDLE) == 60)
            #expect(socket.option(tcp, TCP_KEEPINTVL) == 10)
            #expect(socket.option(tcp, TCP_KEEPCNT) == 3)
            #expect(socket.option(tcp, TCP_USER_TIMEOUT) == 0)
        }
        var off = StreamOptions()
        off.noDelay = false
        off.keepalive = nil
        off.userTimeout = .milliseconds(12_345)
        off.maxSendRate = 1_000_000
        let plain = try await ConnectedPair(.ipv6, client: off)
        let socket = try #require(await plain.client.socket)
        #expect(socket.option(tcp, TCP_NODELAY) == 0)
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 0)
        #expect(socket.option(tcp, TCP_USER_TIMEOUT) == 12_345)
        #expect(socket.option(SOL_SOCKET, SO_MAX_PACING_RATE) == 1_000_000)
    }

    @Test("a write to a peer that is gone is an error, not a signal", arguments: Transport.allCases)
    func brokenPipe(transport: Transport) async throws {
        let pair = try await ConnectedPair(transport)
        try #require(await pair.server.socket).shutdownBoth()
        var failure: NetError?
        for _ in 0..<1000 where failure == nil {
            failure = await netError { try await pair.client.write([UInt8](repeating: 0, count: 100_000)) }
        }
        #expect(failure?.endedBy == .peer)
    }
}
