// The events of a Socket.IO client on the wire, for somebody who looks for a fault (SOCKETIO B18):
// `SocketIOOptions.trace` gets them. Nothing in them is a secret: session ids, tokens, cookies and what events carry
// are left out.

internal import Synchronization

/// Something that has happened on the connection of a client.
public struct SocketIOTrace: Sendable, Equatable, CustomStringConvertible {
    public enum Event: Sendable, Equatable {
        /// A request of polling. `target` has `***` in place of secrets.
        case request(method: String, target: String, byteCount: Int)
        case response(method: String, status: Int, byteCount: Int)
        case webSocketOpening(target: String)
        case webSocketOpened
        /// One message of the WebSocket. `head` is the type of the packet in digits; empty for bytes.
        case message(isOutgoing: Bool, head: String, byteCount: Int)
        /// A request or the WebSocket has failed.
        case failed(SocketIOError)
        case change(SocketIOChange)
        /// A packet that means nothing here.
        case ignored(SocketIOFault)
    }

    /// Which client: each one that is traced has a number of its own in this process.
    public var client: UInt64
    public var event: Event

    /// A line for a log.
    public var description: String {
        switch event {
        case .request(let method, let target, let count): "\(client) > \(method) \(target) (\(count) bytes)"
        case .response(let method, let status, let count): "\(client) < \(status) to \(method) (\(count) bytes)"
        case .webSocketOpening(let target): "\(client) > WebSocket \(target)"
        case .webSocketOpened: "\(client) < WebSocket open"
        case .message(let isOutgoing, let head, let count):
            "\(client) \(isOutgoing ? ">" : "<") \(head.isEmpty ? "binary" : head) (\(count) bytes)"
        case .failed(let error): "\(client) failed: \(error)"
        case .change(let change): "\(client) \(change)"
        case .ignored(let fault): "\(client) ignored: \(fault)"
        }
    }
}

/// Reports what happens to one client.
struct SocketIOTracer: Sendable {
    private static let lastClient = Atomic<UInt64>(0)

    private let client = Self.lastClient.wrappingAdd(1, ordering: .relaxed).newValue
    private let report: @Sendable (SocketIOTrace) -> Void

    init(_ report: @escaping @Sendable (SocketIOTrace) -> Void) { self.report = report }

    func note(_ event: SocketIOTrace.Event) { report(SocketIOTrace(client: client, event: event)) }

    /// A message of the WebSocket: only the digits that say what kind of packet it is.
    func note(isOutgoing: Bool, _ kind: WebSocketMessageKind, _ bytes: [UInt8]) {
        let digits = kind == .text ? Array(bytes.prefix(2).prefix { HTTPSyntax.isDigit($0) }) : []
        note(.message(isOutgoing: isOutgoing, head: HTTPSyntax.text(digits[...]), byteCount: bytes.count))
    }
}
