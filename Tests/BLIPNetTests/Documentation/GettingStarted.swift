// The program of the article "Getting started" (Sources/BLIPNet/BLIPNet.docc); DocumentationTests runs it.

import BLIPNet

/// Answers the requests of a peer.
final class Greeter: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        guard request.properties.profile == "greet" else { return .failure(.notFound, "no such profile") }
        let name = String(decoding: request.body, as: UTF8.self)
        return BLIPResponse(properties: ["Language": "en"], body: .text("Hello, \(name)!"))
    }
}

func greet(_ name: String) async throws -> String {
    // The server: a key of its own, any free port of this machine.
    let server = LinkOptions(identity: try .generate())
    let listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: server) { _ in Greeter() }

    // The client: a key of its own, and the key that it expects to find.
    let client = LinkOptions(identity: try .generate(), expectedPeer: server.identity?.fingerprint)
    let link = try await PeerLink.connect(to: listener.localEndpoint, options: client, handler: Greeter())

    // One request, and its response or its error response.
    let response = try await link.request(BLIPRequest(profile: "greet", body: .text(name)))
    if let error = response.error { return "error \(error.domain) \(error.code)" }

    link.close()
    _ = await link.waitUntilClosed()
    return String(decoding: response.bodyBytes, as: UTF8.self)
}
