// An address that the kernel understands: what the resolver yields and what sockets are bound and connected to.

internal import CLinux
internal import Glibc

/// The bytes of a `sockaddr`: an IPv4 or IPv6 address with a port (and the zone of a link-local address), or the path
/// of a UNIX-domain socket.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// A numeric address (`192.0.2.7`, `2001:db8::1`, `fe80::1%eth0`). `nil` when `host` is none; names are resolved
    /// by `lookup`.
    public init?(host: String, port: UInt16) {
        guard let address = NameResolver.numeric(host: host, port: port)?.first else { return nil }
        self = address
    }

    /// Asks the resolver of the system for the addresses of a host, in its order of preference (RFC 6724). Throws
    /// `.dns` when there is none, `.cancelled` when the task is cancelled.
    public static func lookup(host: String, port: UInt16) async throws(NetError) -> [SocketAddress] {
        try await NameResolver.addresses(of: host, port: port)
    }

    /// Copies `length` bytes of `address`. `nil` when there is not even a family in them.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        guard Int(length) >= MemoryLayout<sa_family_t>.size, Int(length) <= MemoryLayout<sockaddr_storage>.size
        else { return nil }
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// The address of the UNIX-domain socket at `path`. `nil` when the path is empty, has a NUL or is longer than
    /// the kernel takes (107 bytes).
    init?(unixPath path: String) {
        var address = sockaddr_un()
        let pathOffset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let utf8 = Array(path.utf8)
        guard !utf8.isEmpty, !utf8.contains(0), utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        var all = withUnsafeBytes(of: &address) { Array($0) }
        all.replaceSubrange(pathOffset..<(pathOffset + utf8.count), with: utf8)
        bytes = Array(all.prefix(pathOffset + utf8.count + 1))
    }

    /// Asks the kernel for an address with `getsockname` or `getpeername`.
    init?(
        of descriptor: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> SocketAddress? in
                call(descriptor, address, &length) == 0 ? SocketAddress(address, length: length) : nil
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var family: Int32 { bytes.withUnsafeBytes { Int32($0.loadUnaligned(as: sa_family_t.self)) } }

    /// Whether it is certain that the other end is on this machine: loopback addresses and UNIX sockets.
    package var isLocal: Bool {
        switch family {
        case AF_UNIX: true
        // `sin_addr` is the network's byte order: 127.0.0.0/8 begins with 127.
        case AF_INET: bytes.count >= 8 && bytes[4] == 127
        case AF_INET6: bytes.count >= 24 && bytes[8..<23].allSatisfy { $0 == 0 } && bytes[23] == 1
        default: false
        }
    }

    /// Hands the address to a system call.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
        }
    }

    /// The bytes of an IPv4 (4) or IPv6 address (16); empty for a UNIX-domain socket.
    var hostBytes: [UInt8] {
        switch family {
        case AF_INET where bytes.count >= 8: Array(bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: Array(bytes[8..<24])
        default: []
        }
    }

    /// Whether this is no address of the public network: this machine, a private or link-local network, a carrier's
    /// network with NAT, or many at once (RFC 6890).
    package var isInside: Bool {
        let host = hostBytes
        if host.count == 16 {
            if host.prefix(10).allSatisfy({ $0 == 0 }), host[10] == 0xFF, host[11] == 0xFF {
                return Self.isInside(Array(host.suffix(4)))
            }
            return host.prefix(15).allSatisfy { $0 == 0 } && host[15] <= 1 || host[0] == 0xFE && host[1] & 0xC0 == 0x80
                || host[0] & 0xFE == 0xFC || host[0] == 0xFF
        }
        return host.isEmpty || Self.isInside(host)
    }

    private static func isInside(_ host: [UInt8]) -> Bool {
        switch (host[0], host[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (224..., _): true
        case (192, 0): host[2] == 0
        default: false
        }
    }

    /// Whether a machine in one of our networks can have it: a private IPv4 address, or an IPv6 address that means the
    /// same machine on all links. An address that somebody in the network names must not lead elsewhere.
    package var isOfNeighbour: Bool {
        let host = hostBytes
        if host.count == 4 { return Self.isInside(host) && ![0, 127].contains(host[0]) && host[0] < 224 }
        guard host.count == 16, !isLinkLocal, !isLocal else { return false }
        return host[0] & 0xE0 == 0x20 || host[0] & 0xFE == 0xFC
    }

    /// The port; 0 for a UNIX-domain socket.
    public var port: UInt16 {
        guard family != AF_UNIX, bytes.count >= 4 else { return 0 }
        // `sin_port` and `sin6_port` follow the family, in the byte order of the network.
        return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The same address with another port.
    func withPort(_ port: UInt16) -> SocketAddress {
        guard family != AF_UNIX, bytes.count >= 4 else { return self }
        var changed = bytes
        changed[2] = UInt8(port >> 8)
        changed[3] = UInt8(port & 255)
        return SocketAddress(bytes: changed)
    }

    /// An address that means something only on one link: fe80::/10.
    var isLinkLocal: Bool {
        family == AF_INET6 && bytes.count >= 10 && bytes[8] == 0xFE && bytes[9] & 0xC0 == 0x80
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    public var description: String { endpoint.description }

    /// The place that this address names; the host is numeric.
    public var endpoint: Endpoint {
        if family == AF_UNIX {
            let path = bytes.dropFirst(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2).prefix { $0 != 0 }
            return .unix(path: String(decoding: path, as: UTF8.self))
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let failure = withSockaddr { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard failure == 0 else { return .host("unknown", port: 0) }
        return .host(Self.text(host), port: UInt16(Self.text(service)) ?? 0)
    }

    /// The host part alone: a numeric address, or `unix`.
    package var hostText: String {
        switch endpoint {
        case .host(let host, _): host
        case .unix: "unix"
        }
    }

    /// The caller that an address counts as where each may have so much: an IPv4 address, or the 64 bits of an IPv6
    /// network, whose other 64 bits every subscriber may choose at will (RFC 4291 section 2.5.1).
    package var network: String {
        guard family == AF_INET6, bytes.count >= 24 else { return hostText }
        let address = bytes[8..<24]
        // An IPv4 address in an IPv6 socket (RFC 4291 section 2.5.5.2).
        if address.prefix(10).allSatisfy({ $0 == 0 }), address[18] == 0xFF, address[19] == 0xFF {
            return address.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        let groups = stride(from: 8, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }

    /// The network that an address counts as where each may have so much: 24 bits of an IPv4 address (`192.0.2.0/24`),
    /// 64 bits of an IPv6 address, as `network` has them.
    package var neighbourhood: String {
        let network = network
        guard let last = network.utf8.lastIndex(of: UInt8(ascii: ".")) else { return network }
        return network[..<last] + ".0/24"
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
