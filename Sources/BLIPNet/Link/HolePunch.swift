// A connection between two machines whose routers admit no callers: both call at the same moment (REACH 4), and the
// call of each opens its own router for that of the other.

internal import Glibc

/// One side's attempts: from one port of ours, to the places where the other side may come out.
package struct HolePunch: Sendable {
    /// Of more candidates only so many are called.
    package static let mostCandidates = 4
    /// How long both sides try.
    static let patience = Duration.seconds(5)
    /// Milliseconds between two attempts at a place that refuses: not the same on both sides, or they would miss each other again.
    private static let pauses = 50...150

    private let port: UInt16
    private let candidates: [SocketAddress]
    private let options: LinkOptions

    package init(from port: UInt16, to candidates: [SocketAddress], options: LinkOptions) {
        self.port = port
        self.candidates = Array(candidates.prefix(Self.mostCandidates))
        var options = options
        options.connect.localPort = port
        options.connect.localInterface = nil
        options.handshakeTimeout = min(options.handshakeTimeout, Self.patience)
        self.options = options
    }

    /// A port of this machine that nobody uses now.
    package static func freePort() -> UInt16? {
        guard let socket = try? Socket.open(family: AF_INET), let any = SocketAddress(host: "0.0.0.0", port: 0),
            any.withSockaddr({ bind(socket.descriptor, $0, $1) }) == 0
        else { return nil }
        return socket.localAddress?.port
    }

    private struct Opened: Sendable {
        let loop: EventLoop
        let socket: Socket
    }

    /// The TLS client's side: returns the link, whose peer has the expected key. Throws `.timedOut` when nothing came of it.
    package func connect(handler: any BLIPRequestHandler) async throws(LinkError) -> PeerLink {
        let result: Result<PeerLink, LinkError> = await withTaskGroup(of: Opened?.self) { group in
            defer { group.cancelAll() }
            let deadline = MonotonicTime.now() + Self.patience
            for place in candidates { group.addTask { await open(place, until: deadline) } }
            var failure = LinkError.timedOut("connect")
            while let opened = await group.next() {
                guard let opened else { continue }
                do throws(LinkError) {
                    let stack = try ProtocolStack.client(host: "localhost", options: options, now: .now())
                    let link = PeerLink(
                        loop: opened.loop, socket: opened.socket, stack: stack, options: options, isOutgoing: true)
                    guard let problem = await link.handshake(handler: handler) else { return .success(link) }
                    throw problem
                } catch {
                    failure = error
                }
            }
            return .failure(Task.isCancelled ? .closedLocally : failure)
        }
        return try result.get()
    }

    /// The TLS server's side: `acceptance` decides about whoever has come through. Returns when nobody can come any more.
    package func serve(acceptance: @escaping LinkListener.Acceptance) async {
        await withTaskGroup(of: Opened?.self) { group in
            let deadline = MonotonicTime.now() + Self.patience
            for place in candidates { group.addTask { await open(place, until: deadline) } }
            while let opened = await group.next() {
                guard let opened else { continue }
                do throws(LinkError) {
                    let stack = try ProtocolStack.server(options: options, now: .now())
                    PeerLink(
                        loop: opened.loop, socket: opened.socket, stack: stack, options: options, isOutgoing: false
                    )
                    .serve(acceptance: acceptance, observer: PeerLink.Observer())
                } catch {
                    // TLS cannot start here: the other side hears nothing, and the link that there is stays.
                }
            }
        }
    }

    /// Calls one place again and again.
    private func open(_ place: SocketAddress, until deadline: MonotonicTime) async -> Opened? {
        while !Task.isCancelled {
            let left = deadline - .now()
            guard left > .zero else { return nil }
            var connect = options.connect
            connect.timeout = left
            let loop = EventLoop.next()
            do throws(NetError) {
                let socket = try await SocketConnector(loop: loop).connect(to: place.endpoint, options: connect)
                return Opened(loop: loop, socket: socket)
            } catch {
                // Their router refuses as long as their own call has not opened it.
                let pause = Duration.milliseconds(Int.random(in: Self.pauses))
                do { try await Task.sleep(for: min(pause, left)) } catch { return nil }
            }
        }
        return nil
    }
}
