// `routes`: how the sender can be reached now (REACH 2). Sent to contacts when it changes; `hello` says it at first.

import BLIPNet

/// The routes of the sender, in place of those that they have told before. Peers that do not know it answer an error.
struct RoutesRequest: WireRequest {
    static let profile = ChatProfile.routes
    var routes: [Route]

    init(routes: [Route]) { self.routes = routes }

    func encoded() -> BLIPRequest {
        BLIPRequest(
            profile: Self.profile.rawValue, properties: ["Routes": RouteList.text(routes)], urgent: true)
    }

    init(decoding request: BLIPIncomingRequest) throws(WireError) {
        guard let routes = try PropertyReader(request.properties).routes() else { throw .missing("Routes") }
        self.routes = routes
    }
}

extension PropertyReader {
    /// The property `Routes`, which may be empty; `nil` when it is not there.
    func routes() throws(WireError) -> [Route]? {
        guard let value = properties["Routes"] else { return nil }
        guard value.utf8.count <= RouteList.mostBytes else { throw .malformed("Routes") }
        return RouteList.routes(value)
    }
}
