// The listings of the article "Flow control".

import BLIPNet

/// A body that is made while it is sent: a gigabyte of it takes the memory of one frame.
final class Zeros: BodySource {
    // Touched on the event loop of the link only.
    private nonisolated(unsafe) var rest: Int

    init(count: Int) { rest = count }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(rest, buffer.count)
        buffer.prefix(count).initializeMemory(as: UInt8.self, repeating: 0)
        rest -= count
        return count
    }
}

/// Counts a body instead of keeping it.
final class ByteCounter: BodySink {
    // Touched on the event loop of the link only.
    private(set) nonisolated(unsafe) var count = 0

    func write(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
}

/// Takes the bodies of uploads as they come, whatever their size.
final class Archive: BLIPRequestHandler {
    func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? {
        head.properties.profile == "upload" ? ByteCounter() : nil
    }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        guard let counter = request.sink as? ByteCounter else { return .failure(.notFound, "no such profile") }
        return BLIPResponse(body: .text("\(counter.count) bytes"))
    }
}

/// Takes a body at its own pace: what has not been taken is not acknowledged, and the peer waits.
func download(over link: PeerLink, to store: (_ piece: [UInt8]) async throws -> Void) async throws -> BLIPResponse {
    let body = BLIPBodyStream()
    let response = link.submit(BLIPRequest(profile: "download"), bodySink: body.sink)
    for try await piece in body { try await store(piece) }
    return try await response.value()
}
