// The options that we ask the kernel for on our sockets, and why.

internal import CLinux
internal import Glibc

extension Socket {
    /// Prepares a connected or connecting socket. Options that a kernel does not know are no reason to drop the
    /// connection, so failures are ignored here; UNIX sockets have no such options.
    func apply(_ options: StreamOptions, for remote: SocketAddress) {
        if let size = options.localBuffer, remote.isLocal {
            _ = setOption(SOL_SOCKET, SO_RCVBUF, size)
            _ = setOption(SOL_SOCKET, SO_SNDBUF, size)
        }
        guard remote.family != AF_UNIX else { return }
        let tcp = Int32(IPPROTO_TCP)
        _ = setOption(tcp, TCP_NODELAY, options.noDelay ? 1 : 0)
        let lowWater = remote.isLocal ? options.localUnsentLowWater : options.unsentLowWater
        if let bytes = lowWater { setUnsentLowWater(Int(bytes)) }
        if let timeout = options.userTimeout {
            _ = setOption(tcp, TCP_USER_TIMEOUT, Int32(clamping: timeout.inNanoseconds / 1_000_000))
        }
        if let rate = options.maxSendRate { limitSending(to: rate) }
        _ = setOption(SOL_SOCKET, SO_KEEPALIVE, options.keepalive == nil ? 0 : 1)
        if let keepalive = options.keepalive {
            _ = setOption(tcp, TCP_KEEPIDLE, Self.seconds(keepalive.idle))
            _ = setOption(tcp, TCP_KEEPINTVL, Self.seconds(keepalive.interval))
            _ = setOption(tcp, TCP_KEEPCNT, keepalive.count)
        }
    }

    /// The kernel counts these times in seconds, at least one.
    private static func seconds(_ duration: Duration) -> Int32 {
        max(1, Int32(clamping: duration.components.seconds))
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

    /// Bytes that the kernel has taken and not sent yet; 0 where it does not say.
    var unsentBytes: Int { Int(clinux_unsent_bytes(descriptor)) }

    /// How many unsent bytes the kernel is to hold at most; `nil` when that is up to it.
    var unsentLowWater: Int? {
        guard let bytes = option(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT), bytes > 0 else { return nil }
        return Int(bytes)
    }

    /// How many unsent bytes the kernel is to hold at most from now on.
    func setUnsentLowWater(_ bytes: Int) {
        _ = setOption(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(clamping: bytes))
    }

    /// How many bytes per second leave at most; `nil`: as many as TCP likes.
    func limitSending(to rate: UInt64?) {
        // All ones mean no limit.
        let value = rate.map { UInt32(clamping: min($0, 0xFFFF_FFFE)) } ?? .max
        _ = setOption(SOL_SOCKET, SO_MAX_PACING_RATE, Int32(bitPattern: value))
    }

    /// TCP_INFO; `nil` where the kernel does not say all of it.
    private var path: clinux_path? {
        var path = clinux_path()
        return clinux_get_path(descriptor, &path) != 0 ? path : nil
    }

    /// The kernel's measurements of the way out of a TCP connection; `nil` where it does not say.
    func pathSample(now: MonotonicTime) -> PathSample? {
        guard let path, path.round_trip > 0 else { return nil }
        // All ones: nothing has been measured yet.
        let shortest = min(path.shortest_round_trip, path.round_trip)
        // Bytes that arrived beyond a hole have arrived, too: otherwise the rate would stop and then jump.
        let (segment, beyond) = (Int(path.segment), Int(path.selectively_acknowledged))
        let flying = Int(path.unacknowledged) + Int(path.sent_again) - beyond - Int(path.lost)
        return PathSample(
            now: now, roundTrip: .microseconds(path.round_trip), shortestRoundTrip: .microseconds(shortest),
            acknowledged: path.acknowledged &+ UInt64(beyond * segment), inFlight: max(flying, 0) * segment,
            segment: segment)
    }

    /// The kernel's counts of the way out; `nil` where it does not say.
    var lossCounters: LossCounters? {
        guard let path else { return nil }
        return LossCounters(
            segments: UInt64(path.segments_out), segmentsAgain: UInt64(path.segments_out_again),
            acknowledged: path.acknowledged, roundTrip: .microseconds(path.round_trip))
    }

    /// Whether the peer's kernel has let a retransmission time-out pass (RFC 6298) and has been silent for two round trips and
    /// 400 ms. One lost packet makes no stall: what comes after it is acknowledged.
    var isStalled: Bool {
        guard let path, path.timeouts > 0 else { return false }
        return Duration.milliseconds(path.silence) >= .milliseconds(400) + .microseconds(path.round_trip) * 2
    }

    /// The user that runs the process at the other end of a UNIX-domain socket.
    var peerUser: uid_t? { uid_t(exactly: clinux_peer_user(descriptor)) }
}

extension StreamOptions {
    /// The options of the sockets of a link.
    static let link: StreamOptions = {
        var options = StreamOptions()
        // An urgent message cannot overtake what the kernel has already, so it gets no more than about one TLS record
        // ahead of what the network takes.
        options.unsentLowWater = 16 * 1024
        options.localUnsentLowWater = 16 * 1024
        // Nothing is lost between two of us on one machine, so the kernel would let megabytes pile up in front of a
        // reader that is slower than the writer, and an urgent message would wait for them. Over a network the window
        // must be able to grow to what the path holds.
        options.localBuffer = 64 * 1024
        // A peer that vanished (no RST, a dead NAT mapping) is noticed after 20 s of unacknowledged data; the
        // WebSocket keepalive produces such data on an idle link, and the kernel's does when even that is off.
        options.userTimeout = .seconds(20)
        return options
    }()

    /// The options of the sockets of a WebSocket without urgent messages: the kernel may hold as much as it likes.
    static let webSocket: StreamOptions = {
        var options = StreamOptions()
        options.userTimeout = .seconds(20)
        return options
    }()
}
