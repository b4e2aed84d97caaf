// HTTP heads, read as a server and as a client would.

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
