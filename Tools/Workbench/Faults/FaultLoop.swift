// The thread of the fault proxy: waits with poll(2), moves bytes between callers and the target, lets things go wrong.

internal import BLIPNet
internal import Glibc
internal import Synchronization

/// All connections of one proxy. Runs until the proxy is stopped.
final class FaultLoop {
    private let listener: RawSocket
    private let target: RawSocket.Address
    private let state: FaultProxyState
    private var pairs: [FaultedPair] = []
    private var calls = 0

    init(listener: RawSocket, target: RawSocket.Address, state: FaultProxyState) {
        self.listener = listener
        self.target = target
        self.state = state
    }

    func run() {
        while !state.shared.withLock({ $0.isStopped }) {
            var polls = [
                pollfd(fd: state.wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            for pair in pairs { polls += pair.polls }
            _ = poll(&polls, UInt(polls.count), timeout)
            var count: UInt64 = 0
            _ = read(state.wake, &count, 8)
            if takeBreak() { for pair in pairs { pair.end(.cut) } }
            for (index, pair) in pairs.enumerated() where !pair.isOver {
                pair.turn(caller: polls[2 + 2 * index].revents, target: polls[3 + 2 * index].revents)
            }
            while let caller = listener.accept() { begin(caller) }
            publish()
        }
        for pair in pairs { pair.end(.stopped) }
        publish()
    }

    private func takeBreak() -> Bool {
        state.shared.withLock { shared in
            defer { shared.breaks = false }
            return shared.breaks
        }
    }

    /// Milliseconds until a stalled direction continues; -1: there is none.
    private var timeout: Int32 {
        guard let next = pairs.compactMap(\.resumes).min() else { return -1 }
        let left = max(.zero, next - .now())
        return Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
    }

    private func begin(_ caller: RawSocket) {
        calls += 1
        let plan = state.shared.withLock { shared in
            shared.reports.append(FaultReport(number: calls))
            return shared.plan
        }
        let pair = FaultedPair(
            number: calls, caller: caller, target: .connect(to: target), script: plan(calls), witness: state.witness)
        pairs.append(pair)
        pair.turn(caller: 0, target: 0)
    }

    private func publish() {
        let ended = state.shared.withLock { shared in
            var ended: [FaultReport] = []
            for pair in pairs {
                shared.reports[pair.report.number - 1] = pair.report
                if pair.isOver { ended.append(pair.report) }
            }
            return ended
        }
        pairs.removeAll { $0.isOver }
        for report in ended { state.observer(report) }
    }
}

/// A caller and the connection to the target that was made for it.
private final class FaultedPair {
    private var caller: RawSocket?
    private var target: RawSocket?
    private var up: FaultedFlow
    private var down: FaultedFlow
    private var isConnecting = true
    private var isSilent = false
    private var callerEndedFirst = false
    private(set) var report: FaultReport

    init(
        number: Int, caller: RawSocket, target: RawSocket?, script: FaultScript, witness: FaultProxy.Witness?
    ) {
        self.caller = caller
        self.target = target
        up = FaultedFlow(FaultStream(script, .up)) { witness?(number, .up, $0) }
        down = FaultedFlow(FaultStream(script, .down)) { witness?(number, .down, $0) }
        report = FaultReport(number: number)
        if target == nil { end(.unreachable) }
    }

    /// Nothing is left to be done.
    var isOver: Bool { caller == nil && target == nil }

    /// When a direction that is stalled continues.
    var resumes: MonotonicTime? { [up.resumes, down.resumes].compactMap(\.self).min() }

    var polls: [pollfd] {
        let isStalledUp = up.resumes != nil
        let isStalledDown = down.resumes != nil
        func poll(_ socket: RawSocket?, reads: Bool, writes: Bool) -> pollfd {
            pollfd(
                fd: socket?.descriptor ?? -1,
                events: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), revents: 0)
        }
        return [
            poll(
                caller, reads: isSilent ? !up.isEnded : !isConnecting && up.takesBytes,
                writes: down.hasBytes && !isStalledDown && !isSilent),
            poll(
                target, reads: isSilent ? !down.isEnded : down.takesBytes,
                writes: !isSilent && (isConnecting || up.hasBytes && !isStalledUp)),
        ]
    }

    func turn(caller callerEvents: Int16, target targetEvents: Int16) {
        guard let callerSocket = caller, let targetSocket = target else {
            // Silent, and one side has gone: the other one must find out by itself.
            if let caller { up.drain(caller) }
            if let target { down.drain(target) }
            return closeEnded()
        }
        if isConnecting {
            guard targetEvents != 0 else { return }
            guard !targetSocket.hasFailed else { return end(.unreachable) }
            isConnecting = false
        }
        if isSilent {
            up.drain(callerSocket)
            down.drain(targetSocket)
            return closeEnded()
        }
        let upwards = up.move(from: callerSocket, to: targetSocket)
        if up.isDone, !down.isDone { callerEndedFirst = true }
        let downwards = down.move(from: targetSocket, to: callerSocket)
        note()
        switch upwards ?? downwards {
        case .cut:
            // Bytes that are read and thrown away now cannot turn the end into a reset that overtakes the last bytes.
            for socket in [callerSocket, targetSocket] { shutdown(socket.descriptor, Int32(SHUT_WR)) }
            up.drain(callerSocket)
            down.drain(targetSocket)
            end(.cut)
        case .reset: end(.reset, resets: true)
        case .silence:
            report.end = .silence
            isSilent = true
        default:
            // Each side may close its half; when both have, it is over.
            if up.isSourceBroken || down.isSinkBroken {
                end(.caller, resets: true)
            } else if up.isSinkBroken || down.isSourceBroken {
                end(.target, resets: true)
            } else if up.isDone, down.isDone {
                end(callerEndedFirst ? .caller : .target)
            }
        }
    }

    private func note() {
        report.up = up.stream.position
        report.down = down.stream.position
        report.fired = up.stream.fired + down.stream.fired
    }

    private func closeEnded() {
        if up.isEnded { caller = nil }
        if down.isEnded { target = nil }
    }

    func end(_ end: FaultReport.End, resets: Bool = false) {
        note()
        if report.end != .silence { report.end = end }
        if resets {
            caller?.breakWhenClosed()
            target?.breakWhenClosed()
        }
        caller = nil
        target = nil
    }
}

/// The bytes of one direction between two sockets.
private struct FaultedFlow {
    private static let room = 65_536

    private(set) var stream: FaultStream
    /// Is shown what has gone out.
    private let witness: (ArraySlice<UInt8>) -> Void
    private var buffer: [UInt8] = []
    /// How much of the buffer has gone out.
    private var sent = 0
    private(set) var resumes: MonotonicTime?
    /// The source has sent its end.
    private(set) var isEnded = false
    private(set) var isSourceBroken = false
    private(set) var isSinkBroken = false
    /// The end was passed on.
    private(set) var isDone = false

    init(_ stream: FaultStream, witness: @escaping (ArraySlice<UInt8>) -> Void) {
        self.stream = stream
        self.witness = witness
    }

    private var waiting: Int { buffer.count - sent }
    var hasBytes: Bool { waiting > 0 }
    var takesBytes: Bool { !isEnded && waiting < Self.room && resumes == nil }

    /// Moves what can be moved now; returns the fault that ends the connection here.
    mutating func move(from source: RawSocket, to sink: RawSocket) -> Fault.Kind? {
        if takesBytes { fill(from: source) }
        while true {
            if let resumes {
                guard MonotonicTime.now() >= resumes else { return nil }
                self.resumes = nil
            }
            switch stream.next(available: waiting) {
            case nil:
                if isEnded, !hasBytes, !isDone {
                    isDone = true
                    shutdown(sink.descriptor, Int32(SHUT_WR))
                }
                return nil
            case .wait(let time): resumes = .now() + time
            case .end(let kind): return kind
            case .pass(let count, let mask):
                // Changed in place: when the sink does not take it now, it is asked again with the changed byte.
                buffer[sent] ^= mask
                let gone = buffer.withUnsafeBytes {
                    send(sink.descriptor, $0.baseAddress?.advanced(by: sent), count, Int32(MSG_NOSIGNAL))
                }
                guard gone > 0 else {
                    isSinkBroken = gone < 0 && errno != EAGAIN && errno != EINTR
                    return nil
                }
                witness(buffer[sent..<(sent + gone)])
                sent += gone
                stream.passed(gone)
            }
        }
    }

    /// Reads and forgets.
    mutating func drain(_ source: RawSocket) {
        fill(from: source)
        buffer = []
        sent = 0
    }

    private mutating func fill(from source: RawSocket) {
        if sent > 0 {
            buffer.removeFirst(sent)
            sent = 0
        }
        var part = [UInt8](repeating: 0, count: Self.room)
        let count = recv(source.descriptor, &part, part.count, 0)
        if count > 0 { buffer += part[..<count] }
        isSourceBroken = count < 0 && errno != EAGAIN && errno != EINTR
        if count == 0 || isSourceBroken { isEnded = true }
    }
}
