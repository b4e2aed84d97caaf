// The loop as an executor: order of work, timers, actors that share it.

import CLinux
import Glibc
import Synchronization
import Testing

@testable import BLIPNet

@Suite("Event loop", .timeLimit(.minutes(5))) struct EventLoopTests {
    private actor OnLoop {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var sum = 0

        init(loop: EventLoop) { self.loop = loop }

        func add(_ number: Int) -> Int {
            loop.checkIsolated()
            sum += number
            return sum
        }

        /// Enters another actor of the same loop without waiting.
        func addDirectly(_ number: Int, to other: OnLoop) -> Int { other.assumeIsolated { $0.add(number) } }
    }

    @Test("work runs in the order in which it was given, from any thread")
    func order() async {
        let loop = EventLoop.next()
        let seen = Mutex<[Int]>([])
        for index in 0..<1000 { loop.execute { seen.withLock { $0.append(index) } } }
        await loop.run {}
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test("work that is given on the loop runs after what was there before")
    func nested() async {
        let loop = EventLoop.next()
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.execute {
                    seen.withLock { $0.append(2) }
                    continuation.resume()
                }
                seen.withLock { $0.append(1) }
            }
        }
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test("an actor on a loop runs there, and another one on the same loop can enter it")
    func actors() async {
        let loop = EventLoop.next()
        let one = OnLoop(loop: loop)
        let other = OnLoop(loop: loop)
        #expect(await one.add(3) == 3)
        #expect(await other.addDirectly(4, to: one) == 7)
        #expect(!loop.isCurrent)
    }

    @Test("a timer fires at its time and not when it was cancelled")
    func timers() async {
        let loop = EventLoop.next()
        let fired = Mutex<[Int]>([])
        let start = MonotonicTime.now()
        _ = loop.schedule(at: start + .milliseconds(20)) { fired.withLock { $0.append(2) } }
        _ = loop.schedule(at: start + .milliseconds(10)) { fired.withLock { $0.append(1) } }
        let cancelled = loop.schedule(at: start + .milliseconds(5)) { fired.withLock { $0.append(0) } }
        cancelled.cancel()
        let end = await withCheckedContinuation { continuation in
            _ = loop.schedule(at: start + .milliseconds(30)) { continuation.resume(returning: MonotonicTime.now()) }
        }
        #expect(fired.withLock { $0 } == [1, 2])
        #expect(end - start >= .milliseconds(30))
    }

    @Test("a timer fires that is earlier than the one for which the loop already waits, and one whose time has passed")
    func earlierTimers() async {
        let loop = EventLoop.next()
        let start = MonotonicTime.now()
        let late = loop.schedule(at: start + .seconds(3600)) {}
        for delay: Duration in [.milliseconds(5), .zero, .seconds(-1), .milliseconds(1)] {
            // Each time the loop has gone back to its wait for the late one.
            await loop.run {}
            await withCheckedContinuation { continuation in
                _ = loop.schedule(at: .now() + delay) { continuation.resume() }
            }
        }
        late.cancel()
    }

    @Test("a timer that sets the next one, again and again")
    func chain() async {
        let loop = EventLoop.next()
        let start = MonotonicTime.now()
        for _ in 0..<50 {
            let due = MonotonicTime.now() + .microseconds(300)
            let fired = await withCheckedContinuation { continuation in
                _ = loop.schedule(at: due) { continuation.resume(returning: MonotonicTime.now()) }
            }
            #expect(fired >= due)
        }
        #expect(MonotonicTime.now() - start >= .microseconds(50 * 300))
    }

    @Test("the other threads of the process go first, where that is asked for")
    func niceness() async {
        defer { NetworkThreads.niceness = 0 }
        // One after the other: it is one setting of the process.
        for asked in [0, 7, 100] {
            NetworkThreads.niceness = asked
            // A thread begins with what the thread has that makes it, and an await may change that one.
            let (found, maker) = await withCheckedContinuation { continuation in
                let maker = clinux_thread_niceness()
                LoopThread.start(name: "nice") { continuation.resume(returning: (clinux_thread_niceness(), maker)) }
            }
            let wanted = asked == 0 ? maker : min(19, clinux_process_niceness() + Int32(min(asked, 19)))
            #expect(found == wanted || (getuid() != 0 && found > wanted), "\(asked)")
        }
    }

    @Test("the loops take turns")
    func turns() {
        let loops = Set((0..<64).map { _ in ObjectIdentifier(EventLoop.next()) })
        #expect(loops.count > 1)
    }
}
