// What a peer may have us unpack: so much in all as a stranger, then so much a second.

import Testing

@testable import BLIPNet

private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

@Suite struct UnpackingBudgetTests {
    @Test("a stranger has a fixed number of bytes, which no waiting brings back, until it is admitted")
    func stranger() {
        var limits = BLIPLimits()
        limits.maxInflatedFrame = 1_000
        limits.maxUnpackedBeforeAdmission = 1_500
        var budget = UnpackingBudget(limits: limits)
        #expect(budget.allowance == UnpackingAllowance(bytes: 1_000, bound: .frame))
        budget.charge(1_000, now: at(0))
        #expect(budget.allowance == UnpackingAllowance(bytes: 500, bound: .stranger))
        budget.charge(600, now: at(1))
        #expect(budget.allowance.bytes == 0)
        #expect(!budget.isUsedUp && !budget.resume(now: at(3_600)))
        #expect(budget.allowance.bytes == 0)
        budget.admit()
        #expect(budget.allowance == UnpackingAllowance(bytes: 1_000, bound: .frame))
    }

    @Test("who is admitted has the rate, a second of it at once, and pauses for what was too much")
    func rate() throws {
        var limits = BLIPLimits()
        limits.maxUnpackedPerSecond = 1_000
        var budget = UnpackingBudget(limits: limits)
        budget.charge(1_000, now: at(0))
        #expect(!budget.isUsedUp)
        budget.charge(500, now: at(0))
        let due = try #require(budget.resumption)
        #expect(due >= at(0.5) && due <= at(0.6))
        // One frame more does not move it: it was read before.
        budget.charge(10, now: at(0.1))
        #expect(budget.resumption == due)
        let early = budget.resume(now: at(0.4))
        let inTime = budget.resume(now: due)
        #expect(!early && inTime && !budget.isUsedUp)
        // A long silence saves up one second.
        budget.charge(1_000, now: at(100))
        #expect(!budget.isUsedUp)
        budget.charge(1, now: at(100))
        #expect(budget.isUsedUp)
    }

    @Test("over any time no more than the rate is unpacked, and not much less")
    func longRun() {
        var limits = BLIPLimits()
        limits.maxUnpackedPerSecond = 100_000
        var budget = UnpackingBudget(limits: limits)
        var now = at(0)
        var unpacked = 0
        while now < at(60) {
            budget.charge(7_919, now: now)
            unpacked += 7_919
            if let due = budget.resumption {
                now = due
                _ = budget.resume(now: now)
            }
        }
        #expect(unpacked <= 61 * 100_000 + 7_919 && unpacked >= 60 * 100_000)
    }

    @Test("without limits nothing is counted")
    func unlimited() {
        var budget = UnpackingBudget(limits: BLIPLimits())
        for _ in 0..<100 { budget.charge(16 << 20, now: at(0)) }
        #expect(!budget.isUsedUp && budget.allowance.bytes == 16 << 20)
    }
}
