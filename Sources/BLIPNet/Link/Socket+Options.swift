// What we ask of the kernel for the sockets of a link, and why.

internal import CLinux
internal import Glibc

extension Socket {
    /// How many bytes may wait unsent in the kernel. An urgent message cannot overtake what the kernel has already,
    /// so it gets no more than about one TLS record ahead of what the network takes.
    static let unsentLowWater: Int32 = 16 * 1024

    /// The same for a peer on this machine, where this much takes a tenth of a millisecond: fewer changes between the
    /// two processes.
    static let unsentLowWaterOnLoopback: Int32 = 64 * 1024

    /// How much a peer on this machine may send before it is read. Nothing is lost between the two of us, so the kernel
    /// would let megabytes pile up in front of a reader that is slower than the writer, and an urgent message would
    /// wait behind them. Over a network the window must be able to grow to what the path holds.
    static let loopbackBuffer: Int32 = 256 * 1024

    /// Prepares a connected or connecting socket for a link. Options that a kernel does not know are no reason to
    /// give the connection up, so failures are ignored here; UNIX sockets have none of them.
    func applyLinkOptions(for remote: SocketAddress) {
        if remote.isLocal {
            _ = setOption(SOL_SOCKET, SO_RCVBUF, Self.loopbackBuffer)
            _ = setOption(SOL_SOCKET, SO_SNDBUF, Self.loopbackBuffer)
        }
        guard remote.family != AF_UNIX else { return }
        let tcp = Int32(IPPROTO_TCP)
        // Frames are handed over whole: waiting to gather more only adds delay.
        _ = setOption(tcp, TCP_NODELAY, 1)
        _ = setOption(tcp, TCP_NOTSENT_LOWAT, remote.isLocal ? Self.unsentLowWaterOnLoopback : Self.unsentLowWater)
        // A peer that vanished (no RST, a dead NAT mapping) is noticed after 20 s of unacknowledged data; the
        // WebSocket keepalive produces such data on an idle link, and the kernel's does when even that is off.
        _ = setOption(tcp, TCP_USER_TIMEOUT, 20_000)
        _ = setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        _ = setOption(tcp, TCP_KEEPIDLE, 60)
        _ = setOption(tcp, TCP_KEEPINTVL, 10)
        _ = setOption(tcp, TCP_KEEPCNT, 3)
    }

    /// Prepares a socket for a stream of messages without urgent ones among them: the kernel may hold as much as it
    /// likes. UNIX sockets have none of these options.
    func applyStreamOptions() {
        let tcp = Int32(IPPROTO_TCP)
        _ = setOption(tcp, TCP_NODELAY, 1)
        _ = setOption(tcp, TCP_USER_TIMEOUT, 20_000)
        _ = setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
    }

    /// A peer without another means of slowing us down may stop reading for a while: unacknowledged data no longer says
    /// that it has vanished (`TCP_USER_TIMEOUT` counts a closed window too). The WebSocket keepalive still does.
    func tolerateClosedWindow() { _ = setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 0) }

    /// Sets an integer option; 0 or an error number.
    func setOption(_ level: Int32, _ name: Int32, _ value: Int32) -> Int32 {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        return setsockopt(descriptor, level, name, &value, size) == 0 ? 0 : errno
    }

    /// Reads an integer option; `nil` when the kernel refuses.
    func option(_ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &size) == 0 ? value : nil
    }

    /// The user that runs the process at the other end of a UNIX-domain socket.
    var peerUser: uid_t? { uid_t(exactly: clinux_peer_user(descriptor)) }
}
