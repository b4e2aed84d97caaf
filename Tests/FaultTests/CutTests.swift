// The network breaks at a byte of a session, in every way that networks break; everything arrives all the same.

import BLIPNet
import ChatCore
import Glibc
import TestSupport
import Testing
import Workbench

@Suite("Cut connections", .serialized) struct CutTests {
    @Test("a session that is cut anywhere arrives whole on the next connection")
    func cuts() async throws {
        let offsets = try await self.offsets(stride: FaultSettings.cutStride)
        try await eachOffset(offsets) { fault in FaultScript(Fault(.cut, fault.direction, at: fault.offset)) }
    }

    @Test("a session that is reset anywhere arrives whole on the next connection")
    func resets() async throws {
        let offsets = try await self.offsets(stride: FaultSettings.cutStride * 6)
        try await eachOffset(offsets) { fault in FaultScript(Fault(.reset, fault.direction, at: fault.offset)) }
    }

    @Test("a session that is cut three times in a row, each time a little later, arrives whole")
    func again() async throws {
        let session = try await FaultedSession()
        let reports = try await session.run { number in
            number < 3 ? FaultScript(Fault(.cut, .up, at: 3_000 + 7_000 * UInt64(number))) : FaultScript()
        }
        #expect(reports.filter { $0.end == .cut }.count == 3)
        try await session.checkAll()
        await session.stop()
    }

    @Test("what comes byte by byte, or after a pause, arrives on the same connection")
    func slow() async throws {
        let session = try await FaultedSession()
        for script in [
            FaultScript(Fault(.trickle, .up, at: 0), Fault(.trickle, .down, at: 0)),
            FaultScript(Fault(.stall(.seconds(0.3)), .up, at: 900), Fault(.stall(.seconds(0.3)), .down, at: 1_000)),
        ] {
            let reports = try await session.run { number in number == 0 ? script : FaultScript() }
            #expect(reports.count == 1)
            #expect(reports.first?.end == .open)
            #expect(reports.first?.fired.count == 2)
        }
        try await session.checkAll()
        await session.stop()
    }

    /// Places of a whole session that are tried: every one at a stride of 1.
    private func offsets(stride: Int) async throws -> [Fault] {
        let session = try await FaultedSession()
        let whole = try #require(try await session.run { _ in FaultScript() }.first)
        try await session.checkAll()
        await session.stop()
        #expect(whole.up > UInt64(FaultedSession.fileSize) && whole.down > 1_000)
        var generator = SeededGenerator(seed: FaultSettings.seed)
        // What is said down is short and each byte of it means something: more of it is tried.
        return [(Fault.Direction.up, whole.up, stride), (.down, whole.down, max(1, stride / 8))].flatMap {
            direction, length, stride in
            Swift.stride(from: Int.random(in: 0..<stride, using: &generator), to: Int(length), by: stride).map {
                Fault(.cut, direction, at: UInt64($0))
            }
        }
    }

    private func eachOffset(_ offsets: [Fault], _ script: @escaping @Sendable (Fault) -> FaultScript) async throws {
        var fired = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<FaultSettings.cutWidth {
                group.addTask {
                    let session = try await FaultedSession()
                    var fired = 0
                    for index in stride(from: lane, to: offsets.count, by: FaultSettings.cutWidth) {
                        let fault = offsets[index]
                        do {
                            let reports = try await session.run { number in
                                number == 0 ? script(fault) : FaultScript()
                            }
                            if reports.first?.fired.isEmpty == false { fired += 1 }
                        } catch {
                            Issue.record("\(script(fault)), seed \(FaultSettings.seed): \(error)")
                            throw error
                        }
                    }
                    try await session.checkAll()
                    await session.stop()
                    return fired
                }
            }
            for try await count in group { fired += count }
        }
        // The last bytes may be said in another order and number; nearly all places are met.
        #expect(fired * 100 >= offsets.count * 90, "\(fired) of \(offsets.count)")
    }
}
