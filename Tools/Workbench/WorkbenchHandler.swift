// The profiles of the workbench (PROTOCOL 5), which both sides offer.

public import BLIPNet
internal import Synchronization

/// Answers the workbench's profiles. One per connection: it counts that connection's no-reply requests.
public final class WorkbenchHandler: BLIPRequestHandler {
    private let noReplyCount = Atomic<Int>(0)

    public init() {}

    /// The largest number of requests that `reverse` sends, and of milliseconds that `sleep` sleeps.
    private static let maxCount = 1_000_000

    public func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? {
        switch head.properties.profile {
        case "sink": DigestingSink()
        case "discard": DiscardingSink()
        default: nil
        }
    }

    public func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        if request.isNoReply {
            noReplyCount.wrappingAdd(1, ordering: .relaxed)
            return nil
        }
        switch request.properties.profile {
        case "echo": return echo(request)
        case "sink":
            let (count, digest) = (request.sink as? DigestingSink)?.finish() ?? (0, "")
            return .json("{\"length\":\(count),\"sha256\":\"\(digest)\"}")
        case "discard": return BLIPResponse(body: .text("\((request.sink as? DiscardingSink)?.byteCount ?? 0)"))
        case "source": return source(request)
        case "error": return error(request)
        case "reverse": return reverse(request, link)
        case "noreply-count": return BLIPResponse(body: .text("\(noReplyCount.load(ordering: .relaxed))"))
        case "sleep": return sleep(request, link)
        case "rusage": return .json(ResourceUsage.current().json)
        default:
            return .failure(.notFound, "profiles: echo sink discard source error reverse noreply-count sleep rusage")
        }
    }

    private func echo(_ request: BLIPIncomingRequest) -> BLIPResponse {
        var properties = BLIPProperties()
        for pair in request.properties.pairs where pair.name != BLIPProperties.profileName {
            properties[pair.name] = pair.value
        }
        let isCompressed = request.properties["Compress-Reply"] == "1"
        return BLIPResponse(properties: properties, body: .bytes(request.body), compressed: isCompressed)
    }

    private func source(_ request: BLIPIncomingRequest) -> BLIPResponse {
        guard let size = UInt64(request.properties["Size"] ?? ""),
            let seed = UInt64(request.properties["Seed"] ?? "0"),
            let kind = GeneratedSource.Kind(rawValue: request.properties["Kind"] ?? "rand")
        else { return .failure(.badRequest, "Size and Seed are decimal, Kind is rand, text or zero") }
        let isCompressed = request.properties["Compress-Reply"] == "1"
        return BLIPResponse(
            body: .source(GeneratedSource(kind: kind, byteCount: size, seed: seed)), compressed: isCompressed)
    }

    private func error(_ request: BLIPIncomingRequest) -> BLIPResponse {
        guard let code = Int32(request.properties["Code"] ?? "") else {
            return .failure(.badRequest, "Code is a decimal number")
        }
        var response = BLIPResponse(body: .bytes(request.body))
        response.error = BLIPErrorCode(domain: request.properties["Domain"] ?? "BLIP", code: code)
        return response
    }

    private func reverse(_ request: BLIPIncomingRequest, _ link: PeerLink) -> BLIPResponse? {
        guard let count = Self.number(request, "Count"), let size = Self.number(request, "Size") else {
            return .failure(.badRequest, "Count and Size are decimal, at most \(Self.maxCount)")
        }
        let isUrgent = request.properties["Urgent"] == "1"
        let isCompressed = request.properties["Compressed"] == "1"
        Task {
            let body = [UInt8](repeating: 0x62, count: size)
            let pending = (0..<count).map { _ in
                link.submit(
                    BLIPRequest(profile: "echo", body: .bytes(body), urgent: isUrgent, compressed: isCompressed))
            }
            var good = 0
            for response in pending {
                if let response = try? await response.value(), response.error == nil, response.bodyBytes == body {
                    good += 1
                }
            }
            link.respond(to: request.number, with: .json("{\"ok\":\(good),\"bad\":\(count - good)}"))
        }
        return nil
    }

    private func sleep(_ request: BLIPIncomingRequest, _ link: PeerLink) -> BLIPResponse? {
        guard let milliseconds = Self.number(request, "Millis") else {
            return .failure(.badRequest, "Millis is decimal, at most \(Self.maxCount)")
        }
        Task {
            try? await Task.sleep(for: .milliseconds(milliseconds))
            link.respond(to: request.number, with: BLIPResponse())
        }
        return nil
    }

    private static func number(_ request: BLIPIncomingRequest, _ name: String) -> Int? {
        guard let number = Int(request.properties[name] ?? ""), (0...maxCount).contains(number) else { return nil }
        return number
    }
}

extension BLIPResponse {
    static func json(_ text: String) -> BLIPResponse {
        BLIPResponse(properties: ["Content-Type": "application/json"], body: .text(text))
    }
}
