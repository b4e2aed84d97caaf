// What a thread has waited for a processor, read from the kernel.

import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ChatTUI

@Suite("Run delay", .timeLimit(.minutes(10)))
struct RunDelayTests {
    @Test("grows while there are more threads than processors, and never shrinks")
    func grows() {
        let isOver = Atomic(false)
        let crowd = DispatchGroup()
        let count = 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        for _ in 0..<count {
            let thread = DispatchQueue(label: "crowd")
            thread.async(group: crowd) { while !isOver.load(ordering: .relaxed) {} }
        }
        var delay = RunDelay()
        var sum = Duration.zero
        while sum < .milliseconds(20) {
            let more = delay.grown()
            #expect(more >= .zero)
            sum += more
            for _ in 0..<10_000 where isOver.load(ordering: .relaxed) { break }
        }
        isOver.store(true, ordering: .relaxed)
        crowd.wait()
        #expect(sum >= .milliseconds(20))
    }
}
