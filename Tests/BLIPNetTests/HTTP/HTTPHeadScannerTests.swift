// Where a head ends, and what is refused while it arrives.

import Testing

@testable import BLIPNet

@Suite struct HTTPHeadScannerTests {
    private enum Outcome: Equatable {
        case found(Int)
        case waiting
        case refused(HTTPHeadError)
    }

    /// Shows the scanner ever longer prefixes, as they would arrive.
    private static func scan(_ bytes: [UInt8], chunk: Int, max: Int = 16_384) -> Outcome {
        var scanner = HTTPHeadScanner(maxByteCount: max)
        var end = 0
        while end < bytes.count {
            end = Swift.min(end + chunk, bytes.count)
            let result: Result<Int?, HTTPHeadError> = bytes[..<end].withUnsafeBytes { prefix in
                do throws(HTTPHeadError) { return .success(try scanner.scan(prefix)) } catch { return .failure(error) }
            }
            switch result {
            case .success(let count?): return .found(count)
            case .success(nil): continue
            case .failure(let error): return .refused(error)
            }
        }
        return .waiting
    }

    private static func agree(_ text: String, max: Int = 16_384) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = scan(bytes, chunk: bytes.count, max: max)
        for chunk in 1..<Swift.max(2, bytes.count) {
            #expect(scan(bytes, chunk: chunk, max: max) == whole, "in pieces of \(chunk)")
        }
        return whole
    }

    @Test("finds the empty line, in any cut")
    func findsTheEnd() {
        #expect(Self.agree("GET / HTTP/1.1\r\nA: b\r\n\r\nrest\r\n\r\n") == .found(24))
        #expect(Self.agree("GET / HTTP/1.1\r\nA: b\r\n\r") == .waiting)
    }

    @Test(
        "refuses what cannot be in a head before it is complete",
        arguments: [
            "GET / HTTP/1.1\r\nA: b\0", "GET / HTTP/1.1\nA", "GET / HTTP/1.1\r\nA: b\rc", "GET / HTTP/1.1\r\r\n",
            "GET / HTTP/1.1\r\nA: \u{1B}[2J", "\r\nGET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}", " GET",
            "GET / HTTP/1.1\r\nA: b\u{7F}",
        ])
    func refuses(text: String) {
        guard case .refused(.malformed) = Self.agree(text) else {
            Issue.record("was not refused")
            return
        }
    }

    @Test("looks at each byte once, so that a head that trickles in costs no more than one that comes at once")
    func linear() throws {
        var scanner = HTTPHeadScanner(maxByteCount: 16_384)
        var bytes = Array("GET / HTTP/1.1\r\nA: b".utf8)
        #expect(try bytes.withUnsafeBytes { try scanner.scan($0) } == nil)
        // What has been looked at could be anything by now.
        for index in bytes.indices { bytes[index] = 0 }
        bytes += Array("c\r\n\r\n".utf8)
        #expect(try bytes.withUnsafeBytes { try scanner.scan($0) } == bytes.count)
    }

    @Test("a head of the limit is taken, and one byte more is refused")
    func limit() {
        let endless = "GET / HTTP/1.1\r\nA: b\r\n\r"
        let head = endless + "\n"
        #expect(Self.agree(head, max: 24) == .found(24))
        #expect(Self.agree(head + "frames", max: 24) == .found(24))
        #expect(Self.agree(head, max: 23) == .refused(.tooLarge))
        // Without an end it is refused as soon as no end could come within the limit.
        #expect(Self.agree(endless, max: 24) == .waiting)
        #expect(Self.agree(endless, max: 23) == .refused(.tooLarge))
    }
}
