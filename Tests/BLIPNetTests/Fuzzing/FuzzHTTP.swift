// HTTP heads, read as a server and as a client would.

import TestSupport

@testable import BLIPNet

/// Any bytes as a head: found at the same place in any cut, and what was understood is understood again.
func fuzzHTTPHead(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    let isRequest = configuration & 1 == 0
    let head = input.remainder()
    let whole = scan(head, [head.count], isRequest: isRequest)
    var cuts = FuzzCuts(seed: configuration)
    var ends: [Int] = []
    cuts.forEachPiece(of: head) { ends.append((ends.last ?? 0) + $0.count) }
    let inPieces = scan(head, ends, isRequest: isRequest)
    try require(whole == inPieces, "at once: \(whole), in pieces: \(inPieces)")

    guard case .success(let count?) = whole else { return }
    let all = Array(head[..<count])
    if isRequest {
        let parsed = Result { () throws(HTTPHeadError) in try HTTPHeadParser.parseRequest(all, maxFields: 100) }
        guard case .success(let request) = parsed else { return }
        let line = "\(request.method) \(request.target) HTTP/1.1"
        let again = try HTTPHeadParser.parseRequest(written(line, request.fields), maxFields: 100)
        try require(again == request, "\(request) comes back as \(again)")
        try checkFields(request.fields)
    } else {
        let parsed = Result { () throws(HTTPHeadError) in try HTTPHeadParser.parseResponse(all, maxFields: 100) }
        guard case .success(let response) = parsed else { return }
        let line = "HTTP/1.1 \(response.status) \(response.reason)"
        let again = try HTTPHeadParser.parseResponse(written(line, response.fields), maxFields: 100)
        try require(again == response, "\(response) comes back as \(again)")
        try checkFields(response.fields)
    }
}

/// Looks for the end of a head that arrives up to each of `ends`.
private func scan(_ head: UnsafeRawBufferPointer, _ ends: [Int], isRequest: Bool) -> Result<Int?, HTTPHeadError> {
    var scanner = HTTPHeadScanner(maxByteCount: 16_384, start: isRequest ? "" : "HTTP/")
    for end in ends {
        let piece = UnsafeRawBufferPointer(rebasing: head[..<end])
        switch Result(catching: { () throws(HTTPHeadError) in try scanner.scan(piece) }) {
        case .success(nil): continue
        case let found: return found
        }
    }
    return .success(nil)
}

private func written(_ line: String, _ fields: HTTPFields) -> [UInt8] {
    var text = Array((line + "\r\n").utf8)
    for field in fields.all { text += Array("\(field.name): \(field.value)\r\n".utf8) }
    return text + Array("\r\n".utf8)
}

private func checkFields(_ fields: HTTPFields) throws(FuzzFinding) {
    try require(fields.all.count <= 100, "\(fields.all.count) fields")
    for field in fields.all {
        try require(HTTPSyntax.isToken(field.name.utf8), "\(field.name) is no token")
        try require(!field.value.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 }, "\(field.value) ends a line")
        try require(fields.values(field.name).contains(field.value), "\(field.name) cannot be looked up")
        for element in fields.list(field.name) {
            try require(!element.isEmpty && !element.utf8.contains(UInt8(ascii: ",")), "\(element) is no element")
        }
    }
}

/// A URL, what a server at it answers with `Location`, and proxies: nothing comes out that could end a line of a head,
/// and what was read is read again.
func fuzzURL(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let text = HTTPSyntax.text(Array(input.piece())[...])
    let location = HTTPSyntax.text(Array(input.remainder())[...])
    _ = HTTPProxy(location)
    _ = NoProxyList(location).contains(host: "example.org", port: 80)
    if let reference = URIReference(text) {
        for part in [reference.scheme, reference.authority, reference.path, reference.query, reference.fragment] {
            try require(isVisible(part ?? ""), "\(part ?? "") in a URI")
        }
        let path = URIReference.withoutDotSegments(reference.path)
        try require(URIReference.withoutDotSegments(path) == path, "dots are left in \(path)")
    }
    guard let url = try? WebSocketURL(text) else { return }
    try checkURL(url)
    let again = try WebSocketURL(url.description)
    if case .host(let host, _) = url.endpoint, !host.utf8.contains(UInt8(ascii: "%")) {
        try require(again.hasSameOrigin(as: url) && again.target == url.target, "\(url) comes back as \(again)")
    }
    var head = HTTPResponseHead(status: 302, reason: "")
    head.fields.append(name: "Location", value: location)
    guard let redirect = try? HTTPRedirect.judge(head, from: url) else { return }
    try checkURL(redirect.url)
    try require(redirect.url.isEncrypted || !url.isEncrypted, "a redirect loses the encryption")
    if redirect.leavesOrigin {
        try require(redirect.url.credentials == nil, "credentials leave with a redirect")
    } else {
        try require(redirect.url.hasSameOrigin(as: url), "\(redirect.url) is not at \(url)")
        try require(redirect.url.credentials == url.credentials, "other credentials")
    }
}

private func checkURL(_ url: WebSocketURL) throws(FuzzFinding) {
    try require(url.target.utf8.first == UInt8(ascii: "/"), "\(url.target) begins without a slash")
    try require(isVisible(url.target) && isVisible(url.hostHeader), "\(url) splits a line of the request")
    try require(!url.hostHeader.isEmpty, "\(url) has no host")
    try require(!url.target.utf8.contains(UInt8(ascii: "#")), "\(url.target) has a fragment")
}

/// Only ASCII that can be seen.
private func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

/// Challenges of a server, answered; extensions in a handshake: nothing comes out that could end a line of a head.
func fuzzHTTPValues(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let isProxy = input.byte() & 1 == 1
    let user = HTTPSyntax.text(Array(input.bytes(Int(input.byte() & 31)))[...])
    let value = HTTPSyntax.text(Array(input.remainder().filter(HTTPSyntax.isValueByte))[...])
    let authenticator: HTTPAuthenticator = isProxy ? .proxy : .server
    var head = HTTPResponseHead(status: authenticator.status, reason: "")
    head.fields.append(name: authenticator.challengeField, value: value)
    for challenge in HTTPChallenge.all(in: head.fields, name: authenticator.challengeField) {
        try require(HTTPSyntax.isToken(challenge.scheme.utf8), "\(challenge.scheme) is no scheme")
        try require(challenge.parameters.keys.allSatisfy { HTTPSyntax.isToken($0.utf8) }, "\(challenge)")
    }
    if let challenge = HTTPAuthentication.chosenChallenge(in: head, of: authenticator) {
        let credentials = HTTPCredentials(user: user, password: "secret")
        let answer = HTTPAuthentication.answer(
            to: challenge, with: credentials, method: "GET", target: "/", random: .fixed)
        if let answer {
            try require(answer.utf8.allSatisfy(HTTPSyntax.isValueByte), "\(answer) splits a line")
            try require(challenge.scheme == "basic" || !answer.contains("secret"), "the password is shown")
            try checkDigest(answer, to: challenge)
        }
    }
    var extensions = HTTPFields()
    extensions.append(name: "Sec-WebSocket-Extensions", value: value)
    guard let parsed = try? WebSocketExtension.parse(extensions) else { return }
    var again = HTTPFields()
    again.append(name: "Sec-WebSocket-Extensions", value: parsed.map(\.text).joined(separator: ", "))
    try require(try WebSocketExtension.parse(again) == parsed, "\(parsed) does not come back")
    guard let choice = PermessageDeflate().choose(among: parsed) else { return }
    let answer = choice.answer
    try require(PermessageDeflate.Parameters(answer.element) == answer, "our own answer is not understood")
    _ = PermessageDeflate().agreement(withAnswer: choice.answer)
}

/// The answer is read as a challenge is, and says what it must.
private func checkDigest(_ answer: String, to challenge: HTTPChallenge) throws(FuzzFinding) {
    guard challenge.scheme == "digest" else { return }
    var fields = HTTPFields()
    fields.append(name: "Authorization", value: answer)
    let parsed = HTTPChallenge.all(in: fields, name: "Authorization")
    try require(parsed.count == 1, "\(answer) is \(parsed.count) answers")
    for name in ["realm", "nonce", "opaque"] {
        try require(parsed.first?.parameters[name] == challenge.parameters[name], "another \(name) in \(answer)")
    }
}
