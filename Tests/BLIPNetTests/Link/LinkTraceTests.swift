// LinkOptions.trace: what it reports of a request, on both sides.

import Synchronization
import Testing

@testable import BLIPNet

@Suite("LinkTrace", .timeLimit(.minutes(5))) struct LinkTraceTests {
    /// Keeps what one side reports.
    private final class Book: Sendable {
        private let traces = Mutex<[LinkTrace]>([])

        var all: [LinkTrace] { traces.withLock { $0 } }
        var events: [LinkTrace.Event] { all.map(\.event) }
        var frames: [LinkTrace.Frame] {
            events.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
        }

        var options: LinkOptions {
            var options = LinkOptions()
            options.trace = { trace in self.traces.withLock { $0.append(trace) } }
            return options
        }
    }

    @Test("the frames of a request and its response are reported in order on both sides, between beginning and end")
    func request() async throws {
        let (server, client) = (Book(), Book())
        let handler = TestHandler()
        let listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: server.options) { _ in handler
        }
        let link = try await PeerLink.connect(to: listener.localEndpoint, options: client.options, handler: handler)
        let body = [UInt8](repeating: 7, count: 40_000)
        let response = try await link.request(BLIPRequest(profile: "echo", body: .bytes(body)))
        #expect(response.bodyBytes == body)
        link.close(code: 1000, reason: "done")
        _ = await link.waitUntilClosed()
        await eventually("the server has seen the end") {
            if case .closed = server.events.last { true } else { false }
        }

        // Three frames of 16,376 bytes at most, and no ACK before 50,000 bytes.
        #expect(client.frames.map(\.direction) == [.sent, .sent, .sent, .received, .received, .received])
        #expect(client.frames.map(\.kind) == [.request, .request, .request, .response, .response, .response])
        #expect(client.frames.map(\.hasMore) == [true, true, false, true, true, false])
        #expect(client.frames.allSatisfy { $0.number == 1 && !$0.isUrgent && (1...16_376).contains($0.byteCount) })
        let mirrored = client.frames.map { frame in
            var frame = frame
            frame.direction = frame.direction == .sent ? .received : .sent
            return frame
        }
        #expect(server.frames == mirrored)

        let opened = LinkTrace.Event.opened(subprotocol: "BLIP_3+app_1", remoteFingerprint: nil)
        #expect(client.events.first == opened && server.events.first == opened)
        #expect(client.events.suffix(2) == [.closing(code: 1000, reason: "done"), .closed(.closedLocally)])
        #expect(server.events.last == .closed(.closedByPeer(code: 1000, reason: "done")))
        // One number for each link.
        #expect(Set(client.all.map(\.link)).count == 1 && Set(server.all.map(\.link)).count == 1)
        #expect(client.all.first?.link != server.all.first?.link)
    }
}
