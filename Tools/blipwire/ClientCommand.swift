// `blipwire client`: tries every profile of a server and lets the server try ours.

internal import BLIPNet
internal import Workbench

struct ClientCommand {
    private let url: PeerURL
    private let link: LinkArguments
    private let bigByteCount: Int
    private let concurrency: Int

    init(_ arguments: inout Arguments) throws(UsageError) {
        bigByteCount = try arguments.takeNumber("--big", minimum: 0) ?? 10_000_000
        concurrency = try arguments.takeNumber("--concurrency") ?? 100
        link = try LinkArguments(&arguments)
        url = try PeerURL(try arguments.takeWord("the URL"))
        try arguments.finish()
    }

    func run() async throws -> Int32 {
        let peer = try await link.connect(to: url)
        if let fingerprint = peer.info.remoteFingerprint { Blipwire.say("fingerprint \(fingerprint.bytes.hex)") }
        var failures = 0
        for (name, check) in checks {
            do {
                if let complaint = try await check(peer) {
                    failures += 1
                    Blipwire.say("FAIL \(name): \(complaint)")
                } else {
                    Blipwire.say("ok   \(name)")
                }
            } catch {
                failures += 1
                Blipwire.say("FAIL \(name): \((error as? LinkError)?.sentence ?? "\(error)")")
            }
        }
        peer.close()
        _ = await peer.waitUntilClosed()
        Blipwire.say(failures == 0 ? "all \(checks.count) well" : "\(failures) of \(checks.count) failed")
        return failures == 0 ? 0 : 1
    }

    /// What is wrong, or `nil`.
    private typealias Check = (PeerLink) async throws -> String?

    private var checks: [(String, Check)] {
        [
            ("echo", echo), ("echo, compressed", compressedEcho), ("\(concurrency) echoes at once", manyEchoes),
            ("sink of \(bigByteCount) bytes", sink), ("source of \(bigByteCount) bytes", source),
            ("discard", discard), ("error response", error), ("unknown profile", unknownProfile),
            ("no-reply", noReply), ("reverse", reverse), ("sleep does not hold up an urgent echo", sleep),
            ("rusage", rusage),
        ]
    }

    private func echo(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(
            BLIPRequest(profile: "echo", properties: ["Color": "blue", "Größe": "5 €"], body: .text("hello")))
        let isSame =
            response.bodyBytes == Array("hello".utf8) && response.properties["Color"] == "blue"
            && response.properties["Größe"] == "5 €"
        return isSame ? nil : "came back changed"
    }

    private func compressedEcho(_ link: PeerLink) async throws -> String? {
        let text = String(repeating: "all work and no play makes a dull protocol. ", count: 5_000)
        let response = try await link.request(
            BLIPRequest(
                profile: "echo", properties: ["Compress-Reply": "1"], body: .text(text), compressed: true))
        return response.bodyBytes == Array(text.utf8) ? nil : "came back changed"
    }

    private func manyEchoes(_ link: PeerLink) async throws -> String? {
        let bodies = (0..<concurrency).map { index in
            [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: (index &* 7_919) % 100_000)
        }
        let pending = bodies.map { link.submit(BLIPRequest(profile: "echo", body: .bytes($0))) }
        var bad = 0
        for (body, response) in zip(bodies, pending) where try await response.value().bodyBytes != body { bad += 1 }
        return bad == 0 ? nil : "\(bad) came back changed"
    }

    private func sink(_ link: PeerLink) async throws -> String? {
        let source = GeneratedSource(kind: .rand, byteCount: UInt64(bigByteCount), seed: 7)
        let response = try await link.request(BLIPRequest(profile: "sink", body: .source(source)))
        let expected = digest(of: GeneratedSource(kind: .rand, byteCount: UInt64(bigByteCount), seed: 7))
        let text = String(decoding: response.bodyBytes, as: UTF8.self)
        return text == "{\"length\":\(bigByteCount),\"sha256\":\"\(expected)\"}" ? nil : text
    }

    private func source(_ link: PeerLink) async throws -> String? {
        let sink = DigestingSink()
        let response = try await link.request(
            BLIPRequest(profile: "source", properties: ["Size": "\(bigByteCount)", "Seed": "9", "Kind": "rand"]),
            bodySink: sink)
        if let error = response.error { return "error \(error.code)" }
        let expected = digest(of: GeneratedSource(kind: .rand, byteCount: UInt64(bigByteCount), seed: 9))
        let (count, found) = sink.finish()
        return count == UInt64(bigByteCount) && found == expected ? nil : "\(count) bytes, SHA-256 \(found)"
    }

    private func digest(of source: GeneratedSource) -> String {
        let sink = DigestingSink()
        var block = [UInt8](repeating: 0, count: 65_536)
        block.withUnsafeMutableBytes { block in
            while true {
                let count = source.read(into: block)
                guard count > 0 else { return }
                sink.write(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
        return sink.finish().sha256
    }

    private func discard(_ link: PeerLink) async throws -> String? {
        let source = GeneratedSource(kind: .zero, byteCount: 1_000_000)
        let response = try await link.request(BLIPRequest(profile: "discard", body: .source(source)))
        return response.bodyBytes == Array("1000000".utf8) ? nil : String(decoding: response.bodyBytes, as: UTF8.self)
    }

    private func error(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(
            BLIPRequest(profile: "error", properties: ["Domain": "Test", "Code": "-17"], body: .text("why")))
        let isRight =
            response.error == BLIPErrorCode(domain: "Test", code: -17)
            && response.bodyBytes == Array("why".utf8)
        return isRight ? nil : "got \(response.error.map { "\($0.domain) \($0.code)" } ?? "no error")"
    }

    private func unknownProfile(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(BLIPRequest(profile: "there is no such profile"))
        return response.error == .notFound ? nil : "no error 404"
    }

    private func noReply(_ link: PeerLink) async throws -> String? {
        for _ in 0..<10 { link.submitNoReply(BLIPRequest(profile: "echo")) }
        let response = try await link.request(BLIPRequest(profile: "noreply-count"))
        return response.bodyBytes == Array("10".utf8) ? nil : String(decoding: response.bodyBytes, as: UTF8.self)
    }

    private func reverse(_ link: PeerLink) async throws -> String? {
        let response = try await link.request(
            BLIPRequest(profile: "reverse", properties: ["Count": "50", "Size": "50000", "Compressed": "1"]))
        let text = String(decoding: response.bodyBytes, as: UTF8.self)
        return text == "{\"ok\":50,\"bad\":0}" ? nil : text
    }

    private func sleep(_ link: PeerLink) async throws -> String? {
        let sleeping = link.submit(BLIPRequest(profile: "sleep", properties: ["Millis": "300"]))
        let start = ContinuousClock.now
        _ = try await link.request(BLIPRequest(profile: "echo", urgent: true))
        let echoed = ContinuousClock.now - start
        let response = try await sleeping.value()
        let slept = ContinuousClock.now - start
        if response.error != nil { return "error" }
        return echoed < slept ? nil : "the echo took \(echoed)"
    }

    private func rusage(_ link: PeerLink) async throws -> String? {
        let text = String(
            decoding: try await link.request(BLIPRequest(profile: "rusage")).bodyBytes, as: UTF8.self)
        return text.contains("\"maxrss_mb\":") ? nil : text
    }
}
