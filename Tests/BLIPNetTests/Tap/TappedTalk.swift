// A link between two ends of ours, with every byte of it: what the tests of the tap look at.

@testable import BLIPNet

/// Both ends of a link and what went between them, in order. Echoes every request.
struct TappedTalk {
    struct Piece {
        var direction: BLIPTap.Direction
        var bytes: [UInt8]
    }

    let dialect: BLIPDialect
    private(set) var pieces: [Piece] = []
    private var client: WebSocketConnection
    private var server: WebSocketConnection
    private var asking: BLIPConnection
    private var answering: BLIPConnection
    private static let now = WebSocketFixtures.time(1)

    /// Makes the handshake. `isDeflated`: with permessage-deflate.
    init(_ dialect: BLIPDialect, isDeflated: Bool = false) {
        self.dialect = dialect
        let subprotocols = [dialect.subprotocol(application: "example_1")]
        var offer = WebSocketClientOptions(hostHeader: "localhost", subprotocols: subprotocols)
        var acceptance = WebSocketServerOptions(subprotocols: subprotocols)
        if isDeflated {
            offer.deflate = PermessageDeflate(threshold: 1)
            acceptance.deflate = PermessageDeflate(threshold: 1)
        }
        client = .client(offer, random: WebSocketFixtures.random(seed: 7), now: Self.now)
        server = .server(acceptance, random: WebSocketFixtures.random(seed: 8), now: Self.now)
        asking = BLIPConnection(dialect)
        answering = BLIPConnection(dialect)
        run()
    }

    mutating func ask(_ request: BLIPRequest, noReply: Bool = false) {
        _ = asking.send(request, sink: nil, noReply: noReply)
        run()
    }

    mutating func ping() {
        client.ping([1, 2, 3])
        run()
    }

    mutating func sayBye() {
        asking.sayBye()
        run()
    }

    mutating func sendText(_ text: String) {
        var out = ByteQueue()
        Array(text.utf8).withUnsafeBytes { _ = client.send(.text, $0, into: &out) }
        pieces.append(Piece(direction: .up, bytes: out.takeAll()))
    }

    mutating func close() {
        client.close(code: 1001, reason: "going \"away\"", now: Self.now)
        run()
    }

    /// Moves bytes until nothing is left to be sent.
    private mutating func run() {
        while true {
            let up = Self.outgoing(&client, &asking)
            if !up.isEmpty { pieces.append(Piece(direction: .up, bytes: up)) }
            Self.deliver(up, &server, &answering)
            let down = Self.outgoing(&server, &answering)
            if !down.isEmpty { pieces.append(Piece(direction: .down, bytes: down)) }
            Self.deliver(down, &client, &asking)
            if up.isEmpty, down.isEmpty { return }
        }
    }

    private static func outgoing(_ socket: inout WebSocketConnection, _ link: inout BLIPConnection) -> [UInt8] {
        var out = ByteQueue()
        _ = socket.nextOutgoing(into: &out)
        guard socket.isOpen else { return out.takeAll() }
        while let frame = link.oneFrame() {
            frame.withUnsafeBytes { _ = socket.send(.binary, $0, into: &out) }
        }
        return out.takeAll()
    }

    private static func deliver(_ bytes: [UInt8], _ socket: inout WebSocketConnection, _ link: inout BLIPConnection) {
        bytes.withUnsafeBytes { socket.receive($0, now: now) }
        while let event = socket.nextEvent() {
            guard case .message = event else { continue }
            let frame = socket.withMessagePayload { Array($0) }
            try? link.receive(frame)
        }
        for event in link.allEvents() {
            guard let request = event.request, !request.isNoReply else { continue }
            var response = BLIPResponse(properties: request.properties, body: .bytes(request.body), compressed: true)
            if request.properties.profile == "fail" { response.error = BLIPErrorCode(domain: "Test", code: -17) }
            link.respond(to: request.number, with: response)
        }
    }
}

extension BLIPTap {
    mutating func receive(_ pieces: [TappedTalk.Piece]) -> [TapEvent] {
        pieces.flatMap { receive($0.bytes[...], $0.direction) }
    }
}

extension TapEvent {
    var frame: TapFrame? {
        if case .frame(let frame) = content { return frame }
        return nil
    }

    var problem: String? {
        switch content {
        case .problem(let problem): problem
        case .frame(let frame): frame.problem ?? frame.message?.problem
        default: nil
        }
    }
}
