// Moves bytes between a socket and a stack of protocols, and wakes both when it is time. `PeerLink` and
// `WebSocketChannel` are driven by it. The functions stand in the order in which data meets them; all run on the loop.
//
//   socket readable -> read -> stack.receive -> deliverEvents -> pump -> (no room) -> socket writable -> pump
//   other threads   -> takeMail -> pump                          timer -> stack.handleTimeout -> deliverEvents, pump

internal import Glibc

/// What a driver needs of a stack of pure protocols.
protocol StreamStack {
    /// Takes bytes from the socket.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime)
    /// The same for bytes that `read` puts where they are needed, `capacity` at most; it returns how many they were.
    mutating func receive(
        upTo capacity: Int, now: MonotonicTime, _ read: (UnsafeMutableRawBufferPointer) -> Int)
    /// The socket has ended: the peer sends nothing more.
    mutating func receiveEnd()
    /// The socket has failed.
    mutating func transportFailed(_ error: LinkError)
    /// Appends the next bytes for the socket; `false` when there is nothing to send now.
    mutating func nextOutgoing(into out: inout ByteQueue) -> Bool
    /// Nothing more will come out.
    var isEnded: Bool { get }
    /// When `handleTimeout` wants to be called.
    var deadline: MonotonicTime? { get }
    mutating func handleTimeout(now: MonotonicTime)
    /// Nothing is read, by our own choice: that nothing comes says nothing about the peer.
    mutating func excuseSilence(now: MonotonicTime)
}

/// What a driver holds: one socket and the stack on it.
struct DrivenStream<Stack: StreamStack> {
    var stack: Stack
    /// `nil` once the descriptor is given back.
    fileprivate(set) var socket: Socket?
    /// Bytes for which the socket had no room; at most about two TLS records.
    fileprivate(set) var output = ByteQueue()
    fileprivate var readiness: SocketReadiness?
    fileprivate var timer: LoopTimer?
    fileprivate var timerFires: MonotonicTime?
    /// A write failed: nothing more can be sent.
    fileprivate var brokenOutputError: LinkError?
    fileprivate var hasHalfClosed = false
    fileprivate var isTurnScheduled = false
    /// When the descriptor is closed though the peer has not.
    fileprivate var lingerDeadline: MonotonicTime?
    fileprivate(set) var isReadingPaused = false
    /// What the kernel may hold unsent, and what it has been given since it was last asked.
    fileprivate var unsentLowWater: Int?
    fileprivate var writtenUnasked = 0
    /// The kernel had enough when it was last asked.
    fileprivate var isHeldBack = false

    init(stack: Stack, socket: Socket) {
        self.stack = stack
        self.socket = socket
    }

    fileprivate mutating func gatherOutput() {
        // Behind a network that is slower than we are, each frame more is one that an urgent message waits for.
        let goal = isHeldBack ? 1 : outputGoal
        while output.count < goal, stack.nextOutgoing(into: &output) {}
    }

    /// Whether the kernel holds as much as it can send soon. It does not say so by itself before its buffer is full:
    /// `TCP_NOTSENT_LOWAT` rules when a socket counts as writable, and a write fills up a segment of 64 KiB whatever it
    /// says. Asked once for each `unsentLowWater` bytes.
    fileprivate mutating func hasGivenEnough(_ socket: Socket, _ count: Int) -> Bool {
        guard let unsentLowWater else { return false }
        writtenUnasked += count
        guard writtenUnasked >= unsentLowWater else { return false }
        isHeldBack = socket.unsentBytes >= unsentLowWater
        if !isHeldBack { writtenUnasked = 0 }
        return isHeldBack
    }
}

/// An actor that owns a `DrivenStream` and lives on the event loop of its socket.
protocol StreamDriver: Actor {
    associatedtype Stack: StreamStack
    nonisolated var loop: EventLoop { get }
    var stream: DrivenStream<Stack> { get set }
    /// How long the peer may keep the descriptor open after the end.
    var lingerTimeout: Duration { get }
    /// Hands everything that has arrived to whom it concerns; `false` when there was nothing.
    func deliverEvents() -> Bool
    /// Hands what other threads want to the stack; `false` when there was nothing. `isLast`: the driver is about to
    /// rest, so that from then on mail has to wake it up.
    func takeMail(isLast: Bool) -> Bool
    /// The descriptor is given back.
    func didGiveBackSocket()
}

/// How much is read with one system call.
private let readSize = 64 * 1024
/// How much output is gathered before it is offered to the socket: two full frames with their TLS records, which takes
/// half the system calls of one and delays an urgent message by one frame at most.
private let outputGoal = 17 * 1024
/// What a turn of the driver may read and write before the other sockets of the loop get theirs, and before it looks
/// for what has come in meanwhile.
private let bytesPerTurn = 128 * 1024

extension StreamDriver {
    /// Begins: who has something to say first, says it.
    func startStream() {
        guard let socket = stream.socket else { return }
        stream.unsentLowWater = socket.unsentLowWater
        let readiness = SocketReadiness(
            socket: socket, loop: loop,
            readable: { [weak self] in self?.assumeIsolated { $0.readable() } },
            writable: { [weak self] in self?.assumeIsolated { $0.turn() } })
        stream.readiness = readiness
        readiness.wantReads(!stream.isReadingPaused)
        turn()
    }

    // MARK: In

    /// Stops reading, so that the kernel's buffers and then the peer's sender fill up, or goes on.
    func pauseReading(_ isPaused: Bool) {
        guard stream.isReadingPaused != isPaused else { return }
        stream.isReadingPaused = isPaused
        if !isPaused { stream.stack.excuseSilence(now: .now()) }
        stream.readiness?.wantReads(!isPaused)
    }

    /// The socket has bytes, or its end.
    private func readable() {
        var total = 0
        reading: while total < bytesPerTurn, !stream.isReadingPaused, let socket = stream.socket {
            var outcome = Socket.ReadOutcome.nothingYet
            stream.stack.receive(upTo: readSize, now: .now()) { buffer in
                outcome = socket.read(into: buffer)
                if case .bytes(let count) = outcome { return count }
                return 0
            }
            switch outcome {
            case .bytes(let count):
                total += count
                _ = deliverEvents()
                pump()
                if count < readSize { break reading }
            case .nothingYet: break reading
            case .end:
                stream.stack.receiveEnd()
                transportEnded()
                break reading
            case .failed(let number):
                stream.stack.transportFailed(LinkError(call: "read", errno: number))
                transportEnded()
                break reading
            }
        }
        turn()
    }

    /// Nothing more comes from the socket and nothing more can be said to it.
    private func transportEnded() {
        _ = deliverEvents()
        pump()
        giveBackSocket()
    }

    // MARK: Turns

    /// One round of work, whatever the reason: events, output, mail, and then the timer is set for what comes next.
    func turn() {
        repeat {
            // Producing a frame can end a message (its body source throws), and events bring new frames.
            repeat { pump() } while deliverEvents()
        } while takeMail(isLast: true)
        finishIfDone()
        scheduleTimer()
    }

    /// Lets whoever waits for the loop (the reader, above all) go first.
    private func continueLater() {
        guard !stream.isTurnScheduled else { return }
        stream.isTurnScheduled = true
        stream.readiness?.wantWrites(false)
        loop.execute { [weak self] in
            self?.assumeIsolated { driver in
                driver.stream.isTurnScheduled = false
                driver.turn()
            }
        }
    }

    // MARK: Out

    /// Writes as long as the socket has room. The next frame is produced only then, and mail is looked at before
    /// each one, so that an urgent message waits for no more than what the socket has taken already.
    private func pump() {
        guard let socket = stream.socket, stream.brokenOutputError == nil else { return }
        // There is news of something else; the socket says itself when it has room.
        if stream.isHeldBack, stream.hasGivenEnough(socket, 0) {
            stream.readiness?.wantWrites(true)
            return
        }
        var written = 0
        while true {
            _ = takeMail(isLast: false)
            stream.gatherOutput()
            guard !stream.output.isEmpty else { break }
            switch stream.output.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count):
                stream.output.consume(count)
                written += count
                if stream.hasGivenEnough(socket, count) {
                    stream.readiness?.wantWrites(true)
                    return
                }
            case .noRoom:
                stream.readiness?.wantWrites(true)
                return
            case .failed(let number):
                outputBroke(LinkError(call: "write", errno: number))
                return
            }
            if written >= bytesPerTurn {
                continueLater()
                return
            }
        }
        stream.readiness?.wantWrites(false)
    }

    /// The peer takes nothing more. What it has said before is still to be read; its end comes from there.
    private func outputBroke(_ error: LinkError) {
        stream.brokenOutputError = error
        stream.output = ByteQueue()
        stream.readiness?.wantWrites(false)
        linger()
    }

    // MARK: Time and the end

    /// The stack has said its last, or nobody listens to it: the descriptor goes when the peer closes, or some time
    /// from now.
    func linger() {
        if stream.lingerDeadline == nil { stream.lingerDeadline = .now() + lingerTimeout }
        // The peer's end has to be seen.
        pauseReading(false)
    }

    /// After the end: when the goodbye is out, half-closes; the descriptor goes when the peer has closed too.
    private func finishIfDone() {
        guard let socket = stream.socket, stream.stack.isEnded else { return }
        if stream.brokenOutputError != nil {
            giveBackSocket()
        } else if stream.output.isEmpty, !stream.hasHalfClosed {
            stream.hasHalfClosed = true
            socket.shutdownWrites()
        }
    }

    /// Sets the timer for the next deadline. It is moved only when it would fire too late: deadlines mostly move
    /// away with every byte, and a timer that fires early just sets itself again.
    private func scheduleTimer() {
        guard stream.socket != nil else { return }
        var next = stream.stack.deadline
        if let linger = stream.lingerDeadline { next = next.map { min($0, linger) } ?? linger }
        guard let next else { return }
        if let timerFires = stream.timerFires, timerFires <= next { return }
        stream.timerFires = next
        stream.timer?.cancel()
        stream.timer = loop.schedule(at: next) { [weak self] in self?.assumeIsolated { $0.timeIsUp() } }
    }

    private func timeIsUp() {
        stream.timerFires = nil
        let now = MonotonicTime.now()
        if stream.isReadingPaused { stream.stack.excuseSilence(now: now) }
        stream.stack.handleTimeout(now: now)
        if let lingerDeadline = stream.lingerDeadline, lingerDeadline <= now {
            if let error = stream.brokenOutputError { stream.stack.transportFailed(error) }
            _ = deliverEvents()
            giveBackSocket()
        }
        turn()
    }

    /// Closes the descriptor.
    func giveBackSocket() {
        guard stream.socket != nil else { return }
        stream.readiness?.cancel()
        stream.readiness = nil
        stream.timer?.cancel()
        stream.timer = nil
        stream.socket = nil
        stream.output = ByteQueue()
        didGiveBackSocket()
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
