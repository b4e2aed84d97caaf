// The wire of an older version, as two of its programs spoke it (Tests/Rigs/record_wire.py): we read all of it, and what we
// write of the same is what they know.

import BLIPNet
import FoundationEssentials
import TestSupport
import Testing

@testable import ChatCore

@Suite("The wire of older versions") struct OlderVersionsTests {
    /// What one side said, as recorded.
    private struct Record: Decodable {
        var kind: String
        var urgent: Bool
        var noReply: Bool
        var properties: [String: String]
        /// Of a request.
        var body: String?
    }

    private static func records() throws -> [Record] {
        let tests = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
        let path = tests + "/Vectors/wire-2026-11-28.json"
        guard let data = FileManager.default.contents(atPath: path) else { throw ConditionNotMet("\(path) is there") }
        return try JSONDecoder().decode([Record].self, from: data)
    }

    private func writtenAgain(_ profile: ChatProfile, _ request: BLIPIncomingRequest) throws -> BLIPRequest {
        func again<Request: WireRequest>(_: Request.Type) throws -> BLIPRequest {
            try Request(decoding: request).encoded()
        }
        return switch profile {
        case .hello: try again(HelloRequest.self)
        case .accepted: try again(AcceptedRequest.self)
        case .message: try again(MessageRequest.self)
        case .edit: try again(EditRequest.self)
        case .retract: try again(RetractRequest.self)
        case .react: try again(ReactRequest.self)
        case .read: try again(ReadRequest.self)
        case .typing: try again(TypingRequest.self)
        case .presence: try again(PresenceRequest.self)
        case .routes: try again(RoutesRequest.self)
        case .fileOffer: try again(FileOfferRequest.self)
        case .fileGet: try again(FileGetRequest.self)
        case .fileDigest: try again(FileDigestRequest.self)
        case .fileBundle: try again(FileBundleRequest.self)
        case .fileLanes: try again(FileLanesRequest.self)
        case .fileStatus: try again(FileStatusRequest.self)
        case .punch: try again(PunchRequest.self)
        case .punchGo: try again(PunchGoRequest.self)
        }
    }

    @Test("each request of an older version is read, and written as that version wrote it")
    func requests() throws {
        var seen: Set<ChatProfile> = []
        for record in try Self.records() where record.kind == "request" {
            let profile = try #require(record.properties["Profile"].flatMap { ChatProfile(rawValue: $0) })
            seen.insert(profile)
            var properties = BLIPProperties()
            for (name, value) in record.properties { properties[name] = value }
            let body = ReachVectors.bytes(record.body ?? "")
            let request = BLIPIncomingRequest(
                number: 1, properties: properties, body: body, isUrgent: record.urgent, isNoReply: record.noReply)
            let again = try writtenAgain(profile, request)
            let pairs = again.properties.pairs.map { ($0.name, $0.value) }
            #expect(Dictionary(pairs) { first, _ in first } == record.properties)
            var written: [UInt8] = []
            if case .bytes(let bytes) = again.body { written = bytes }
            #expect(written == body, "\(profile)")
            #expect(again.isUrgent == record.urgent, "\(profile)")
        }
        let expected: Set<ChatProfile> = [
            .hello, .message, .edit, .retract, .react, .read, .presence, .fileOffer, .fileGet, .fileStatus,
        ]
        #expect(seen.isSuperset(of: expected), "the recording lacks \(expected.subtracting(seen))")
    }
}
