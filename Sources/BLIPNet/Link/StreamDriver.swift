// Moves bytes between a socket and a stack of protocols, and wakes both when it is time. It drives `PeerLink` and
// `WebSocketChannel`. The functions come in the order in which data meets them; all run on the loop.
//
//   socket readable -> read -> stack.receive -> deliverEvents -> pump -> (no room) -> socket writable -> pump
//   other threads   -> takeMail -> pump                          timer -> stack.handleTimeout -> deliverEvents, pump

internal import Glibc

/// The functions that a driver needs of a stack of pure protocols.
protocol StreamStack {
    /// Takes bytes from the socket.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime)
    /// The same for bytes that `read` puts where they are needed, `capacity` at most; it returns how many they were.
    mutating func receive(
        upTo capacity: Int, now: MonotonicTime, _ read: (UnsafeMutableRawBufferPointer) -> Int)
    /// Bytes that are still to come before what has begun can be understood; 0 where that is not known.
    var missingBytes: Int { get }
    /// The socket has ended: the peer sends nothing more.
    mutating func receiveEnd()
    /// The socket has failed.
    mutating func transportFailed(_ error: LinkError)
    /// Appends the next bytes for the socket; `false` when there is nothing to send now.
    mutating func nextOutgoing(into out: inout ByteQueue) -> Bool
    /// How large a piece may be that what is urgent has to wait for, in bytes.
    mutating func limitFrames(to bytes: Int)
    /// Nothing more will come out.
    var isEnded: Bool { get }
    /// When `handleTimeout` wants to be called.
    var deadline: MonotonicTime? { get }
    mutating func handleTimeout(now: MonotonicTime)
    /// Nothing is read, by our own choice: that nothing comes says nothing about the peer.
    mutating func excuseSilence(now: MonotonicTime)
}

/// How much is read with one system call.
private let readSize = 64 * 1024
/// How much output is gathered before it is offered to the socket: two full frames with their TLS records, which takes
/// half the system calls of one and delays an urgent message by one frame at most.
private let outputGoal = 17 * 1024
/// How much a turn of the driver may read and write before the other sockets of the loop get theirs, and before it
/// looks for what has come in meanwhile.
private let bytesPerTurn = 128 * 1024

/// The state of a driver: one socket and the stack on it, with everything that takes no more than these two.
///
/// Used through methods: each use of a part from outside is an access to the whole, which the runtime watches, and may
/// copy it. (It is not `~Copyable` because Swift 6.3.1 then lets go of parts of the stack once too often in debug builds:
/// Docs/decisions/0009.)
struct DrivenStream<Stack: StreamStack> {
    var stack: Stack
    /// `nil` once the descriptor is given back.
    private(set) var socket: Socket?
    /// Bytes for which the socket had no room; at most about two TLS records.
    private var output = ByteQueue()
    private var readiness: SocketReadiness?
    private var timer: LoopTimer?
    private var timerFires: MonotonicTime?
    /// A write failed: nothing more can be sent.
    private var brokenOutputError: LinkError?
    private(set) var hasHalfClosed = false
    fileprivate var isTurnScheduled = false
    /// When the descriptor is closed though the peer has not.
    private var lingerDeadline: MonotonicTime?
    private(set) var isReadingPaused = false
    /// How much the kernel may hold unsent, and how much it has been given since it was last asked.
    private var unsentLowWater: Int?
    private var writtenUnasked = 0
    /// The kernel had enough when it was last asked.
    private var isHeldBack = false
    private var lowWater = ReceiveLowWater()
    /// Towards another machine, where what is urgent is to overtake the rest.
    private var paced: PacedSocket?

    init(stack: Stack, socket: Socket) {
        self.stack = stack
        self.socket = socket
    }

    /// The kernel's counts of the way out; `nil` where it does not say.
    var lossCounters: LossCounters? {
        var counters = socket?.lossCounters
        counters?.hasQueue = paced?.hasQueue ?? false
        return counters
    }

    fileprivate mutating func begin(_ readiness: SocketReadiness, on socket: Socket) {
        unsentLowWater = socket.unsentLowWater
        if unsentLowWater != nil, socket.remoteAddress?.isLocal == false { paced = PacedSocket() }
        self.readiness = readiness
        readiness.wantReads(!isReadingPaused)
    }

    /// Bytes that wait for the socket.
    var waitingBytes: Int { output.count }

    // MARK: In

    fileprivate enum ReadStep {
        /// There may be more.
        case full
        /// There is no more now.
        case drained
        /// There will never be more.
        case ended
    }

    /// Reads once, into the stack.
    fileprivate mutating func read() -> ReadStep {
        guard !isReadingPaused, let socket else { return .drained }
        var outcome = Socket.ReadOutcome.nothingYet
        let now = MonotonicTime.now()
        stack.receive(upTo: readSize, now: now) { buffer in
            outcome = socket.read(into: buffer)
            if case .bytes(let count) = outcome { return count }
            return 0
        }
        switch outcome {
        case .bytes(let count):
            if let bytes = lowWater.update(read: count, missing: stack.missingBytes, now: now) {
                socket.setReceiveLowWater(bytes)
            }
            return count < readSize ? .drained : .full
        case .nothingYet: return .drained
        case .end: stack.receiveEnd()
        case .failed(let number): stack.transportFailed(LinkError(call: "read", errno: number))
        }
        return .ended
    }

    /// Whether the kernel may hold bytes that it has not told us of; from now on it tells us of each one.
    fileprivate mutating func mayHaveMore() -> Bool {
        guard let socket, let bytes = lowWater.open() else { return false }
        socket.setReceiveLowWater(bytes)
        return true
    }

    fileprivate mutating func pauseReading(_ isPaused: Bool) {
        guard isReadingPaused != isPaused else { return }
        isReadingPaused = isPaused
        if !isPaused { stack.excuseSilence(now: .now()) }
        readiness?.wantReads(!isPaused)
    }

    // MARK: Out

    fileprivate enum WriteStep {
        /// The socket has taken so many bytes and may take more.
        case wrote(Int)
        /// There is nothing to write, or no room for it: the socket will say when there is.
        case done
        /// Nothing more can be written.
        case failed
    }

    /// Writes once: what is left, and what the stack has now.
    fileprivate mutating func write() -> WriteStep {
        guard let socket, brokenOutputError == nil else { return .done }
        // There is news of something else; the socket says itself when it has room.
        if isHeldBack, hasGivenEnough(socket, 0) { return waitForRoom() }
        let isAll = gatherOutput()
        guard !output.isEmpty else { return rest() }
        switch output.withUnsafeBytes({ socket.write($0) }) {
        case .bytes(let count):
            output.consume(count)
            if hasGivenEnough(socket, count) { return waitForRoom() }
            return isAll && output.isEmpty ? rest() : .wrote(count)
        case .noRoom: return waitForRoom()
        case .failed(let number):
            brokenOutputError = LinkError(call: "write", errno: number)
            output = ByteQueue()
            readiness?.wantWrites(false)
            return .failed
        }
    }

    private func waitForRoom() -> WriteStep {
        readiness?.wantWrites(true)
        return .done
    }

    private func rest() -> WriteStep {
        readiness?.wantWrites(false)
        return .done
    }

    /// Returns whether the stack has nothing more.
    private mutating func gatherOutput() -> Bool {
        // Behind a network that is slower than we are, each frame more is one that an urgent message waits for.
        let mostAtOnce = paced == nil ? outputGoal : min(outputGoal, unsentLowWater ?? outputGoal)
        let goal = isHeldBack ? 1 : mostAtOnce
        while output.count < goal {
            guard stack.nextOutgoing(into: &output) else { return true }
        }
        return false
    }

    /// Whether the kernel holds as much as it can send soon. It does not say so by itself before its buffer is full:
    /// `TCP_NOTSENT_LOWAT` rules when a socket counts as writable, and a write fills up a segment of 64 KiB whatever it
    /// says. Asked once for each `unsentLowWater` bytes.
    private mutating func hasGivenEnough(_ socket: Socket, _ count: Int) -> Bool {
        guard let unsentLowWater else { return false }
        writtenUnasked += count
        guard writtenUnasked >= unsentLowWater else { return false }
        isHeldBack = socket.unsentBytes >= unsentLowWater
        if isHeldBack { lookAtPath(of: socket) } else { writtenUnasked = 0 }
        return isHeldBack
    }

    private mutating func lookAtPath(of socket: Socket) {
        guard let backlog = paced?.look(at: socket, now: .now()), let paced else { return }
        unsentLowWater = backlog
        stack.limitFrames(to: paced.frame)
    }

    /// Nothing is written before the next turn, though there is something.
    fileprivate func pauseWriting() { _ = rest() }

    // MARK: Time and the end

    fileprivate mutating func linger(until deadline: @autoclosure () -> MonotonicTime) {
        if lingerDeadline == nil { lingerDeadline = deadline() }
    }

    /// After the end: when the goodbye is out, half-closes. Returns whether the descriptor is to be given back.
    fileprivate mutating func finishIfDone() -> Bool {
        guard let socket, stack.isEnded else { return false }
        if brokenOutputError != nil { return true }
        if output.isEmpty, !hasHalfClosed {
            hasHalfClosed = true
            socket.shutdownWrites()
        }
        return false
    }

    /// When a timer is to be set, if one is. It is moved only when it would fire too late: deadlines mostly move away
    /// with every byte, and a timer that fires early just sets itself again.
    fileprivate mutating func timerToSet() -> MonotonicTime? {
        guard socket != nil else { return nil }
        var next = stack.deadline
        if let lingerDeadline { next = next.map { min($0, lingerDeadline) } ?? lingerDeadline }
        guard let next else { return nil }
        if let timerFires, timerFires <= next { return nil }
        timerFires = next
        timer?.cancel()
        return next
    }

    fileprivate mutating func setTimer(_ timer: LoopTimer) { self.timer = timer }

    /// The timer has fired. Returns whether the descriptor has been kept open long enough.
    fileprivate mutating func timeIsUp() -> Bool {
        timerFires = nil
        let now = MonotonicTime.now()
        if isReadingPaused { stack.excuseSilence(now: now) }
        stack.handleTimeout(now: now)
        guard let lingerDeadline, lingerDeadline <= now else { return false }
        if let brokenOutputError { stack.transportFailed(brokenOutputError) }
        return true
    }

    /// Lets go of the descriptor; `false` if that has been done.
    fileprivate mutating func giveBackSocket() -> Bool {
        guard socket != nil else { return false }
        readiness?.cancel()
        readiness = nil
        timer?.cancel()
        timer = nil
        socket = nil
        output = ByteQueue()
        return true
    }
}

/// An actor that owns a `DrivenStream` and lives on the event loop of its socket.
protocol StreamDriver: Actor {
    associatedtype Stack: StreamStack
    nonisolated var loop: EventLoop { get }
    var stream: DrivenStream<Stack> { get set }
    /// How long the peer may keep the descriptor open after the end.
    var lingerTimeout: Duration { get }
    /// Hands everything that has arrived to its receiver; `false` when there was nothing.
    func deliverEvents() -> Bool
    /// Hands what other threads want to the stack; `false` when there was nothing. `isLast`: the driver is about to
    /// rest, so that from then on mail has to wake it up.
    func takeMail(isLast: Bool) -> Bool
    /// Everything has been said, and the kernel has it.
    func didHalfClose()
    /// The descriptor is given back.
    func didGiveBackSocket()
}

extension StreamDriver {
    func didHalfClose() {}

    /// Begins: the side that has something to say first, says it.
    func startStream() {
        guard let socket = stream.socket else { return }
        let readiness = SocketReadiness(
            socket: socket, loop: loop,
            readable: { [weak self] in self?.assumeIsolated { $0.readable() } },
            writable: { [weak self] in self?.assumeIsolated { $0.turn() } })
        stream.begin(readiness, on: socket)
        turn()
    }

    // MARK: In

    /// Stops reading, so that the kernel's buffers and then the peer's sender fill up, or resumes it.
    func pauseReading(_ isPaused: Bool) { stream.pauseReading(isPaused) }

    /// The socket has bytes, or its end.
    private func readable() {
        reading: for _ in 0..<(bytesPerTurn / readSize) {
            switch stream.read() {
            case .full:
                _ = deliverEvents()
                pump()
            case .drained:
                _ = deliverEvents()
                break reading
            case .ended:
                // Nothing more comes from the socket and nothing more can be said to it.
                _ = deliverEvents()
                pump()
                giveBackSocket()
                break reading
            }
        }
        turn()
    }

    // MARK: Turns

    /// One round of work, whatever the reason: output, events, mail, and then the timer is set for what comes next.
    func turn() {
        repeat {
            // Producing a frame can end a message (its body source throws), and events bring new frames.
            repeat { pump() } while deliverEvents()
        } while takeMail(isLast: true)
        if stream.finishIfDone() { giveBackSocket() }
        if stream.hasHalfClosed { didHalfClose() }
        guard let deadline = stream.timerToSet() else { return }
        stream.setTimer(loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.timeIsUp() } })
    }

    /// Lets whoever waits for the loop (the reader, above all) go first.
    private func continueLater() {
        guard !stream.isTurnScheduled else { return }
        stream.isTurnScheduled = true
        stream.pauseWriting()
        loop.execute { [weak self] in
            self?.assumeIsolated { driver in
                driver.stream.isTurnScheduled = false
                driver.turn()
            }
        }
    }

    // MARK: Out

    /// Writes as long as the socket has room. The next frame is produced only then, and we look at the mail before
    /// each one, so that an urgent message waits for no more than what the socket has taken already.
    private func pump() {
        var written = 0
        while true {
            _ = takeMail(isLast: false)
            switch stream.write() {
            case .wrote(let count): written += count
            case .done: return
            case .failed:
                // The peer takes nothing more. We must still read what it has sent before; its end comes from there.
                linger()
                return
            }
            if written >= bytesPerTurn {
                continueLater()
                return
            }
        }
    }

    // MARK: Time and the end

    /// The stack has said its last, or nobody listens to it: the descriptor goes when the peer closes, or some time
    /// from now.
    func linger() {
        stream.linger(until: .now() + lingerTimeout)
        // The peer's end has to be seen.
        pauseReading(false)
    }

    private func timeIsUp() {
        // Each byte is a sign of life.
        if stream.mayHaveMore() { readable() }
        if stream.timeIsUp() {
            _ = deliverEvents()
            giveBackSocket()
        }
        turn()
    }

    /// Closes the descriptor.
    func giveBackSocket() {
        if stream.giveBackSocket() { didGiveBackSocket() }
    }
}

extension LinkError {
    /// A system call on an established connection failed.
    init(call: String, errno number: Int32) {
        switch number {
        case ECONNRESET, EPIPE: self = .disconnected
        case ETIMEDOUT: self = .timedOut("keepalive")
        default: self = .transport(call: call, errno: number)
        }
    }
}
