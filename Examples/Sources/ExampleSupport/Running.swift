// What the examples have in common as programs: they start a server and wait, or end with a sentence.

import BLIPNet
import Foundation

/// Listens at a free port of this machine with a new key, prints the place on a line, and waits until somebody ends
/// the program. Every caller gets `handler`.
public func serve(_ handler: any BLIPRequestHandler, application: String) async throws {
    let identity = try TLSIdentity.generate()
    var options = LinkOptions(identity: identity)
    options.application = application
    let listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: options) { _ in handler }
    print(Place(endpoint: listener.localEndpoint, fingerprint: identity.fingerprint))
    // Standard output may be a pipe, which the C library fills before it passes anything on.
    fflush(nil)
    // The listener takes calls for as long as somebody refers to it.
    while true { try await Task.sleep(for: .seconds(3600)) }
}

/// A client has nothing to answer, but a link is symmetric: the server may ask, too.
public final class NoAnswers: BLIPRequestHandler {
    public init() {}

    public func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        .failure(.notFound, "this side answers nothing")
    }
}

/// Calls the server at `place` with a new key of ours. The link fails if the server has another key.
public func call(_ place: Place, application: String) async throws -> PeerLink {
    var options = LinkOptions(identity: try .generate(), expectedPeer: place.fingerprint)
    options.application = application
    return try await PeerLink.connect(to: place.endpoint, options: options, handler: NoAnswers())
}

/// Ends the program with a sentence on standard error.
public func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data((sentence + "\n").utf8))
    exit(1)
}
