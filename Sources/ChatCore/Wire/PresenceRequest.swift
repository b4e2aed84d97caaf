// `presence`: whether the sender's user is away. Sent after `hello` and at each change, to contacts only
// (Docs/protocol.md 10.6).

import BLIPNet

/// The sender's user has left the keyboard, or is back. No reply; peers that do not know it ignore it.
struct PresenceRequest: WireRequest {
    static let profile = ChatProfile.presence
    /// Away, and why (it may be empty); `nil`: here.
    var away: String?

    init(away: String?) { self.away = away }

    func encoded() -> BLIPRequest {
        var properties: BLIPProperties = ["State": away == nil ? "here" : "away"]
        if let away, !away.isEmpty { properties["Reason"] = away }
        return BLIPRequest(profile: Self.profile.rawValue, properties: properties, urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        let reader = PropertyReader(request.properties)
        switch try reader.text("State", limit: 16) {
        case "away": away = try reader.optionalText("Reason", limit: WireLimit.away) ?? ""
        case "here": away = nil
        default: throw .malformed("State")
        }
    }
}
