// `file-bundle`: several small offered files in one answer, whole and with their digests.

import BLIPNet

/// Asks for all bytes of several small files. A normal request, as `file-get` is.
struct FileBundleRequest: WireRequest {
    static let profile = ChatProfile.fileBundle

    /// 1 ... 128 offered files; the answer has them in this order.
    var ids: [MessageID]

    init(ids: [MessageID]) { self.ids = ids }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, body: .text(ids.map(\.text).joined(separator: "\n")))
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let text = try request.text(limit: WireLimit.text)
        ids = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard ids.count < WireLimit.bundledFiles, let id = MessageID(String(line)) else { throw .malformed("body") }
            ids.append(id)
        }
    }
}

/// The files, one after the other. Each begins with a line: `ID LENGTH MODIFIED SHA256`, then LENGTH bytes follow; or
/// `ID refused CODE` for one that is not given now, with the code that would answer `file-get`.
struct FileBundleReply: Sendable, Equatable {
    struct File: Sendable, Equatable {
        var modified: Timestamp
        /// Of the bytes, as 64 lower-case hex digits.
        var sha256: String
        var bytes: ArraySlice<UInt8>
    }

    enum Part: Sendable, Equatable {
        case file(File)
        case refused(code: Int32)
    }

    private(set) var parts: [(id: MessageID, part: Part)] = []

    static func == (left: Self, right: Self) -> Bool {
        left.parts.elementsEqual(right.parts) { $0.id == $1.id && $0.part == $1.part }
    }

    init(_ parts: [(id: MessageID, part: Part)]) { self.parts = parts }

    func encoded() -> BLIPResponse {
        var body: [UInt8] = []
        for (id, part) in parts {
            switch part {
            case .file(let file):
                body += "\(id.text) \(file.bytes.count) \(file.modified.wireText) \(file.sha256)\n".utf8
                body += file.bytes
            case .refused(let code): body += "\(id.text) refused \(code)\n".utf8
            }
        }
        return BLIPResponse(body: .bytes(body))
    }

    init(decoding response: BLIPResponse) throws(WireError) {
        var rest = response.bodyBytes[...]
        while !rest.isEmpty {
            guard parts.count < WireLimit.bundledFiles,
                let end = rest.prefix(WireLimit.bundleLine).firstIndex(of: UInt8(ascii: "\n")),
                let line = String(validating: rest[..<end], as: UTF8.self)
            else { throw .malformed("body") }
            rest = rest[rest.index(after: end)...]
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard let id = words.first.flatMap(MessageID.init) else { throw .malformed("body") }
            if words.count == 3, words[1] == "refused", let code = Int32(words[2]) {
                parts.append((id, .refused(code: code)))
                continue
            }
            guard words.count == 4, let length = Decimal.parse(words[1]), length <= UInt64(rest.count),
                let time = Decimal.parse(words[2]), let modified = Int64(exactly: time),
                FileDigestReply.isDigest(words[3])
            else { throw .malformed("body") }
            let bytes = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            parts.append(
                (id, .file(File(modified: Timestamp(milliseconds: modified), sha256: words[3], bytes: bytes))))
        }
    }
}
