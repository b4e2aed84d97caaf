// The profiles of the workbench (PROTOCOL 5), which both sides offer. `WorkbenchProfile` says what each takes.

package import BLIPNet
internal import Synchronization

/// Answers the workbench's profiles. One per connection: it counts that connection's no-reply requests.
package final class WorkbenchHandler: BLIPRequestHandler {
    private let noReplyCount = Atomic<Int>(0)

    package init() {}

    /// What `reverse` holds in memory at most: bodies of requests whose replies it waits for.
    private static let reverseBytesUnderWay = 256 << 20
    private static let reverseRequestsUnderWay = 1_000

    package func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? {
        switch head.properties.profile.flatMap({ WorkbenchProfile(rawValue: $0) }) {
        case .sink: DigestingSink()
        case .discard: DiscardingSink()
        default: nil
        }
    }

    package func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        if request.isNoReply {
            noReplyCount.wrappingAdd(1, ordering: .relaxed)
            return nil
        }
        switch request.properties.profile.flatMap({ WorkbenchProfile(rawValue: $0) }) {
        case .echo: return echo(request)
        case .sink:
            let (count, digest) = (request.sink as? DigestingSink ?? DigestingSink()).finish()
            return .json(["length": .integer(Int64(clamping: count)), "sha256": .string(digest)])
        case .discard: return BLIPResponse(body: .text("\((request.sink as? DiscardingSink)?.byteCount ?? 0)"))
        case .source: return source(request)
        case .error: return error(request)
        case .reverse: return reverse(request, link)
        case .noReplyCount: return BLIPResponse(body: .text("\(noReplyCount.load(ordering: .relaxed))"))
        case .sleep: return sleep(request, link)
        case .rusage: return .json(ResourceUsage.current().record)
        case nil:
            let names = WorkbenchProfile.allCases.map(\.rawValue).joined(separator: " ")
            return .failure(.notFound, "profiles: \(names)")
        }
    }

    private func echo(_ request: BLIPIncomingRequest) -> BLIPResponse {
        var properties = request.properties
        properties.profile = nil
        return BLIPResponse(
            properties: properties, body: .bytes(request.body), compressed: Self.isSet(request, "Compress-Reply"))
    }

    private func source(_ request: BLIPIncomingRequest) -> BLIPResponse {
        guard let size = UInt64(request.properties["Size"] ?? ""),
            let seed = UInt64(request.properties["Seed"] ?? "0"),
            let kind = GeneratedSource.Kind(rawValue: request.properties["Kind"] ?? "rand")
        else { return .failure(.badRequest, "Size and Seed are decimal, Kind is rand, text or zero") }
        return BLIPResponse(
            body: .source(GeneratedSource(kind: kind, byteCount: size, seed: seed)),
            compressed: Self.isSet(request, "Compress-Reply"))
    }

    private func error(_ request: BLIPIncomingRequest) -> BLIPResponse {
        guard let code = Int32(request.properties["Code"] ?? "\(BLIPErrorCode.unspecified.code)") else {
            return .failure(.badRequest, "Code is a decimal number of 32 bits")
        }
        var response = BLIPResponse(body: .bytes(request.body))
        response.error = BLIPErrorCode(domain: request.properties["Domain"] ?? "BLIP", code: code)
        return response
    }

    private func reverse(_ request: BLIPIncomingRequest, _ link: PeerLink) -> BLIPResponse? {
        guard let count = Self.number(request, "Count", default: 1, in: 0...1_000_000),
            let size = Self.number(request, "Size", default: 0, in: 0...(16 << 20))
        else { return .failure(.badRequest, "Count is at most 1000000, Size at most 16777216, both decimal") }
        let echo = BLIPRequest(
            profile: WorkbenchProfile.echo.rawValue, urgent: Self.isSet(request, "Urgent"),
            compressed: Self.isSet(request, "Compressed"))
        Task {
            let good = await Self.countGoodEchoes(of: echo, count: count, size: size, on: link)
            link.respond(
                to: request.number, with: .json(["ok": .integer(Int64(good)), "bad": .integer(Int64(count - good))]))
        }
        return nil
    }

    /// Sends `count` echo requests, as many at once as memory allows, and counts the replies that are the same.
    private static func countGoodEchoes(
        of echo: BLIPRequest, count: Int, size: Int, on link: PeerLink
    ) async -> Int {
        let depth = min(max(reverseBytesUnderWay / max(size, 1), 1), reverseRequestsUnderWay)
        var underWay: [(body: [UInt8], response: PendingResponse)] = []
        var good = 0
        for index in 0..<(count + depth) {
            let slot = index % depth
            if index >= depth, slot < underWay.count {
                let (body, response) = underWay[slot]
                if await isEcho(response, of: body) { good += 1 }
            }
            guard index < count else { continue }
            var request = echo
            let body = body(number: index, size: size)
            request.body = .bytes(body)
            let entry = (body: body, response: link.submit(request))
            if slot < underWay.count { underWay[slot] = entry } else { underWay.append(entry) }
        }
        return good
    }

    /// A request without an answer is a bad one: the reply of `reverse` has room for numbers only.
    private static func isEcho(_ pending: PendingResponse, of body: [UInt8]) async -> Bool {
        do throws(LinkError) {
            let response = try await pending.value()
            return response.error == nil && response.bodyBytes == body
        } catch {
            return false
        }
    }

    /// Bodies that differ, so that a reply to another request is found out.
    private static func body(number: Int, size: Int) -> [UInt8] {
        var body = [UInt8](repeating: 0x62, count: size)
        withUnsafeBytes(of: UInt64(number).littleEndian) { number in
            for index in 0..<min(size, number.count) { body[index] = number[index] }
        }
        return body
    }

    private func sleep(_ request: BLIPIncomingRequest, _ link: PeerLink) -> BLIPResponse? {
        guard let milliseconds = Self.number(request, "Millis", default: 0, in: 0...3_600_000) else {
            return .failure(.badRequest, "Millis is decimal, at most 3600000")
        }
        Task {
            do {
                try await Task.sleep(for: .milliseconds(milliseconds))
                link.respond(to: request.number, with: BLIPResponse())
            } catch {
                link.respond(to: request.number, with: .failure(.handlerFailed, "the sleep was cut short"))
            }
        }
        return nil
    }

    /// Whether a property that is a choice says yes; `1` is what PROTOCOL 5 writes.
    private static func isSet(_ request: BLIPIncomingRequest, _ name: String) -> Bool {
        guard let value = request.properties[name] else { return false }
        return !["", "0", "false", "no"].contains(value.lowercased())
    }

    private static func number(
        _ request: BLIPIncomingRequest, _ name: String, default: Int, in range: ClosedRange<Int>
    ) -> Int? {
        guard let text = request.properties[name] else { return `default` }
        guard let number = Int(text), range.contains(number) else { return nil }
        return number
    }
}

extension BLIPResponse {
    static func json(_ record: JSONRecord) -> BLIPResponse {
        BLIPResponse(properties: ["Content-Type": "application/json"], body: .text(record.text))
    }
}
