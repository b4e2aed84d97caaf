// The listings of the article "Multiplexing".

import BLIPNet

/// Sends something large and something that is in a hurry, and says which was answered first.
func sendBoth(over link: PeerLink, picture: [UInt8]) async throws -> [String] {
    let upload = link.submit(BLIPRequest(profile: "store", body: .bytes(picture)))
    let note = link.submit(BLIPRequest(profile: "note", body: .text("a picture is coming"), urgent: true))

    // The note overtakes the frames of the picture; neither waits for the other's response.
    async let noted = note.value()
    async let stored = upload.value()
    return [try await noted.body.text, try await stored.body.text]
}

/// Asks for many things at once; the responses come in any order.
func askAll(_ profiles: [String], over link: PeerLink) async throws -> [String] {
    let pending = profiles.map { link.submit(BLIPRequest(profile: $0)) }
    var answers: [String] = []
    for response in pending { answers.append(try await response.value().body.text) }
    return answers
}

/// Asks again and again, each time with the answer before.
func count(upTo last: Int, over link: PeerLink) async throws -> [String] {
    try await withTaskExecutorPreference(link.taskExecutor) {
        var answers: [String] = []
        for number in 1...last { answers.append(try await link.request(BLIPRequest(profile: "\(number)")).body.text) }
        return answers
    }
}

extension BLIPBody {
    /// A body in memory, read as UTF-8.
    var text: String {
        if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}

/// Answers later, from a task of its own, so that the link can go on.
final class Librarian: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? {
        Task {
            let found = await self.search(request.body)
            link.respond(to: request.number, with: BLIPResponse(body: .bytes(found), compressed: true))
        }
        return nil
    }

    private func search(_ query: [UInt8]) async -> [UInt8] { query.reversed() }
}

/// Prints what goes over every link that is made with these options.
func traced(_ options: LinkOptions) -> LinkOptions {
    var options = options
    options.trace = { trace in print("link \(trace.link): \(trace.event)") }
    return options
}
