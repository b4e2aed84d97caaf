// Host names to addresses. The system's resolver blocks, so it runs on its own concurrent queue.

internal import Dispatch
internal import Glibc

/// `getaddrinfo` (POSIX; RFC 3493).
enum NameResolver {
    private static let queue = DispatchQueue(label: "blipnet.resolver", attributes: .concurrent)

    /// Resolves `host` off the caller's queue and calls `completion` on some queue of its own. The resolver cannot be
    /// interrupted; who no longer waits ignores the answer.
    static func resolve(
        host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], LinkError>) -> Void
    ) {
        queue.async { completion(addresses(of: host, port: port, flags: 0)) }
    }

    /// Resolves a numeric address without asking anybody; blocks for no time.
    static func numeric(host: String, port: UInt16) -> [SocketAddress]? {
        try? addresses(of: host, port: port, flags: AI_NUMERICHOST).get()
    }

    /// Blocks until the system's resolver has answered.
    static func addresses(of host: String, port: UInt16, flags: Int32) -> Result<[SocketAddress], LinkError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Socket.streamType
        hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0 else {
            let reason = gai_strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
            return .failure(.unresolvable(host: host, reason: reason))
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr.flatMap({ SocketAddress($0, length: entry.pointee.ai_addrlen) }),
                !found.contains(address)
            {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failure(.unresolvable(host: host, reason: "no address")) : .success(found)
    }

    /// The order in which addresses are tried: the families in turn, beginning with the one that the resolver put
    /// first (RFC 8305 section 4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.family == first.family }
        let others = addresses.filter { $0.family != first.family }
        var order: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { order.append(preferred[index]) }
            if index < others.count { order.append(others[index]) }
        }
        return order
    }
}
