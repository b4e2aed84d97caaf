// Measures an open link whose other side answers the workbench's profiles.

package import BLIPNet
internal import Synchronization

/// A failure while measuring.
package enum MeasurementError: Error, Sendable, Equatable {
    case link(LinkError)
    /// The other side answered with an error or with something else than expected.
    case unexpectedAnswer(String)
}

/// The measurements (PROTOCOL 5, `blipwire bench`).
package struct LinkMeasurement: Sendable {
    private let link: PeerLink
    private let clock = ContinuousClock()

    package init(_ link: PeerLink) { self.link = link }

    /// Echoes one after the other, sent from where the link runs.
    package func sequentialEchoes(for duration: Duration, byteCount: Int = 32) async throws(MeasurementError) -> Rate {
        let outcome = await withTaskExecutorPreference(link.taskExecutor) {
            await result { () async throws(MeasurementError) in
                try await echoesInTurn(for: duration, byteCount: byteCount)
            }
        }
        return try outcome.get()
    }

    private func echoesInTurn(for duration: Duration, byteCount: Int) async throws(MeasurementError) -> Rate {
        let request = echo(byteCount)
        let start = clock.now
        var count = 0
        while clock.now - start < duration {
            _ = try await answer(link.submit(request))
            count += 1
        }
        return Rate(count: count, elapsed: clock.now - start)
    }

    /// Echoes with `depth` of them under way at any time, sent from where the link runs.
    package func pipelinedEchoes(
        depth: Int, for duration: Duration, byteCount: Int = 32, urgent: Bool = false
    ) async throws(MeasurementError) -> Rate {
        let outcome = await withTaskExecutorPreference(link.taskExecutor) {
            await result { () async throws(MeasurementError) in
                try await echoesAtOnce(depth: depth, for: duration, byteCount: byteCount, urgent: urgent)
            }
        }
        return try outcome.get()
    }

    private func echoesAtOnce(
        depth: Int, for duration: Duration, byteCount: Int, urgent: Bool
    ) async throws(MeasurementError) -> Rate {
        let request = echo(byteCount, urgent: urgent)
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
    package func push(
        _ byteCount: Int, kind: GeneratedSource.Kind = .zero, compressed: Bool = false
    ) async throws(MeasurementError) -> Rate {
        let source = GeneratedSource(kind: kind, byteCount: UInt64(byteCount))
        let start = clock.now
        let response = try await answer(
            link.submit(BLIPRequest(profile: "discard", body: .source(source), compressed: compressed)))
        let elapsed = clock.now - start
        guard response.bodyBytes == Array("\(byteCount)".utf8) else {
            throw .unexpectedAnswer("the other side did not get \(byteCount) bytes")
        }
        return Rate(count: byteCount, elapsed: elapsed)
    }

    /// One response with a streamed body of `byteCount`; the rate counts bytes.
    package func pull(_ byteCount: Int) async throws(MeasurementError) -> Rate {
        let sink = DiscardingSink()
        let start = clock.now
        _ = try await answer(
            link.submit(
                BLIPRequest(profile: "source", properties: ["Size": "\(byteCount)", "Kind": "zero"]), bodySink: sink))
        let elapsed = clock.now - start
        guard sink.byteCount == UInt64(byteCount) else {
            throw .unexpectedAnswer("\(sink.byteCount) bytes arrived instead of \(byteCount)")
        }
        return Rate(count: byteCount, elapsed: elapsed)
    }

    /// Echoes one after the other while `bulkBodies` endless bodies are being sent.
    package func echoesBesideBulk(
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

    /// What one endless normal body moves in `duration`; the rate counts bytes as they are read for sending, which the
    /// send window ties to what the other side has taken.
    package func bulkRate(for duration: Duration) async throws(MeasurementError) -> Rate {
        let source = GeneratedSource(kind: .zero, byteCount: .max)
        let bulk = link.submit(BLIPRequest(profile: "discard", body: .source(source)))
        defer { source.stop() }
        try await pause(.milliseconds(200))
        let (before, start) = (source.readCount, clock.now)
        try await pause(duration)
        let rate = Rate(count: Int(source.readCount - before), elapsed: clock.now - start)
        source.stop()
        _ = try await answer(bulk)
        return rate
    }

    /// Measures `body` while `depth` urgent echoes are under way all the time.
    package func besideUrgentFlood<Value>(
        depth: Int, _ body: () async throws(MeasurementError) -> Value
    ) async throws(MeasurementError) -> Value {
        let isOver = Flag()
        let flood = Task { [self] in
            await result { () async throws(MeasurementError) in
                while !isOver.isRaised {
                    _ = try await pipelinedEchoes(depth: depth, for: .milliseconds(100), urgent: true)
                }
            }
        }
        let value: Result<Value, MeasurementError>
        do throws(MeasurementError) { value = .success(try await body()) } catch { value = .failure(error) }
        isOver.raise()
        try await flood.value.get()
        return try value.get()
    }

    private func result<Value>(
        _ body: () async throws(MeasurementError) -> Value
    ) async -> Result<Value, MeasurementError> {
        do throws(MeasurementError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private func pause(_ duration: Duration) async throws(MeasurementError) {
        do { try await Task.sleep(for: duration) } catch { throw .link(.closedLocally) }
    }

    /// The most memory that the other side's process has used.
    package func remoteMaxResidentMiB() async throws(MeasurementError) -> Int {
        let body = try await answer(link.submit(BLIPRequest(profile: "rusage"))).bodyBytes
        guard let size = JSONRecord(parsing: body)?.number("maxrss_mb"), size >= 0, size < 1e9 else {
            throw .unexpectedAnswer("rusage: \(String(decoding: body.prefix(200), as: UTF8.self))")
        }
        return Int(size)
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

/// Raised once by one task, looked at by another.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isRaised: Bool { value.load(ordering: .relaxed) }
    func raise() { value.store(true, ordering: .relaxed) }
}
