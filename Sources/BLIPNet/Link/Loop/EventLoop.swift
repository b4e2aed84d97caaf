// The threads of the network code. An event loop waits for the news of its sockets, for its timers and for work, and
// runs everything that concerns one connection: `TCPConnection`, `PeerLink` and `WebSocketChannel` are actors on it.

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread with an epoll instance, timers and a queue of work; the executor of the actors whose sockets it watches, and
/// of the tasks that ask for it.
///
/// News of a socket reach its actor without a change of threads, which is most of what a small message costs
/// (Docs/decisions/0005). Whatever runs here holds up the other sockets of the loop, so nothing may block for longer
/// than a disk read. Loops are opened when they are needed and live as long as the process.
final class EventLoop: SerialExecutor, TaskExecutor {
    /// More than one, so that one connection's slow disk does not hold up the others, and so that cores are used.
    private static let count = max(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// Those that have been opened, in their order, and whose turn it is.
    private static let opened = Mutex<(loops: [EventLoop], turn: Int)>(([], 0))

    /// A loop for a new connection. Opens a further one as long as there are few and nothing lacks descriptors; then, of two
    /// the one that watches fewer sockets, each time the next two, so that many connections that are made at once spread too.
    static func next() -> EventLoop {
        opened.withLock { opened in
            if opened.loops.isEmpty || opened.loops.count < count && EventPoller.hasRoom {
                let loop = EventLoop(index: opened.loops.count)
                opened.loops.append(loop)
                return loop
            }
            let count = opened.loops.count
            opened.turn = (opened.turn + 1) % count
            let one = opened.loops[opened.turn]
            let other = opened.loops[(opened.turn + 1) % count]
            return other.watchedSockets < one.watchedSockets ? other : one
        }
    }

    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private struct State {
        var work: [Work] = []
        var timers = TimerQueue()
        var isStarted = false
        /// The loop looks at its work and its timers once more before it waits.
        var isAwake = true
    }

    private let index: Int
    private let state = HandOverLock(State())
    /// The `pthread_t` of the loop; 0 before it runs.
    private let thread = Atomic<UInt>(0)
    private let poller: EventPoller
    private let watched = Atomic<Int>(0)
    /// The function to call for each socket; used on the loop only.
    private nonisolated(unsafe) var watches: [UInt64: @Sendable (SocketStates) -> Void] = [:]
    private nonisolated(unsafe) var lastWatch: UInt64 = 0

    private init(index: Int) {
        self.index = index
        poller = EventPoller()
    }

    /// Whether the caller runs on this loop.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// How many sockets the loop watches.
    var watchedSockets: Int { watched.load(ordering: .relaxed) }

    // MARK: Work

    /// Runs `work` on the loop, after everything that was given to it before. From any thread; never waits.
    func execute(_ work: @escaping @Sendable () -> Void) { add(.closure(work)) }

    func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    func checkIsolated() { precondition(isCurrent, "not on the event loop of this actor") }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Runs `work` on the loop at `deadline`, or soon after. From any thread.
    func schedule(at deadline: MonotonicTime, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        let (number, mustWake) = state.withLock { state in
            (state.timers.add(at: deadline, work), Self.wakes(&state))
        }
        if mustWake { wake() }
        return LoopTimer(loop: self, number: number)
    }

    fileprivate func cancelTimer(_ number: UInt64) {
        // Let go of outside of the lock: what the closure refers to may end with it and need the loop again.
        let dropped = state.withLock { $0.timers.remove(number) }
        withExtendedLifetime(dropped) {}
    }

    private func add(_ work: Work) {
        let mustWake = state.withLock { state in
            state.work.append(work)
            return Self.wakes(&state)
        }
        if mustWake { wake() }
    }

    private static func wakes(_ state: inout State) -> Bool {
        defer { state.isAwake = true }
        return !state.isAwake || !state.isStarted
    }

    private func wake() {
        let starts = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if starts { LoopThread.start(name: "blipnet \(index)") { self.run() } } else { poller.wake() }
    }

    // MARK: Sockets (on the loop)

    /// Takes in a socket; `tell` is not called before `setInterest`. The number is never used again, so late news of a
    /// socket finds nobody.
    func watch(_ tell: @escaping @Sendable (SocketStates) -> Void) -> UInt64 {
        lastWatch += 1
        watches[lastWatch] = tell
        watched.wrappingAdd(1, ordering: .relaxed)
        return lastWatch
    }

    /// Changes the states that the kernel reports of a watched socket, level-triggered: an empty `new` takes it out of
    /// the kernel's table, because the kernel would report a hang-up all the time. Returns `false` when the kernel has
    /// no room for it.
    func setInterest(_ number: UInt64, _ socket: Socket, from old: SocketStates, to new: SocketStates) -> Bool {
        poller.setInterest(number, socket.descriptor, from: old, to: new)
    }

    /// Forgets a socket; before its descriptor is closed.
    func forget(_ number: UInt64, _ socket: Socket, interest: SocketStates) {
        guard watches.removeValue(forKey: number) != nil else { return }
        watched.wrappingSubtract(1, ordering: .relaxed)
        _ = poller.setInterest(number, socket.descriptor, from: interest, to: [])
    }

    // MARK: The thread

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let (executor, taskExecutor) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        var batch: [Work] = []
        while true {
            let step = state.withLock { state -> Step in
                if let due = state.timers.popDue(now: .now()) { return .run(due) }
                guard state.work.isEmpty else { return .look }
                state.isAwake = false
                return .wait(state.timers.earliest)
            }
            let wait: EventPoller.Wait
            switch step {
            case .run(let due):
                due()
                continue
            case .look: wait = .not
            case .wait(let deadline): wait = .until(deadline)
            }
            poller.wait(wait) {
                state.withLock { state in
                    state.isAwake = true
                    swap(&state.work, &batch)
                }
            } tell: { number, states in
                watches[number]?(states)
            }
            for work in batch {
                switch work {
                case .job(let job): job.runSynchronously(isolatedTo: executor, taskExecutor: taskExecutor)
                case .closure(let closure): closure()
                }
            }
            batch.removeAll(keepingCapacity: batch.count <= 1024)
        }
    }

    private enum Step {
        /// A timer has fired.
        case run(@Sendable () -> Void)
        /// There is work; the sockets get their turn before it.
        case look
        /// Nothing to do before this time.
        case wait(MonotonicTime?)
    }
}

/// Work that an event loop is to do later.
final class LoopTimer: Sendable {
    private let loop: EventLoop
    private let number: UInt64

    fileprivate init(loop: EventLoop, number: UInt64) {
        self.loop = loop
        self.number = number
    }

    /// Takes it back, if it has not been done. From any thread; on the loop nothing happens after this.
    func cancel() { loop.cancelTimer(number) }
}
