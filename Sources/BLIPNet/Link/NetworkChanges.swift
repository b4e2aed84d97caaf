// Listens to the kernel for changes of this machine's addresses and routes (rtnetlink(7)), so that the chat drops dead
// connections at once and calls again as soon as there is a way.

internal import CLinux
internal import Dispatch
internal import Glibc

/// A change of this machine's networks.
package enum NetworkChange: Sendable, Hashable {
    /// An address of ours, a numeric host, has gone: connections from it carry nothing any more.
    case addressGone(host: String)
    /// A new address or default route: there may be a way where there was none.
    case pathFound

    /// The changes from now on, for one reader. Ends at once where the kernel tells none.
    package static func stream() -> AsyncStream<NetworkChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkChange.self, bufferingPolicy: .bufferingNewest(64))
        guard let socket = RouteSocket() else {
            continuation.finish()
            return stream
        }
        // Any thread may cancel a source.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: socket.descriptor, queue: .global(qos: .utility))
        source.setEventHandler {
            for change in socket.read() { continuation.yield(change) }
        }
        source.setCancelHandler { socket.close() }
        continuation.onTermination = { _ in source.cancel() }
        source.resume()
        return stream
    }
}

/// A socket of rtnetlink that hears of addresses and routes.
private struct RouteSocket: Sendable {
    let descriptor: Int32

    /// Constants of <linux/netlink.h> and <linux/rtnetlink.h>.
    private static let family: Int32 = 16
    /// The chat can do without us, and not without its last descriptors.
    private static let reserve: Int32 = 1
    private static let groups: UInt32 = 0x10 | 0x100 | 0x40 | 0x400

    /// `nil`: the kernel gives none, or no descriptor is left.
    init?() {
        guard clinux_leaves_descriptors(Self.reserve) != 0 else { return nil }
        descriptor = socket(Self.family, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl: family, padding, port, groups.
        var address: [UInt32] = [UInt32(Self.family), 0, Self.groups]
        let isBound = address.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt16(Self.family), as: UInt16.self)
            guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, place, 12) == 0
        }
        guard isBound else {
            close()
            return nil
        }
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Reads the news that wait. Where the kernel had to drop some, we take it that there is a new path.
    func read() -> Set<NetworkChange> {
        var changes: Set<NetworkChange> = []
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                changes.formUnion(NetlinkMessages.changes(in: Array(buffer[..<count])))
            } else if count < 0, errno == ENOBUFS {
                changes.insert(.pathFound)
            } else if count == 0 || errno != EINTR {
                return changes
            }
        }
    }
}

/// Messages of rtnetlink, in the byte order of this machine (netlink(7), rtnetlink(7)). Pure.
enum NetlinkMessages {
    private enum Kind {
        static let newAddress = 20
        static let deletedAddress = 21
        static let newRoute = 24
    }
    private enum Attribute {
        static let address = 1
        static let local = 2
    }
    private static let mainTable = 254

    /// Reads the messages of one datagram, and ignores those that are cut off or of other kinds.
    static func changes(in bytes: [UInt8]) -> [NetworkChange] {
        var changes: [NetworkChange] = []
        var rest = bytes[...]
        while let length = number(rest, at: 0, as: UInt32.self), length >= 16, length <= rest.count,
            let kind = number(rest, at: 4, as: UInt16.self)
        {
            let body = rest.prefix(length).dropFirst(16)
            switch kind {
            case Kind.newAddress: changes.append(.pathFound)
            case Kind.deletedAddress: if let host = host(body) { changes.append(.addressGone(host: host)) }
            // struct rtmsg: family, bits of the destination (none: the default route), of the source, TOS, table.
            case Kind.newRoute where body.count >= 12 && number(body, at: 1, as: UInt8.self) == 0:
                if number(body, at: 4, as: UInt8.self) == mainTable { changes.append(.pathFound) }
            default: break
            }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return changes
    }

    /// Reads the address from a `struct ifaddrmsg` and its attributes. On a point-to-point link `local` has our own end.
    private static func host(_ body: ArraySlice<UInt8>) -> String? {
        guard let family = number(body, at: 0, as: UInt8.self) else { return nil }
        var found: [Int: ArraySlice<UInt8>] = [:]
        var rest = body.dropFirst(8)
        while let length = number(rest, at: 0, as: UInt16.self), length >= 4, length <= rest.count,
            let kind = number(rest, at: 2, as: UInt16.self)
        {
            found[kind] = rest.prefix(length).dropFirst(4)
            rest = rest.dropFirst((length + 3) & ~3)
        }
        guard let address = found[Attribute.local] ?? found[Attribute.address],
            address.count == (Int32(family) == AF_INET ? 4 : 16)
        else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(Int32(family), Array(address), &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads an unsigned number; `nil` beyond the end.
    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: ArraySlice<UInt8>, at offset: Int, as type: Number.Type
    ) -> Int? {
        guard bytes.count >= offset + MemoryLayout<Number>.size else { return nil }
        return bytes.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }
}
