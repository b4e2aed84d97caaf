// What happens when the peer's unfinished messages together would need more memory than they may have.

import Testing

@testable import BLIPNet

@Suite("BLIP with little memory") struct BLIPMemoryPressureTests {
    private var limits: BLIPLimits {
        var limits = BLIPLimits()
        limits.maxBufferedBytes = 1_200_000
        limits.maxBufferedBody = 200_000
        limits.maxOpenIncoming = 16
        limits.maxOpenOutgoing = 16
        limits.sendWindow = 50_000
        limits.ackInterval = 20_000
        return limits
    }

    @Test("lets the oldest finish first instead of refusing any")
    func oldestFirst() throws {
        var sender = BLIPConnection(limits: limits)
        var receiver = BLIPConnection(limits: limits)
        for index in 0..<40 { sender.send("echo", [UInt8](repeating: UInt8(index), count: 200_000)) }
        var completed: [UInt64] = []
        var highest = 0
        while true {
            var isIdle = true
            if let frame = sender.oneFrame() {
                try receiver.receive(frame)
                isIdle = false
            }
            highest = max(highest, receiver.bufferedIncomingBytes)
            for case .request(let request) in receiver.allEvents() {
                #expect(request.body.count == 200_000)
                completed.append(request.number)
                receiver.respond(to: request.number, with: BLIPResponse())
            }
            while let frame = receiver.oneFrame() {
                try sender.receive(frame)
                isIdle = false
            }
            if isIdle { break }
        }
        #expect(completed.sorted() == Array(1...40))
        #expect(highest > 200_000 && highest < 1_200_000)
        let responses = sender.allEvents().compactMap { event -> BLIPErrorCode?? in
            if case .response(_, let response) = event { return .some(response.error) }
            return nil
        }
        #expect(responses.count == 40)
        #expect(responses.allSatisfy { $0 == .some(nil) })
    }

    @Test("goes on when the message that the others wait for is given up")
    func oldestFails() throws {
        var sender = BLIPConnection(limits: limits)
        var receiver = BLIPConnection(limits: limits)
        // The other side's first response stalls: its end never comes.
        let stalled = receiver.send("get")
        while let frame = receiver.oneFrame() { try sender.receive(frame) }
        _ = sender.allEvents()
        let endless = Endless()
        sender.respond(to: stalled, with: BLIPResponse(body: .source(endless)))
        if let frame = sender.oneFrame() { try receiver.receive(frame) }
        endless.isOver = true
        for index in 0..<20 { sender.send("echo", [UInt8](repeating: UInt8(index), count: 200_000)) }
        var completed = try exchange(&sender, &receiver)
        #expect(completed < 20)
        receiver.cancel(stalled)
        completed += try exchange(&sender, &receiver)
        #expect(completed == 20)
    }

    /// Carries frames until both are quiet; returns how many requests have arrived.
    private func exchange(_ sender: inout BLIPConnection, _ receiver: inout BLIPConnection) throws -> Int {
        var completed = 0
        while true {
            if let frame = sender.oneFrame() {
                try receiver.receive(frame)
                completed += receiver.allEvents().compactMap(\.request).count
            } else if let frame = receiver.oneFrame() {
                try sender.receive(frame)
            } else {
                return completed
            }
        }
    }
}

/// Yields zeros until it is told that it is over; then it throws, so that its message never ends.
private final class Endless: BodySource, @unchecked Sendable {
    struct Over: Error {}
    var isOver = false
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if isOver { throw Over() }
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer.count
    }
}
