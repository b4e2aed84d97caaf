// The live form of `blipwire tap`: a proxy that shows what goes through it.

internal import BLIPNet
internal import Synchronization
internal import Workbench

/// Passes calls on unchanged and prints what they carry, on the proxy's thread: while the output is full, nothing
/// moves. So nothing is left out, and nothing piles up.
final class LiveTap: Sendable {
    private struct State {
        var taps: [Int: BLIPTap] = [:]
        /// The output could not be written; nothing is shown any more.
        var hasFailed = false
    }

    private let dialect: BLIPDialect?
    private let output: Output
    private let start = MonotonicTime.now()
    private let state = Mutex(State())

    init(_ dialect: BLIPDialect?, _ output: Output) {
        self.dialect = dialect
        self.output = output
    }

    /// Runs until a signal or the output ends it.
    func run(_ endpoint: Endpoint, _ target: Endpoint) async throws {
        let signal = EndSignal()
        let (ends, source) = AsyncStream<OutputError?>.makeStream()
        let proxy: FaultProxy
        do throws(FaultProxyError) {
            proxy = try FaultProxy(
                listen: endpoint, target: target,
                witness: { [self] number, direction, bytes in
                    if let failure = see(number, direction, bytes) { source.yield(failure) }
                },
                observer: { [self] report in
                    if let failure = end(report) { source.yield(failure) }
                })
        } catch {
            throw LocalError(error.call == "getaddrinfo" ? target.description : endpoint.description, error.sentence)
        }
        let address = proxy.localEndpoint.description
        try output.say(
            "listening on \(address)", record: ["event": .string("listening"), "address": .string(address)])
        Task {
            await signal.wait()
            source.yield(nil)
        }
        var failure: OutputError?
        for await end in ends {
            failure = end
            break
        }
        proxy.stop()
        // The last connections end with the proxy, and it reports them, too.
        await proxy.waitUntilStopped()
        if let failure { throw failure }
    }

    /// Bytes have gone through. Returns why nothing can be shown, once.
    private func see(_ number: Int, _ direction: Fault.Direction, _ bytes: ArraySlice<UInt8>) -> OutputError? {
        let time = elapsed
        return state.withLock { state in
            guard !state.hasFailed else { return nil }
            let way: BLIPTap.Direction = direction == .up ? .up : .down
            let events = state.taps[number, default: BLIPTap(dialect: dialect)].receive(bytes, way)
            return show(events.map { TapLine(time: time, connection: number, .seen($0)) }, &state.hasFailed)
        }
    }

    /// A connection has ended.
    private func end(_ report: FaultReport) -> OutputError? {
        let time = elapsed
        return state.withLock { state in
            state.taps[report.number] = nil
            guard !state.hasFailed else { return nil }
            let how =
                switch report.end {
                case .caller, .target: "closed by the \(report.end.rawValue)"
                case .unreachable: "the target cannot be reached"
                default: report.end.rawValue
                }
            let line = TapLine(
                time: time, connection: report.number, .ended("\(how); \(report.up) bytes ->, \(report.down) <-"))
            return show([line], &state.hasFailed)
        }
    }

    private func show(_ lines: [TapLine], _ hasFailed: inout Bool) -> OutputError? {
        do throws(OutputError) {
            for line in lines { try output.show(line) }
            return nil
        } catch {
            hasFailed = true
            return error
        }
    }

    /// Nanoseconds since the start.
    private var elapsed: Int64 { (MonotonicTime.now() - start).inNanoseconds }
}
