// A server that sends the body of every request back. It prints what EchoClient needs to call it.

import BLIPNet
import ExampleSupport

final class Echo: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        guard request.properties.profile == "echo" else { return .failure(.notFound, "no such profile") }
        return BLIPResponse(body: .bytes(request.body))
    }
}

try await serve(Echo(), application: "echo_1")
