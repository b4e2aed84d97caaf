// One non-blocking stream socket: the system calls on it, nothing more. Bytes come from and go to
// `TCPConnection` and `StreamDriver`.

internal import CLinux
internal import Glibc

/// Owns a descriptor and closes it when the last owner lets go. `SocketReadiness` holds the socket, so a
/// descriptor is never closed (and reused by the kernel) while `SocketPoller` watches it.
final class Socket: Sendable {
    let descriptor: Int32

    static let streamType = Int32(SOCK_STREAM.rawValue)

    /// Takes over an open descriptor. The caller has made it non-blocking.
    init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = Glibc.close(descriptor) }

    /// A new non-blocking stream socket of `family`, not inherited by child processes.
    static func open(family: Int32) throws(NetError) -> Socket {
        _ = ignoreSIGPIPE
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, streamType | flags, 0)
        guard descriptor >= 0 else { throw .posix(call: "socket", errno: errno) }
        return Socket(adopting: descriptor)
    }

    /// Every write says MSG_NOSIGNAL already; this guards what other code of the process may do with a broken pipe.
    static let ignoreSIGPIPE: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    // MARK: Moving bytes

    enum ReadOutcome: Equatable {
        case bytes(Int)
        case nothingYet
        case end
        case failed(errno: Int32)
    }

    /// Reads what is there, at most the size of `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothingYet
            case let number: return .failed(errno: number)
            }
        }
    }

    enum WriteOutcome: Equatable {
        /// How many bytes the kernel took; may be fewer than offered.
        case bytes(Int)
        case noRoom
        case failed(errno: Int32)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .noRoom
            case let number: return .failed(errno: number)
            }
        }
    }

    /// Tells the peer that nothing more will come, and keeps reading (half-close).
    func shutdownWrites() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Connecting and accepting

    /// Begins to connect; 0 when that succeeded at once, else an error number (`EINPROGRESS` is the usual one).
    func connect(to address: SocketAddress) -> Int32 {
        address.withSockaddr { Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// The outcome of a connect that was in progress: 0 or an error number. Reading it clears it.
    func takeError() -> Int32 { option(SOL_SOCKET, SO_ERROR) ?? errno }

    enum AcceptOutcome {
        case connection(Socket)
        case nothingYet
        case failed(errno: Int32)
    }

    /// Descriptors that callers from the network never take: files, the history and local commands need some.
    private static let reserve: Int32 = 8

    /// The next waiting connection of a listening socket.
    func accept() -> AcceptOutcome {
        while true {
            let accepted = clinux_accept(descriptor, Self.reserve)
            if accepted >= 0 { return .connection(Socket(adopting: accepted)) }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EAGAIN: return .nothingYet
            case let number: return .failed(errno: number)
            }
        }
    }

    var localAddress: SocketAddress? { SocketAddress(of: descriptor) { getsockname($0, $1, $2) } }
    var remoteAddress: SocketAddress? { SocketAddress(of: descriptor) { getpeername($0, $1, $2) } }
}
