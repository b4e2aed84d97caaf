// The fuzz targets of the chat: requests of peers, addresses, and a client between a hostile contact and its own user.

import BLIPNet
import TestSupport

@testable import ChatCore

extension FuzzTarget {
    /// The targets of this folder.
    static let chat: [FuzzTarget] = [
        FuzzTarget(name: "chat-requests", run: fuzzChatRequests),
        FuzzTarget(name: "file-bundle", run: fuzzFileBundle),
        FuzzTarget(name: "peer-address", run: fuzzPeerAddress),
        FuzzTarget(name: "file-name", run: fuzzFileName),
        FuzzTarget(name: "neighbour", run: fuzzNeighbour),
        FuzzTarget(name: "chat-client", run: fuzzChatClient),
    ]
}

extension FuzzInput {
    /// The next piece as text, repaired where it is no UTF-8, at most `limit` bytes of it.
    mutating func text(limit: Int = 255) -> String {
        String(decoding: bytes(min(Int(byte()), limit)), as: UTF8.self)
    }
}

/// Any properties and body as each kind of request: refused, or the same value after writing and reading it again.
func fuzzChatRequests(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let names = [
        "Id", "Seq", "Sent", "Reply-To", "Target", "Emoji", "Name", "Size", "Modified", "Content-Type", "Folder",
        "Folder-Id", "Folder-Files", "Folder-Size", "Client", "Listen", "Features", "Up-To", "State", "Offset",
        "Length",
        "Partial", "Reason", "SHA-256", "Pause", "Routes", "Meet", "Round", "Candidates",
    ]
    let kind = Int(input.byte())
    var properties = BLIPProperties()
    for _ in 0..<Int(input.byte() & 15) {
        let name = Int(input.byte())
        properties[name < 200 ? names[name % names.count] : input.text()] = input.text()
    }
    let request = BLIPIncomingRequest(
        number: 1, properties: properties, body: Array(input.remainder()), isUrgent: kind & 1 == 1,
        isNoReply: kind & 2 == 2)
    try roundTrip(HelloRequest.self, request)
    try roundTrip(AcceptedRequest.self, request)
    try roundTrip(MessageRequest.self, request)
    try roundTrip(EditRequest.self, request)
    try roundTrip(RetractRequest.self, request)
    try roundTrip(ReactRequest.self, request)
    try roundTrip(ReadRequest.self, request)
    try roundTrip(TypingRequest.self, request)
    try roundTrip(PresenceRequest.self, request)
    try roundTrip(RoutesRequest.self, request)
    try roundTrip(FileOfferRequest.self, request)
    try roundTrip(FileGetRequest.self, request)
    try roundTrip(FileDigestRequest.self, request)
    try roundTrip(FileBundleRequest.self, request)
    try roundTrip(FileStatusRequest.self, request)
    try roundTrip(PunchRequest.self, request)
    try roundTrip(PunchGoRequest.self, request)
}

private func roundTrip<Request: WireRequest>(_ type: Request.Type, _ incoming: BLIPIncomingRequest) throws {
    guard let value = try? Request(decoding: incoming) else { return }
    let request = value.encoded()
    try require(request.properties.profile == Request.profile.rawValue, "\(type) is sent under another profile")
    var body: [UInt8] = []
    if case .bytes(let bytes) = request.body { body = bytes }
    let again = try Request(
        decoding: BLIPIncomingRequest(
            number: 2, properties: request.properties, body: body, isUrgent: request.isUrgent, isNoReply: false))
    try require(again == value, "\(value) comes back as \(again)")
}

/// Any bytes as the answer with several files: refused, or the same files after writing and reading it again.
func fuzzFileBundle(_ bytes: UnsafeRawBufferPointer) throws {
    guard let bundle = try? FileBundleReply(decoding: BLIPResponse(body: .bytes(Array(bytes)))) else { return }
    try require(bundle.parts.count <= WireLimit.bundledFiles, "\(bundle.parts.count) files")
    let again = try FileBundleReply(decoding: bundle.encoded())
    try require(again == bundle, "\(bundle) comes back as \(again)")
}

/// Any text as an address: refused, or the same address after writing and reading it again.
func fuzzPeerAddress(_ bytes: UnsafeRawBufferPointer) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let address = try? PeerAddress(parsing: text) else { return }
    try require(address.port > 0, "port 0")
    let written = address.description
    try require(try PeerAddress(parsing: written) == address, "\(written) is another address than \(text)")
}

/// Any text as the name of an offered file: what is made of it is one name, and stays what it is.
func fuzzFileName(_ bytes: UnsafeRawBufferPointer) throws {
    let name = FileNameSanitizer.sanitized(String(decoding: bytes, as: UTF8.self))
    let safe = Array(name.utf8)
    try require(!safe.isEmpty && safe.count <= 255, "a name of \(safe.count) bytes")
    try require(!safe.contains(UInt8(ascii: "/")) && !safe.contains(0), "a name that leads elsewhere")
    try require(safe.first != UInt8(ascii: "."), "a hidden name")
    try require(safe.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character in a name")
    try require(FileNameSanitizer.sanitized(name) == name, "\(name) is changed the second time")
}

/// Any lines as what a neighbour's service says of itself: refused, or the same after writing and reading it again.
func fuzzNeighbour(_ bytes: UnsafeRawBufferPointer) throws {
    let lines = Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    guard let texts = NeighbourTexts(lines) else { return }
    try require(texts.marks.count <= OpenInvitations.mostSpoken, "\(texts.marks.count) marks")
    let again = NeighbourTexts(texts.texts.map { Array($0.utf8) })
    try require(again == texts, "\(texts) comes back as \(String(describing: again))")
}
