// Looks at the bytes of a plain BLIP link from outside, without I/O: bytes of both directions in, what they mean out.

/// Decodes a link over WebSocket that others have (PROTOCOL 2 and 3): handshake, control frames, BLIP frames, messages.
///
/// It never ends because of what it reads: a problem becomes an event, and it continues as well as it can. Its memory
/// is bounded, for each direction: a head of 16 KiB, a WebSocket message of 1 MiB, 256 unfinished BLIP messages of
/// which it holds 2 MiB at most. It holds compression streams: a copy shares them and must not be used.
package struct BLIPTap {
    /// Which way bytes go.
    package enum Direction: String, Sendable, CaseIterable {
        /// From the caller, who is the WebSocket client.
        case up
        /// To the caller.
        case down
    }

    private enum Phase {
        case handshake
        case open
        /// The tap reads nothing more.
        case over
    }

    private let dialect: BLIPDialect?
    private let limits = WebSocketLimits()
    private var phase = Phase.handshake
    /// The beginning of the connection was not seen.
    private var isPartial: Bool
    private var up = TapFlow(isMasked: true)
    private var down = TapFlow(isMasked: false)
    private var upScanner: HTTPHeadScanner
    private var downScanner: HTTPHeadScanner
    private var request: HTTPRequestHead?
    /// The whole head of a request has come, whether it could be read or not.
    private var hasRequest = false
    /// Bytes of the caller are missing before the end of the handshake.
    private var hasLostUp = false

    /// `dialect`: what the link speaks where its handshake does not say it, that is without a subprotocol or without a
    /// handshake; one of the older dialects also says which of the two the subprotocol `BLIP` is (`nil`: 2013).
    /// `beginsLate`: the first bytes may be from the middle of a connection.
    package init(dialect: BLIPDialect? = nil, beginsLate: Bool = false) {
        self.dialect = dialect
        isPartial = beginsLate
        upScanner = HTTPHeadScanner(maxByteCount: limits.maxHeadBytes)
        downScanner = HTTPHeadScanner(maxByteCount: limits.maxHeadBytes, start: "HTTP/")
    }

    /// The memory that it needs for what is not complete, in bytes.
    package var heldBytes: Int { up.heldBytes + down.heldBytes }

    /// Takes the next bytes of a direction; returns what they completed. That may be something of the other direction,
    /// which had to wait for them.
    package mutating func receive(_ bytes: ArraySlice<UInt8>, _ direction: Direction) -> [TapEvent] {
        guard !bytes.isEmpty else { return [] }
        var events: [TapEvent] = []
        switch phase {
        case .over: break
        case .handshake: receiveHandshake(bytes, direction, &events)
        case .open: receiveFrames(bytes, direction, &events)
        }
        return events
    }

    /// So many bytes of a direction were not seen and never will be.
    package mutating func lose(_ byteCount: UInt64, _ direction: Direction) -> [TapEvent] {
        var events: [TapEvent] = []
        switch phase {
        case .over: return []
        case .handshake:
            events.append(TapEvent(direction, .gap(byteCount: byteCount)))
            isPartial = true
            // The answer may still come, and says what is spoken.
            if direction == .up { hasLostUp = true } else { beginInTheMiddle(direction, &events) }
        case .open:
            switch direction {
            case .up where up.isEnded, .down where down.isEnded: return []
            case .up: up.lose()
            case .down: down.lose()
            }
            events.append(TapEvent(direction, .gap(byteCount: byteCount)))
        }
        return events
    }

    private mutating func receiveFrames(
        _ bytes: ArraySlice<UInt8>, _ direction: Direction, _ events: inout [TapEvent]
    ) {
        switch direction {
        case .up: up.receive(bytes) { events.append(TapEvent(.up, $0)) }
        case .down: down.receive(bytes) { events.append(TapEvent(.down, $0)) }
        }
    }

    // MARK: Handshake

    private mutating func receiveHandshake(
        _ bytes: ArraySlice<UInt8>, _ direction: Direction, _ events: inout [TapEvent]
    ) {
        let isFirst = direction == .up ? up.input.isEmpty && !hasRequest : down.input.isEmpty
        if isFirst, Self.isTLS(bytes) {
            return giveUp("this is TLS: nobody but its two ends can read it", direction, &events)
        }
        guard direction == .down || !hasLostUp else { return }
        receiveFrames(bytes, direction, &events)
        do throws(HTTPHeadError) {
            switch direction {
            case .up: try readRequest(&events)
            case .down: try readResponses(&events)
            }
        } catch {
            guard isPartial else { return giveUp("HTTP: \(error.reason)", direction, &events) }
            beginInTheMiddle(direction, &events)
            // Only now is it known that these bytes are frames.
            receiveFrames(bytes, direction, &events)
        }
    }

    private mutating func readRequest(_ events: inout [TapEvent]) throws(HTTPHeadError) {
        if !hasRequest {
            guard let head = try Self.takeHead(&up.input, &upScanner) else { return }
            hasRequest = true
            var problem: String?
            do throws(HTTPHeadError) {
                request = try HTTPHeadParser.parseRequest(head, maxFields: limits.maxHeadFields)
            } catch {
                problem = error.reason
            }
            tell(.up, head, request?.fields, problem, &events)
        }
        // A client waits for the answer before it sends frames.
        guard up.input.count <= limits.maxHeadBytes else {
            return giveUp("the caller sends much before its request is answered", .up, &events)
        }
    }

    private mutating func readResponses(_ events: inout [TapEvent]) throws(HTTPHeadError) {
        while let head = try Self.takeHead(&down.input, &downScanner) {
            let response: HTTPResponseHead
            do throws(HTTPHeadError) {
                response = try HTTPHeadParser.parseResponse(head, maxFields: limits.maxHeadFields)
            } catch {
                tell(.down, head, nil, error.reason, &events)
                return giveUp("the answer cannot be read", .down, &events)
            }
            tell(.down, head, response.fields, nil, &events)
            guard response.isInterim else { return takeAnswer(response, &events) }
            downScanner.startOver()
        }
    }

    private mutating func takeAnswer(_ response: HTTPResponseHead, _ events: inout [TapEvent]) {
        guard response.status == 101 else {
            return giveUp("the connection was not upgraded: what follows is not shown", .down, &events)
        }
        var deflate: PermessageDeflate?
        do throws(HTTPHeadError) { deflate = try Self.agreement(response.fields) } catch {
            events.append(TapEvent(.down, .problem("HTTP: \(error.reason)")))
        }
        let subprotocol = response.fields.values("Sec-WebSocket-Protocol").first
        open(meaning(of: subprotocol), deflate, isDownWhole: true, &events)
    }

    /// The handshake was not seen, or not all of it.
    private mutating func beginInTheMiddle(_ direction: Direction, _ events: inout [TapEvent]) {
        let advice = dialect == nil ? "; only the dialect can say what follows" : ""
        events.append(
            TapEvent(direction, .problem("the handshake of this connection is missing, or a part of it" + advice)))
        open(dialect, nil, isDownWhole: false, &events)
    }

    private mutating func open(
        _ dialect: BLIPDialect?, _ deflate: PermessageDeflate?, isDownWhole: Bool, _ events: inout [TapEvent]
    ) {
        phase = .open
        events.append(TapEvent(.down, .opened(dialect, isDeflated: deflate != nil)))
        down.open(dialect, deflate, isWhole: isDownWhole) { events.append(TapEvent(.down, $0)) }
        // A caller whose request was sent before we looked begins with frames.
        let isUpWhole = !hasLostUp && (hasRequest || isDownWhole && up.input.isEmpty)
        up.open(dialect, deflate, isWhole: isUpWhole) { events.append(TapEvent(.up, $0)) }
    }

    /// The dialect that the answer's subprotocol means (PROTOCOL 3.2).
    private func meaning(of subprotocol: String?) -> BLIPDialect? {
        let newest = BLIPDialect.blip3
        if let subprotocol, subprotocol.utf8.starts(with: (newest.subprotocolName + "+").utf8) { return newest }
        let hasOffered = request?.fields.list("Sec-WebSocket-Protocol").contains(BLIPDialect.blip2.subprotocolName)
        let isNamed = subprotocol.map { $0 == BLIPDialect.blip2.subprotocolName } ?? (hasOffered == true)
        if isNamed, let dialect, dialect != newest { return dialect }
        let query = request?.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let namesSecond = query.split(separator: "&").contains("dialect=2.0")
        if isNamed { return namesSecond ? .blip2 : .blip2013 }
        return dialect ?? (subprotocol == nil && namesSecond ? .blip2 : nil)
    }

    private mutating func giveUp(_ reason: String, _ direction: Direction, _ events: inout [TapEvent]) {
        events.append(TapEvent(direction, .problem(reason)))
        phase = .over
        up.end()
        down.end()
    }

    /// Tells of a head, and what is wrong with it.
    private func tell(
        _ direction: Direction, _ head: [UInt8], _ fields: HTTPFields?, _ problem: String?, _ events: inout [TapEvent]
    ) {
        let line = HTTPSyntax.text(head[...].prefix { $0 != UInt8(ascii: "\r") })
        let subprotocols = fields?.list("Sec-WebSocket-Protocol") ?? []
        events.append(TapEvent(direction, .head(line: line, subprotocols: subprotocols)))
        if let problem { events.append(TapEvent(direction, .problem("HTTP: \(problem)"))) }
    }

    /// A whole head, taken out of `input`; `nil` while it is not complete.
    private static func takeHead(
        _ input: inout ByteQueue, _ scanner: inout HTTPHeadScanner
    ) throws(HTTPHeadError) -> [UInt8]? {
        guard let count = try input.withUnsafeBytes({ bytes throws(HTTPHeadError) in try scanner.scan(bytes) })
        else { return nil }
        return input.take(count)
    }

    /// The compression that both sides have agreed on by this answer (RFC 7692 section 7.1).
    private static func agreement(_ fields: HTTPFields) throws(HTTPHeadError) -> PermessageDeflate? {
        guard let element = try WebSocketExtension.parse(fields).first else { return nil }
        guard HTTPSyntax.equal(element.name, PermessageDeflate.extensionName),
            let answer = PermessageDeflate.Parameters(element)
        else { throw .malformed("an unknown extension, \(element.name)") }
        return PermessageDeflate(
            serverNoContextTakeover: answer.serverNoContextTakeover,
            clientNoContextTakeover: answer.clientNoContextTakeover)
    }

    /// Whether a connection begins with a record of TLS (RFC 8446 section 5.1).
    private static func isTLS(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, (0x14...0x17).contains(first) else { return false }
        return bytes.count < 2 || bytes[bytes.startIndex + 1] == 0x03
    }
}
