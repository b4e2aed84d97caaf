// Where a response ends, in any cut, and what is refused.

import Testing

@testable import BLIPNet

@Suite struct HTTPResponseReaderTests {
    private enum Outcome: Equatable {
        /// Status, body, whether the connection may be used again.
        case response(Int, String, Bool)
        case waiting
        case refused(HTTPResponseError)
    }

    private static func read(
        _ bytes: [UInt8], chunk: Int, method: HTTPRequest.Method, limits: HTTPLimits, ends: Bool
    ) -> Outcome {
        var reader = HTTPResponseReader(method: method, limits: limits)
        do throws(HTTPResponseError) {
            var start = 0
            while start < bytes.count {
                let end = min(start + chunk, bytes.count)
                if let response = try reader.receive(Array(bytes[start..<end])) { return outcome(response) }
                start = end
            }
            if ends, let response = try reader.receiveEnd() { return outcome(response) }
            return .waiting
        } catch {
            return .refused(error)
        }
    }

    private static func outcome(_ response: HTTPResponse) -> Outcome {
        .response(response.head.status, String(decoding: response.body, as: UTF8.self), response.keepsConnection)
    }

    /// The outcome, which must be the same in whatever pieces the bytes come.
    private static func agree(
        _ text: String, method: HTTPRequest.Method = .get, limits: HTTPLimits = HTTPLimits(), ends: Bool = false
    ) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = read(bytes, chunk: bytes.count, method: method, limits: limits, ends: ends)
        for chunk in 1..<max(2, min(bytes.count, 40)) {
            let pieces = read(bytes, chunk: chunk, method: method, limits: limits, ends: ends)
            #expect(pieces == whole, "in pieces of \(chunk)")
        }
        return whole
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    @Test("a body ends where its length says")
    func lengths() {
        #expect(Self.agree(Self.ok + "Content-Length: 5\r\n\r\nhello") == .response(200, "hello", true))
        #expect(Self.agree(Self.ok + "Content-Length: 0\r\n\r\n") == .response(200, "", true))
        #expect(Self.agree(Self.ok + "Content-Length: 5, 5\r\n\r\nhello") == .response(200, "hello", true))
        #expect(Self.agree(Self.ok + "Content-Length: 5\r\n\r\nhell") == .waiting)
        #expect(Self.agree(Self.ok + "Content-Length: 5\r\n\r\nhell", ends: true) == .refused(.cutOff))
    }

    @Test("a body in chunks is put together; extensions and the trailer are left out")
    func chunks() {
        let head = Self.ok + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(Self.agree(head + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n") == .response(200, "hello world", true))
        #expect(
            Self.agree(head + "00A\r\n0123456789\r\n0\r\nA: b\r\nC: d\r\n\r\n") == .response(200, "0123456789", true))
        #expect(Self.agree(head + "5\r\nhello\r\n", ends: true) == .refused(.cutOff))
    }

    @Test("without length and chunks a body ends with the connection, which is used up then")
    func untilEnd() {
        #expect(Self.agree(Self.ok + "\r\nhello", ends: true) == .response(200, "hello", false))
        #expect(Self.agree(Self.ok + "\r\nhello") == .waiting)
    }

    @Test("answers that have no body need no length")
    func noBody() {
        #expect(Self.agree("HTTP/1.1 204 No Content\r\n\r\n") == .response(204, "", true))
        #expect(Self.agree("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n") == .response(304, "", true))
        #expect(Self.agree(Self.ok + "Content-Length: 9\r\n\r\n", method: .head) == .response(200, "", true))
    }

    @Test("interim answers are skipped; 101 is the last word")
    func interim() {
        let continued = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        #expect(Self.agree(continued + Self.ok + "Content-Length: 2\r\n\r\nhi") == .response(200, "hi", true))
        #expect(Self.agree("HTTP/1.1 101 Switching Protocols\r\n\r\n") == .response(101, "", false))
    }

    @Test("the connection is kept unless somebody says otherwise")
    func keeping() {
        #expect(Self.agree(Self.ok + "Connection: Close\r\nContent-Length: 0\r\n\r\n") == .response(200, "", false))
        #expect(Self.agree("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n") == .response(200, "", false))
        let old = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
        #expect(Self.agree(old) == .response(200, "", true))
    }

    @Test("bytes behind an answer spoil the connection")
    func bytesBehind() throws {
        var reader = HTTPResponseReader(method: .get, limits: HTTPLimits())
        let response = try #require(try reader.receive(Array((Self.ok + "Content-Length: 2\r\n\r\nhi!").utf8)))
        #expect(response.body == Array("hi".utf8) && !response.keepsConnection)
    }

    @Test("the server says how long it keeps an idle connection")
    func keepAlive() throws {
        var reader = HTTPResponseReader(method: .get, limits: HTTPLimits())
        let text = Self.ok + "Keep-Alive: max=100, timeout=5\r\nContent-Length: 0\r\n\r\n"
        #expect(try reader.receive(Array(text.utf8))?.keepAliveTimeout == .seconds(5))
    }

    @Test(
        "refuses a body whose end is in doubt",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: +5", "Content-Length: 5x",
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ])
    func doubts(fields: String) {
        guard case .refused(.ambiguousLength) = Self.agree(Self.ok + fields + "\r\n\r\nhello") else {
            Issue.record("was not refused")
            return
        }
    }

    @Test(
        "refuses broken chunks",
        arguments: [
            "5\nhello", "x\r\n", "-1\r\n", "\r\n", "5\r\nhello!!", "5\r\nhello\n", "1234567890123456\r\n",
            String(repeating: "0", count: 2000),
        ])
    func brokenChunks(body: String) {
        let text = Self.ok + "Transfer-Encoding: chunked\r\n\r\n" + body
        guard case .refused(.malformedChunk) = Self.agree(text) else {
            Issue.record("was not refused")
            return
        }
    }

    @Test("refuses more than the limits")
    func limits() {
        var limits = HTTPLimits()
        limits.maxBodyBytes = 10
        let tooLarge = Outcome.refused(.bodyTooLarge(limit: 10))
        #expect(Self.agree(Self.ok + "Content-Length: 11\r\n\r\n", limits: limits) == tooLarge)
        #expect(Self.agree(Self.ok + "Content-Length: 99999999999999999999\r\n\r\n", limits: limits) == tooLarge)
        let chunked = Self.ok + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(Self.agree(chunked + "5\r\nhello\r\n6\r\n", limits: limits) == tooLarge)
        #expect(
            Self.agree(chunked + "7fffffffffffffff\r\n", limits: limits)
                == .refused(.malformedChunk("a chunk without a size")))
        #expect(Self.agree(Self.ok + "\r\nhello world", limits: limits) == tooLarge)
        limits.maxHeadBytes = 40
        #expect(
            Self.agree(Self.ok + "A: b\r\nC: d\r\nE: f\r\nG: h\r\n\r\n", limits: limits) == .refused(.head(.tooLarge)))
        limits.maxHeadBytes = 64
        let trailer = "0\r\n" + String(repeating: "A: b\r\n", count: 20)
        guard case .refused(.malformedChunk) = Self.agree(chunked + trailer, limits: limits) else {
            Issue.record("was not refused")
            return
        }
    }

    @Test("what is not HTTP is refused at its first byte")
    func notHTTP() {
        guard case .refused(.head(.malformed)) = Self.agree("<html>") else {
            Issue.record("was not refused")
            return
        }
    }

    @Test("a request is written with its host, its fields and its length; fields that would split it are refused")
    func requests() {
        var request = HTTPRequest(method: .post, target: "/socket.io/?EIO=4")
        request.fields.append(name: "Cookie", value: "a=b")
        request.body = Array("2probe".utf8)
        let text = "POST /socket.io/?EIO=4 HTTP/1.1\r\nHost: h:1\r\nCookie: a=b\r\nContent-Length: 6\r\n\r\n2probe"
        #expect(request.problem == nil)
        #expect(String(decoding: request.encoded(host: "h:1"), as: UTF8.self) == text)
        for (name, value) in [("X", "a\r\nb"), ("X Y", "a"), ("content-length", "3"), ("Host", "x")] {
            var bad = request
            bad.fields.append(name: name, value: value)
            #expect(bad.problem != nil, "\(name)")
        }
        #expect(HTTPRequest(target: "/a b").problem != nil)
        #expect(HTTPRequest(target: "http://x/").problem != nil)
    }
}
