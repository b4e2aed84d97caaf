// `file-lanes`: the sender of files asks whoever has called for more connections (Docs/protocol.md 10.8).

import BLIPNet

/// So many lanes are wanted in all. No reply.
struct FileLanesRequest: WireRequest {
    static let profile = ChatProfile.fileLanes
    /// 1 ... 64; who opens them has a limit of their own.
    var count: Int

    init(count: Int) { self.count = count }

    func encoded() -> BLIPRequest {
        BLIPRequest(profile: Self.profile.rawValue, properties: ["Count": String(count)], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        guard let count = Int(exactly: try PropertyReader(request.properties).number("Count")), (1...64).contains(count)
        else { throw .malformed("Count") }
        self.count = count
    }
}
