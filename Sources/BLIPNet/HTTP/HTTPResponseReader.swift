// Reads one response of HTTP/1.1 (RFC 9112) while its bytes arrive: interim heads, the head, the body, and where it ends.

/// Bytes in, a response out. One reader for each request.
struct HTTPResponseReader: Sendable {
    private enum State {
        case head
        case fixed(remaining: Int)
        case chunked(HTTPChunks)
        case untilEnd
        case done
    }

    private let method: HTTPRequest.Method
    private let limits: HTTPLimits
    private var scanner: HTTPHeadScanner
    private var state = State.head
    private var input = ByteQueue()
    private var response = HTTPResponse(head: HTTPResponseHead(status: 0, reason: ""))
    /// Whether a byte of the response has arrived.
    private(set) var hasBegun = false

    init(method: HTTPRequest.Method, limits: HTTPLimits) {
        self.method = method
        self.limits = limits
        scanner = HTTPHeadScanner(maxByteCount: limits.maxHeadBytes, start: "HTTP/")
    }

    /// Takes the next bytes; returns the response once it is complete. Nothing may follow it.
    mutating func receive(_ bytes: [UInt8]) throws(HTTPResponseError) -> HTTPResponse? {
        hasBegun = hasBegun || !bytes.isEmpty
        input.append(bytes)
        while case .head = state {
            guard try readHead() else { return nil }
        }
        return try readBody()
    }

    /// The server has ended the stream; returns the response if that is where it ends.
    mutating func receiveEnd() throws(HTTPResponseError) -> HTTPResponse? {
        guard case .untilEnd = state else { throw .cutOff }
        state = .done
        return response
    }

    // MARK: The head

    /// `false` while it is incomplete.
    private mutating func readHead() throws(HTTPResponseError) -> Bool {
        do throws(HTTPHeadError) {
            let length = try input.withUnsafeBytes { (bytes) throws(HTTPHeadError) in try scanner.scan(bytes) }
            guard let length else { return false }
            let bytes = input.take(length)
            response.head = try HTTPHeadParser.parseResponse(bytes, maxFields: limits.maxHeadFields)
            if response.head.isInterim {
                scanner.startOver()
                return true
            }
            noteConnection(isOld: bytes.starts(with: "HTTP/1.0".utf8))
        } catch {
            throw .head(error)
        }
        state = try bodyState()
        return true
    }

    /// Whether the connection may be used again, and for how long.
    private mutating func noteConnection(isOld: Bool) {
        let fields = response.head.fields
        response.keepsConnection =
            !fields.list("Connection", contains: "close")
            && (!isOld || fields.list("Connection", contains: "keep-alive"))
        for element in fields.list("Keep-Alive") {
            let parts = Array(element.utf8).split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, HTTPSyntax.equalIgnoringCase(parts[0], "timeout".utf8),
                let seconds = UInt16(String(decoding: parts[1], as: UTF8.self))
            else { continue }
            response.keepAliveTimeout = .seconds(Int(seconds))
        }
    }

    /// Where the body ends (RFC 9112 section 6.3). Whatever two readers could understand differently is refused.
    private mutating func bodyState() throws(HTTPResponseError) -> State {
        let head = response.head
        if method == .head || head.status < 200 || head.status == 204 || head.status == 304 {
            // 101 is the last word of HTTP on its connection.
            if head.status < 200 { response.keepsConnection = false }
            return .fixed(remaining: 0)
        }
        let codings = head.fields.list("Transfer-Encoding")
        let lengths = head.fields.list("Content-Length")
        if !codings.isEmpty {
            guard codings.count == 1, HTTPSyntax.equalIgnoringCase(codings[0].utf8, "chunked".utf8) else {
                throw .ambiguousLength("a transfer coding other than chunked")
            }
            guard lengths.isEmpty else { throw .ambiguousLength("a length as well as chunks") }
            return .chunked(HTTPChunks(limits: limits))
        }
        guard let first = lengths.first else {
            response.keepsConnection = false
            return .untilEnd
        }
        guard lengths.allSatisfy({ $0 == first }), !first.isEmpty, first.utf8.allSatisfy(HTTPSyntax.isDigit) else {
            throw .ambiguousLength("a length that is not a number")
        }
        // A number that is too long for an integer is beyond the limit as well.
        guard let length = Int(first), length <= limits.maxBodyBytes else {
            throw .bodyTooLarge(limit: limits.maxBodyBytes)
        }
        return .fixed(remaining: length)
    }

    // MARK: The body

    private mutating func readBody() throws(HTTPResponseError) -> HTTPResponse? {
        switch state {
        case .head, .done: return nil
        case .fixed(let remaining):
            let count = min(remaining, input.count)
            input.move(count, to: &response.body)
            state = .fixed(remaining: remaining - count)
            return remaining == count ? finish() : nil
        case .chunked(var chunks):
            let isDone = try chunks.decode(&input, into: &response.body)
            state = .chunked(chunks)
            return isDone ? finish() : nil
        case .untilEnd:
            guard input.count <= limits.maxBodyBytes - response.body.count else {
                throw .bodyTooLarge(limit: limits.maxBodyBytes)
            }
            input.move(input.count, to: &response.body)
            return nil
        }
    }

    private mutating func finish() -> HTTPResponse {
        state = .done
        // Bytes that nobody has requested: we cannot tell what they belong to.
        if !input.isEmpty { response.keepsConnection = false }
        return response
    }
}
