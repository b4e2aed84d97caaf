// What `blipwire client` tries: every profile (PROTOCOL 5), from the side that asks.

internal import BLIPNet
internal import Workbench

/// The checks, in order. They hold for any server that follows PROTOCOL 5, not only for ours.
struct ClientChecks: Sendable {
    struct Check: Sendable {
        /// For scripts.
        let name: String
        /// For people.
        let title: String
        /// Returns what is wrong, or `nil`.
        let run: @Sendable (PeerLink) async throws -> String?
    }

    /// Of the big transfers.
    let bigByteCount: Int
    /// Of the echoes under way at once.
    let concurrency: Int

    var all: [Check] {
        [
            Check(name: "echo", title: "echo", run: echo),
            Check(name: "echo-compressed", title: "echo, compressed both ways", run: compressedEcho),
            Check(name: "echo-empty", title: "echo without properties and body", run: emptyEcho),
            Check(name: "no-reply", title: "no-reply requests are counted", run: noReply),
            Check(name: "discard", title: "discard", run: discard),
            Check(name: "source-kinds", title: "source of every kind", run: sourceKinds),
            Check(name: "error", title: "error response", run: error),
            Check(name: "unknown-profile", title: "unknown profile", run: unknownProfile),
            Check(
                name: "big", title: "\(bigByteCount) bytes each way beside \(concurrency) echoes at once",
                run: bigBesideEchoes),
            Check(name: "reverse", title: "reverse", run: { try await reverse($0, urgent: false) }),
            Check(name: "reverse-urgent", title: "reverse, urgent", run: { try await reverse($0, urgent: true) }),
            Check(name: "sleep", title: "sleep does not hold up an urgent echo", run: sleep),
            Check(name: "rusage", title: "rusage", run: rusage),
        ]
    }

    private static func request(
        _ profile: WorkbenchProfile, _ properties: BLIPProperties = [:], _ body: BLIPBody = .empty,
        urgent: Bool = false, compressed: Bool = false
    ) -> BLIPRequest {
        BLIPRequest(
            profile: profile.rawValue, properties: properties, body: body, urgent: urgent, compressed: compressed)
    }

    // MARK: Echoes

    private func echo(_ link: PeerLink) async throws -> String? {
        let properties: BLIPProperties = ["Color": "blue", "Größe": "5 €", "Content-Type": "text/plain; charset=UTF-8"]
        let response = try await link.request(Self.request(.echo, properties, .text("hello")))
        return Self.difference(response, properties, Array("hello".utf8))
    }

    private func emptyEcho(_ link: PeerLink) async throws -> String? {
        Self.difference(try await link.request(Self.request(.echo)), [:], [])
    }

    private func compressedEcho(_ link: PeerLink) async throws -> String? {
        let text = Array(String(repeating: "all work and no play makes a dull protocol. ", count: 5_000).utf8)
        let properties: BLIPProperties = ["Compress-Reply": "1"]
        let response = try await link.request(Self.request(.echo, properties, .bytes(text), compressed: true))
        return Self.difference(response, properties, text)
    }

    /// The part of a request that its echo lost or changed.
    private static func difference(
        _ response: BLIPResponse, _ properties: BLIPProperties, _ body: [UInt8]
    ) -> String? {
        if let complaint = complaint(response) { return complaint }
        guard response.bodyBytes == body else {
            return "the body came back changed: \(response.bodyBytes.count) bytes of \(body.count)"
        }
        for pair in properties.pairs where response.properties[pair.name] != pair.value {
            return "the property \(pair.name) came back as \(response.properties[pair.name] ?? "nothing")"
        }
        return response.properties.profile == nil ? nil : "Profile came back too"
    }

    /// Streams of `bigByteCount` bytes in both directions, and all the echoes, at the same time.
    private func bigBesideEchoes(_ link: PeerLink) async throws -> String? {
        let size = UInt64(bigByteCount)
        let push = link.submit(
            Self.request(.sink, [:], .source(GeneratedSource(kind: .rand, byteCount: size, seed: 7))))
        let pulled = DigestingSink()
        let pull = link.submit(
            Self.request(.source, ["Size": "\(size)", "Seed": "9", "Kind": "rand"]), bodySink: pulled)
        let echoes = (0..<concurrency).map { index in
            let request = Self.request(
                .echo, ["Number": "\(index)"], .bytes(Self.body(of: index)), urgent: index % 3 == 0,
                compressed: index % 5 == 0)
            return link.submit(request)
        }
        var complaint: String?
        for (index, pending) in echoes.enumerated() {
            let found = Self.difference(try await pending.value(), ["Number": "\(index)"], Self.body(of: index))
            if let found, complaint == nil { complaint = "echo \(index): \(found)" }
        }
        let pushed = try await push.value()
        if complaint == nil { complaint = Self.complaint(pushed) }
        let record = JSONRecord(parsing: pushed.bodyBytes)
        let digest = Self.digest(seed: 7, size)
        if complaint == nil, record?.number("length") != Double(size) || record?["sha256"] != .string(digest) {
            complaint = "sink: \(Self.text(pushed)) instead of length \(size), sha256 \(digest)"
        }
        let answer = try await pull.value()
        if complaint == nil { complaint = Self.complaint(answer) }
        let (count, found) = pulled.finish()
        if complaint == nil, count != size || found != Self.digest(seed: 9, size) {
            complaint = "source: \(count) bytes with SHA-256 \(found)"
        }
        return complaint
    }

    /// Bodies of different sizes up to some frames, and different bytes.
    private static func body(of index: Int) -> [UInt8] {
        let source = GeneratedSource(
            kind: index % 5 == 0 ? .text : .rand, byteCount: UInt64((index &* 7_919) % 100_000), seed: UInt64(index))
        return source.allBytes()
    }

    private static func digest(seed: UInt64, _ byteCount: UInt64) -> String {
        let sink = DigestingSink()
        GeneratedSource(kind: .rand, byteCount: byteCount, seed: seed).forEachBlock { sink.write($0) }
        return sink.finish().sha256
    }

    // MARK: The other profiles

    private func noReply(_ link: PeerLink) async throws -> String? {
        let before = try await link.request(Self.request(.noReplyCount))
        for _ in 0..<10 { link.submitNoReply(Self.request(.echo, [:], .text("nobody answers"))) }
        let after = try await link.request(Self.request(.noReplyCount))
        let (first, second) = (Self.text(before), Self.text(after))
        return first == "0" && second == "10" ? nil : "\(first) before ten of them, \(second) afterwards"
    }

    private func discard(_ link: PeerLink) async throws -> String? {
        let source = GeneratedSource(kind: .zero, byteCount: 1_000_000)
        let response = try await link.request(Self.request(.discard, [:], .source(source)))
        return Self.complaint(response) ?? (Self.text(response) == "1000000" ? nil : Self.text(response))
    }

    private func sourceKinds(_ link: PeerLink) async throws -> String? {
        for kind in ["rand", "text", "zero"] {
            let properties: BLIPProperties = ["Size": "100000", "Seed": "18446744073709551615", "Kind": kind]
            let response = try await link.request(Self.request(.source, properties))
            if let complaint = Self.complaint(response) { return "\(kind): \(complaint)" }
            let body = response.bodyBytes
            guard body.count == 100_000 else { return "\(kind): \(body.count) bytes instead of 100000" }
            // The contents for `text` are not laid down.
            let expected: [UInt8]? =
                switch kind {
                case "rand": GeneratedSource(kind: .rand, byteCount: 100_000, seed: .max).allBytes()
                case "zero": [UInt8](repeating: 0, count: 100_000)
                default: nil
                }
            if let expected, body != expected { return "\(kind): other bytes" }
        }
        return nil
    }

    private func error(_ link: PeerLink) async throws -> String? {
        for (domain, code) in [("Test", Int32(-17)), ("BLIP", 403), ("Größe", .max)] {
            let response = try await link.request(
                Self.request(.error, ["Domain": domain, "Code": "\(code)"], .text("why")))
            guard response.error == BLIPErrorCode(domain: domain, code: code), Self.text(response) == "why" else {
                let found = response.error.map { "\($0.domain) \($0.code)" } ?? "no error"
                return "got \(found), \(Self.text(response)) instead of \(domain) \(code), why"
            }
        }
        return nil
    }

    private func unknownProfile(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(BLIPRequest(profile: "there is no such profile"))
        guard let error = response.error else { return "answered without an error" }
        return error == .notFound ? nil : "error \(error.domain) \(error.code) instead of BLIP 404"
    }

    private func reverse(_ link: PeerLink, urgent: Bool) async throws -> String? {
        var properties: BLIPProperties = ["Count": "50", "Size": "50000"]
        properties[urgent ? "Urgent" : "Compressed"] = "1"
        let response = try await link.request(Self.request(.reverse, properties))
        let record = JSONRecord(parsing: response.bodyBytes)
        let isGood = record?.number("ok") == 50 && record?.number("bad") == 0
        return Self.complaint(response) ?? (isGood ? nil : Self.text(response))
    }

    private func sleep(_ link: PeerLink) async throws -> String? {
        let sleeping = link.submit(Self.request(.sleep, ["Millis": "300"]))
        let start = ContinuousClock.now
        let echo = try await link.request(Self.request(.echo, urgent: true))
        let echoed = ContinuousClock.now - start
        let response = try await sleeping.value()
        let slept = ContinuousClock.now - start
        if let complaint = Self.complaint(echo) ?? Self.complaint(response) { return complaint }
        guard slept >= .milliseconds(300) else { return "woke up after \(slept)" }
        return echoed < slept ? nil : "the echo took \(echoed)"
    }

    private func rusage(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(Self.request(.rusage))
        if let complaint = Self.complaint(response) { return complaint }
        let record = JSONRecord(parsing: response.bodyBytes)
        let isWhole = ["user", "sys", "maxrss_mb"].allSatisfy { (record?.number($0) ?? -1) >= 0 }
        return isWhole ? nil : Self.text(response)
    }

    // MARK: Answers

    /// The text of an error response; `nil` for any other response.
    private static func complaint(_ response: BLIPResponse) -> String? {
        response.error.map { "error \($0.domain) \($0.code): \(text(response))" }
    }

    private static func text(_ response: BLIPResponse) -> String {
        String(decoding: response.bodyBytes.prefix(200), as: UTF8.self)
    }
}
