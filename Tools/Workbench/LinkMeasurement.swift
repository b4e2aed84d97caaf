// Measures an open link whose other side answers the workbench's profiles.

public import BLIPNet

/// How often something happened in how long.
public struct Rate: Sendable {
    public var count: Int
    public var elapsed: Duration

    public init(count: Int, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
    }

    public var perSecond: Double { Double(count) / max(elapsed.seconds, 1e-9) }
}

/// How long each of many single events took.
public struct Latencies: Sendable {
    private let sorted: [Duration]

    public init(_ samples: [Duration]) { sorted = samples.sorted() }

    public var median: Duration { quantile(0.5) }
    public var p99: Duration { quantile(0.99) }
    public var count: Int { sorted.count }

    /// The smallest sample that is not below `share` (0...1) of all.
    public func quantile(_ share: Double) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}

/// What went wrong while measuring.
public enum MeasurementError: Error, Sendable, Equatable {
    case link(LinkError)
    /// The other side answered with an error or with something else than expected.
    case unexpectedAnswer(String)
}

/// The measurements (PROTOCOL 5, `blipwire bench`).
public struct LinkMeasurement: Sendable {
    private let link: PeerLink
    private let clock = ContinuousClock()

    public init(_ link: PeerLink) { self.link = link }

    /// Echoes one after the other.
    public func sequentialEchoes(for duration: Duration, byteCount: Int = 32) async throws(MeasurementError) -> Rate {
        let request = echo(byteCount)
        let start = clock.now
        var count = 0
        while clock.now - start < duration {
            _ = try await answer(link.submit(request))
            count += 1
        }
        return Rate(count: count, elapsed: clock.now - start)
    }

    /// Echoes with `depth` of them under way at any time.
    public func pipelinedEchoes(
        depth: Int, for duration: Duration, byteCount: Int = 32
    ) async throws(MeasurementError) -> Rate {
        let request = echo(byteCount)
        let start = clock.now
        var underWay = (0..<depth).map { _ in link.submit(request) }
        var next = 0
        var count = 0
        while clock.now - start < duration {
            _ = try await answer(underWay[next])
            underWay[next] = link.submit(request)
            next = next + 1 == depth ? 0 : next + 1
            count += 1
        }
        for response in underWay { _ = try await answer(response) }
        return Rate(count: count + depth, elapsed: clock.now - start)
    }

    /// One request with a streamed body of `byteCount`; the rate counts bytes.
    public func push(
        _ byteCount: Int, kind: GeneratedSource.Kind = .zero, compressed: Bool = false
    ) async throws(MeasurementError) -> Rate {
        let source = GeneratedSource(kind: kind, byteCount: UInt64(byteCount))
        let start = clock.now
        let response = try await answer(
            link.submit(BLIPRequest(profile: "discard", body: .source(source), compressed: compressed)))
        let elapsed = clock.now - start
        guard response.bodyBytes == Array("\(byteCount)".utf8) else {
            throw .unexpectedAnswer("the other side has not got \(byteCount) bytes")
        }
        return Rate(count: byteCount, elapsed: elapsed)
    }

    /// One response with a streamed body of `byteCount`; the rate counts bytes.
    public func pull(_ byteCount: Int) async throws(MeasurementError) -> Rate {
        let sink = DiscardingSink()
        let start = clock.now
        _ = try await answer(
            link.submit(
                BLIPRequest(profile: "source", properties: ["Size": "\(byteCount)", "Kind": "zero"]), bodySink: sink))
        let elapsed = clock.now - start
        guard sink.byteCount == UInt64(byteCount) else {
            throw .unexpectedAnswer("\(sink.byteCount) bytes came instead of \(byteCount)")
        }
        return Rate(count: byteCount, elapsed: elapsed)
    }

    /// Echoes one after the other while `bulkBodies` endless bodies are being sent.
    public func echoesBesideBulk(
        bulkBodies: Int, urgent: Bool, samples: Int
    ) async throws(MeasurementError) -> Latencies {
        let sources = (0..<bulkBodies).map { _ in GeneratedSource(kind: .zero, byteCount: .max) }
        let bulk = sources.map { link.submit(BLIPRequest(profile: "discard", body: .source($0))) }
        defer { for source in sources { source.stop() } }
        let request = echo(32, urgent: urgent)
        var latencies: [Duration] = []
        latencies.reserveCapacity(samples)
        for index in 0..<(samples + samples / 10) {
            let start = clock.now
            _ = try await answer(link.submit(request))
            // The first tenth is for the bulk bodies to get up to speed.
            if index >= samples / 10 { latencies.append(clock.now - start) }
        }
        for source in sources { source.stop() }
        for response in bulk { _ = try await answer(response) }
        return Latencies(latencies)
    }

    /// What the other side's process has used.
    public func remoteMaxResidentMiB() async throws(MeasurementError) -> Int {
        let text = String(
            decoding: try await answer(link.submit(BLIPRequest(profile: "rusage"))).bodyBytes, as: UTF8.self)
        let digits = text.split(separator: ":").last.map { $0.prefix { $0.isNumber } } ?? ""
        guard let number = Int(digits) else { throw .unexpectedAnswer(text) }
        return number
    }

    private func echo(_ byteCount: Int, urgent: Bool = false) -> BLIPRequest {
        BLIPRequest(profile: "echo", body: .bytes([UInt8](repeating: 0x61, count: byteCount)), urgent: urgent)
    }

    private func answer(_ pending: PendingResponse) async throws(MeasurementError) -> BLIPResponse {
        let response: BLIPResponse
        do throws(LinkError) { response = try await pending.value() } catch { throw .link(error) }
        if let error = response.error {
            throw .unexpectedAnswer(
                "error \(error.domain) \(error.code): \(String(decoding: response.bodyBytes, as: UTF8.self))")
        }
        return response
    }
}

extension Duration {
    /// In seconds, for rates.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
