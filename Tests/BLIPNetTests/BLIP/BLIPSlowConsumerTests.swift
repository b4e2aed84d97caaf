// Consumers that take bytes later than they arrive: they slow their own message, or where that is impossible, the
// reading; memory stays bounded in every case.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPSlowConsumerTests {
    static let dialectsWithAcks: [BLIPDialect] = [.blip3, .blip2]

    @Test("bytes are acknowledged when they have been taken; other messages go on", arguments: dialectsWithAcks)
    func acknowledgedWhenTaken(dialect: BLIPDialect) throws {
        let sink = HoldingSink()
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect: dialect, limits: BLIPLimits()) {
            $0.properties.profile == "slow" ? sink : nil
        }
        client.send("slow", [UInt8](repeating: 1, count: 400_000))
        client.send("echo", [UInt8](repeating: 2, count: 400_000))
        try exchange(&client, &server)
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [2])
        // The sender has paused at its window.
        #expect(sink.untakenBytes >= 127_000 && sink.untakenBytes < 128_000 + 16_384)
        #expect(server.untakenBytes == sink.untakenBytes && server.bufferedIncomingBytes == sink.untakenBytes)
        #expect(!server.isReadingPaused)
        // Less than what the first ACK stands for changes nothing.
        sink.take(40_000)
        server.noteTaken(now: MonotonicTime(nanoseconds: 0))
        #expect(!server.hasOutgoing)
        sink.take(30_000)
        server.noteTaken(now: MonotonicTime(nanoseconds: 0))
        let acks = server.allFrames().compactMap { FrameOnWire($0, dialect)?.acknowledged }
        #expect(acks.count == 1 && acks[0] >= 50_000 && acks[0] < 50_000 + 16_384)
        for _ in 0..<20 {
            try exchange(&client, &server)
            #expect(sink.untakenBytes < 128_000 + 16_384)
            sink.take(.max)
            server.noteTaken(now: MonotonicTime(nanoseconds: 0))
        }
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [1])
        #expect(sink.taken == 400_000 && sink.ends == [nil])
        #expect(server.bufferedIncomingBytes == 0 && server.untakenBytes == 0)
    }

    @Test("a sender that pauses because of us is not dropped as late")
    func notLate() throws {
        let sink = HoldingSink()
        var client = BLIPConnection()
        var server = BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { _ in sink }
        client.send("slow", [UInt8](repeating: 1, count: 400_000))
        try exchange(&client, &server)
        for minute: Int64 in 1...10 {
            server.handleTimeout(now: MonotonicTime(nanoseconds: minute * 60_000_000_000))
        }
        #expect(server.openIncoming == 1)
        for _ in 0..<10 {
            sink.take(.max)
            server.noteTaken(now: MonotonicTime(nanoseconds: 600_000_000_000))
            try exchange(&client, &server)
        }
        #expect(server.allEvents().compactMap(\.request).count == 1)
    }

    @Test("without ACKs reading pauses at a bound and goes on when half of it is free")
    func pausesReading() throws {
        let sink = HoldingSink()
        var client = BLIPConnection(.blip2013)
        var server = BLIPConnection(dialect: .blip2013, limits: BLIPLimits()) { _ in sink }
        client.send("slow", [UInt8](repeating: 1, count: 1_000_000))
        while !server.isReadingPaused, let frame = client.oneFrame() { try server.receive(frame) }
        #expect(sink.untakenBytes > 256 << 10 && sink.untakenBytes < (256 << 10) + 16_384)
        server.handleTimeout(now: MonotonicTime(nanoseconds: 100_000_000_000))
        #expect(server.openIncoming == 1)
        sink.take(16_384)
        server.noteTaken(now: MonotonicTime(nanoseconds: 200_000_000_000))
        #expect(server.isReadingPaused)
        sink.take(128 << 10)
        server.noteTaken(now: MonotonicTime(nanoseconds: 200_000_000_000))
        #expect(!server.isReadingPaused)
        server.handleTimeout(now: MonotonicTime(nanoseconds: 210_000_000_000))
        #expect(server.openIncoming == 1)
        while let frame = client.oneFrame() {
            try server.receive(frame)
            sink.take(.max)
            server.noteTaken(now: MonotonicTime(nanoseconds: 210_000_000_000))
        }
        #expect(server.allEvents().compactMap(\.request).count == 1 && sink.taken == 1_000_000)
    }

    @Test("complete messages that nobody takes count as memory; the one that goes over is refused")
    func completeOnes() throws {
        var limits = BLIPLimits()
        limits.maxBufferedBytes = 100_000
        let sinks = Mutex<[HoldingSink]>([])
        var peer = Peer()
        var server = BLIPConnection(dialect: .blip3, limits: limits) { _ in
            let sink = HoldingSink()
            sinks.withLock { $0.append(sink) }
            return sink
        }
        let data = [0] + [UInt8](repeating: 1, count: 40_000)
        for number: UInt64 in 1...3 { try server.receive(peer.frame(number, data: data)) }
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [1, 2])
        #expect(server.bufferedIncomingBytes == 80_000)
        #expect(
            sinks.withLock { $0.map(\.ends) } == [
                [nil], [nil], [.limitExceeded("too many bytes that nobody has taken")],
            ])
        for sink in sinks.withLock({ $0 }) { sink.take(.max) }
        server.noteTaken(now: MonotonicTime(nanoseconds: 0))
        #expect(server.bufferedIncomingBytes == 0)
        try server.receive(peer.frame(4, data: data))
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [4])
    }

    @Test("a compressed body that nobody takes cannot grow over the limit", arguments: BLIPDialect.all)
    func compressed(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxBufferedBody = 1 << 20
        let sink = HoldingSink()
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect: dialect, limits: limits) { _ in sink }
        client.send("slow", [UInt8](repeating: 0, count: 4 << 20), compressed: true)
        try exchange(&client, &server)
        #expect(sink.untakenBytes <= 1 << 20)
        #expect(sink.ends == [.limitExceeded("too many bytes that nobody has taken")])
        #expect(client.nextEvent()?.response?.response.error == .tooLarge)
    }

    @Test("a response with a slow consumer that is cancelled lets its sender finish", arguments: dialectsWithAcks)
    func cancelled(dialect: BLIPDialect) throws {
        let sink = HoldingSink()
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        let number = client.send("get", sink: sink)
        try exchange(&client, &server)
        server.respond(to: number, with: BLIPResponse(body: .bytes([UInt8](repeating: 1, count: 500_000))))
        try exchange(&client, &server)
        #expect(server.hasUnsent && client.openIncoming == 1)
        client.cancel(number)
        #expect(sink.ends == [.closedLocally])
        try exchange(&client, &server)
        #expect(!server.hasUnsent && client.openIncoming == 0 && client.bufferedIncomingBytes == 0)
    }

    @Test("a sink that gives up at the window's end lets its sender finish", arguments: dialectsWithAcks)
    func givesUp(dialect: BLIPDialect) throws {
        let sink = HoldingSink()
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in sink }
        client.send("slow", [UInt8](repeating: 1, count: 500_000))
        try exchange(&client, &server)
        sink.giveUp()
        server.noteTaken(now: MonotonicTime(nanoseconds: 0))
        try exchange(&client, &server)
        #expect(client.nextEvent()?.response?.response.error == .handlerFailed)
        #expect(server.openIncoming == 0 && server.bufferedIncomingBytes == 0)
    }

    // MARK: BLIPBodyStream

    @Test("a body stream yields the bytes in order and ends")
    func stream() async throws {
        let stream = BLIPBodyStream()
        let writer = Task {
            for index in 0..<100 as Range<UInt8> {
                try [index, index].withUnsafeBytes { try stream.sink.write($0) }
                if index % 7 == 0 { await Task.yield() }
            }
            stream.sink.bodyEnded(nil)
        }
        var bytes: [UInt8] = []
        for try await piece in stream {
            #expect(!piece.isEmpty)
            bytes += piece
        }
        try await writer.value
        #expect(bytes == (0..<100).flatMap { [$0, $0] })
    }

    @Test("a body stream whose body fails yields what came and then throws")
    func streamFails() async throws {
        let stream = BLIPBodyStream()
        try [UInt8(7)].withUnsafeBytes { try stream.sink.write($0) }
        stream.sink.bodyEnded(.disconnected)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == [7])
        await #expect(throws: LinkError.disconnected) { try await iterator.next() }
    }

    @Test("a consumer that lets go, or is cancelled, gives the body up")
    func streamAbandoned() async throws {
        var stream: BLIPBodyStream? = BLIPBodyStream()
        let sink = try #require(stream?.sink)
        try [UInt8(7)].withUnsafeBytes { try sink.write($0) }
        stream = nil
        #expect(throws: (any Error).self) { try [UInt8(8)].withUnsafeBytes { try sink.write($0) } }
        #expect((sink as? any DeferredBodySink)?.untakenBytes == 0)

        let other = BLIPBodyStream()
        let consumer = Task { try await other.makeAsyncIterator().nextPiece() }
        consumer.cancel()
        await #expect(throws: LinkError.closedLocally) { try await consumer.value }
        #expect(throws: (any Error).self) { try [UInt8(8)].withUnsafeBytes { try other.sink.write($0) } }
    }

    /// Carries frames both ways until nothing is left to send.
    private func exchange(_ one: inout BLIPConnection, _ other: inout BLIPConnection) throws {
        while true {
            let (frames, answers) = (one.allFrames(), other.allFrames())
            if frames.isEmpty, answers.isEmpty { return }
            for frame in frames { try other.receive(frame) }
            for answer in answers { try one.receive(answer) }
        }
    }
}

extension BLIPBodyStream.AsyncIterator {
    fileprivate func nextPiece() async throws(LinkError) -> [UInt8]? {
        var iterator = self
        return try await iterator.next()
    }
}

/// A sink from which the test takes the bytes, and which remembers how it ended.
final class HoldingSink: DeferredBodySink {
    private struct State {
        var untaken = 0
        var taken = 0
        var hasGivenUp = false
        var ends: [LinkError?] = []
        var wake: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    var untakenBytes: Int { state.withLock { $0.untaken } }
    var taken: Int { state.withLock { $0.taken } }
    var ends: [LinkError?] { state.withLock { $0.ends } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            if state.hasGivenUp { throw TestBodyError() }
            state.untaken += bytes.count
        }
    }

    func bodyEnded(_ failure: LinkError?) { state.withLock { $0.ends.append(failure) } }
    func whenTaken(_ taken: @escaping @Sendable () -> Void) { state.withLock { $0.wake = taken } }

    /// Takes up to `count` bytes.
    func take(_ count: Int) {
        let wake = state.withLock { state in
            let part = min(count, state.untaken)
            state.untaken -= part
            state.taken += part
            return state.wake
        }
        wake()
    }

    func giveUp() {
        state.withLock {
            $0.hasGivenUp = true
            $0.untaken = 0
        }
    }
}
