// Scripts of the fault proxy: how they are written, and what becomes of each byte.

import Testing

@testable import Workbench

@Suite struct FaultScriptTests {
    @Test("reads every kind and writes it back")
    func roundTrip() throws {
        let text = "cut@up:0,reset@down:7,silence@up:8,stall=0.5@down:9,trickle@up:10,corrupt@up:11,corrupt=128@down:12"
        let script = try #require(FaultScript(text))
        #expect(
            script.faults == [
                Fault(.cut, .up, at: 0), Fault(.reset, .down, at: 7), Fault(.silence, .up, at: 8),
                Fault(.stall(.milliseconds(500)), .down, at: 9), Fault(.trickle, .up, at: 10),
                Fault(.corrupt(mask: 1), .up, at: 11), Fault(.corrupt(mask: 128), .down, at: 12),
            ])
        #expect(script.description == text)
        #expect(script.moved(by: 5).faults.map(\.offset) == [5, 12, 13, 14, 15, 16, 17])
        #expect(FaultScript(Fault(.cut, .up, at: .max)).moved(by: 1).faults[0].offset == .max)
    }

    @Test(
        "refuses what is no script",
        arguments: [
            "", "cut", "cut@up", "cut@up:", "cut@left:1", "cut=1@up:1", "cut@up:-1", "cut@up:+1", "cut@up:1,",
            "stall@up:1", "stall=x@up:1", "stall=-1@up:1", "corrupt=0@up:1", "corrupt=256@up:1", "explode@up:1",
            "cut@up:1@up:2", "cut@up:1:2", "cut@up:18446744073709551616", "stall=nan@up:1",
        ])
    func refused(text: String) { #expect(FaultScript(text) == nil) }

    @Test("lets exactly the bytes before a fault through, in its direction only")
    func places() {
        let script = FaultScript(Fault(.cut, .up, at: 10), Fault(.corrupt(mask: 3), .up, at: 4))
        var up = FaultStream(script, .up)
        #expect(up.next(available: 100) == .pass(count: 4, mask: 0))
        up.passed(3)
        #expect(up.next(available: 97) == .pass(count: 1, mask: 0))
        up.passed(1)
        #expect(up.next(available: 0) == nil)
        #expect(up.next(available: 96) == .pass(count: 1, mask: 3))
        up.passed(1)
        #expect(up.next(available: 2) == .pass(count: 2, mask: 0))
        up.passed(2)
        #expect(up.next(available: 93) == .pass(count: 3, mask: 0))
        up.passed(3)
        #expect(up.next(available: 90) == .end(.cut))
        #expect(up.position == 10)
        #expect(up.fired.map(\.offset) == [4, 10])
        var down = FaultStream(script, .down)
        #expect(down.next(available: 1000) == .pass(count: 1000, mask: 0))
    }

    @Test("ends a connection without waiting for the byte behind the end")
    func atOnce() {
        var stream = FaultStream(FaultScript(Fault(.cut, .down, at: 0)), .down)
        #expect(stream.next(available: 0) == .end(.cut))
    }

    @Test("waits once and writes single bytes from then on")
    func slow() {
        var stream = FaultStream(
            FaultScript(Fault(.stall(.seconds(1)), .up, at: 2), Fault(.trickle, .up, at: 2)), .up)
        #expect(stream.next(available: 5) == .pass(count: 2, mask: 0))
        stream.passed(2)
        #expect(stream.next(available: 3) == .wait(.seconds(1)))
        #expect(stream.next(available: 3) == .pass(count: 1, mask: 0))
        stream.passed(1)
        #expect(stream.next(available: 2) == .pass(count: 1, mask: 0))
    }
}
