// HTTP heads, read as a server and as a client would.

func fuzzHTTPHead(_ bytes: UnsafeRawBufferPointer) {
    let head = Array(bytes)
    _ = try? HTTPHeadParser.parseRequest(head, maxFields: 100)
    _ = try? HTTPHeadParser.parseResponse(head, maxFields: 100)
}
