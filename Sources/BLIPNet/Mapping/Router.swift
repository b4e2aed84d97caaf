// The router of this network, asked for a port by datagrams (REACH 5).

internal import CLinux
internal import Dispatch
internal import Glibc

/// Asks one router. One question at a time: it may stall for long after a refusal, and its owner waits for each answer.
package struct Router: Sendable {
    private let place: SocketAddress
    /// The socket, and our own address towards the router.
    private let socket: Socket
    private let client: [UInt8]

    /// Finds the router, or takes the one at `place`. Throws `.noGateway` where there is no way out by IPv4.
    package init(at place: SocketAddress? = nil) throws(MappingFailure) {
        guard let place = place ?? DefaultGateway.now() else { throw .noGateway }
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        // The chat can do without a mapping, and not without its last descriptors.
        guard clinux_leaves_descriptors(1) != 0, case let descriptor = Glibc.socket(AF_INET, flags, 0), descriptor >= 0
        else { throw .noGateway }
        let socket = Socket(adopting: descriptor)
        // A connected socket hears only the router, and whether somebody listens there.
        guard socket.connect(to: place) == 0, let client = socket.localAddress?.hostBytes, client.count == 4 else {
            throw .noGateway
        }
        self.place = place
        self.socket = socket
        self.client = client
    }

    /// Our own address, as the router sees it.
    package var ownHost: String { PortQuestion.text(client) }

    /// This machine is in the public network itself.
    package var isNeedless: Bool { PortQuestion.publicHost(client) != nil }

    private enum News: Sendable {
        case datagram([UInt8])
        case refused
        case time
    }

    /// Asks the router to pass a port on to our `port`, or renews `earlier`. Takes 7.5 s at most.
    package func map(_ port: UInt16, earlier: MappedPort? = nil) async throws(MappingFailure) -> MappedPort {
        let known = earlier.flatMap { $0.router == place.hostText && $0.way != .upnp ? $0 : nil }
        var mapped = try await ask(.map(earlier: known), port: port)
        mapped.router = place.hostText
        return mapped
    }

    /// Nobody needs the port any more. That the router does not answer is nobody's loss: its lease ends.
    package func giveBack(_ mapped: MappedPort) async {
        guard mapped.router == place.hostText else { return }
        do throws(MappingFailure) { _ = try await ask(.giveBack(mapped), port: mapped.inside) } catch {}
    }

    private func ask(_ purpose: PortQuestion.Purpose, port: UInt16) async throws(MappingFailure) -> MappedPort {
        var question = PortQuestion(
            purpose, port: port, client: client, nonce: RandomSource.system.bytes(PCPMapping.nonceBytes), now: .now())
        let (stream, teller) = AsyncStream.makeStream(of: News.self, bufferingPolicy: .bufferingNewest(16))
        let source = DispatchSource.makeReadSource(
            fileDescriptor: socket.descriptor, queue: .global(qos: .utility))
        source.setEventHandler { [socket] in
            for news in Self.read(socket) { teller.yield(news) }
        }
        source.resume()
        defer { source.cancel() }
        var news = stream.makeAsyncIterator()
        while true {
            while let datagram = question.nextDatagram() {
                // A datagram that cannot be sent now is sent with the next try. The kernel reports here, too, that nobody
                // listens at the router (ICMP).
                if datagram.withUnsafeBytes({ socket.write($0) }) == .failed(errno: ECONNREFUSED) {
                    question.refusedByHost()
                }
            }
            if let outcome = question.outcome { return try outcome.get() }
            let wait = max(.zero, (question.deadline ?? .now()) - .now())
            let timer = Task {
                do { try await Task.sleep(for: wait) } catch { return }
                teller.yield(.time)
            }
            defer { timer.cancel() }
            switch await news.next() {
            case .datagram(let bytes): question.receive(bytes, now: .now())
            case .refused: question.refusedByHost()
            case .time: question.handleTimeout(now: .now())
            // The caller's task was cancelled.
            case nil: throw .silent
            }
        }
    }

    private static func read(_ socket: Socket) -> [News] {
        var news: [News] = []
        var buffer = [UInt8](repeating: 0, count: 1100)
        while news.count < 16 {
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): news.append(.datagram(Array(buffer[..<count])))
            case .failed(errno: ECONNREFUSED): return news + [.refused]
            // A datagram of no bytes says nothing.
            case .end: continue
            case .nothingYet, .failed: return news
            }
        }
        return news
    }
}
