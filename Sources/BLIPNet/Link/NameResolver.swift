// Host names to addresses. The system's resolver blocks; `NameLookups` asks it on threads of its own.

internal import Dispatch
internal import Glibc
internal import Synchronization

/// `getaddrinfo` (POSIX; RFC 3493).
enum NameResolver {
    /// Resolves `host` and calls `completion` on some other thread, within `NameLookups.patience`. The resolver cannot be
    /// interrupted; who no longer waits ignores the answer.
    static func resolve(
        host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], NetError>) -> Void
    ) {
        NameLookups.system.resolve(host: host, port: port, completion: completion)
    }

    /// Resolves a numeric address without asking anybody; blocks for no time.
    static func numeric(host: String, port: UInt16) -> [SocketAddress]? {
        try? ask(host, port: port, flags: AI_NUMERICHOST).get()
    }

    /// Resolves `host`; who cancels does not wait for the resolver.
    static func addresses(of host: String, port: UInt16) async throws(NetError) -> [SocketAddress] {
        let answer = Mutex<CheckedContinuation<Result<[SocketAddress], NetError>, Never>?>(nil)
        let result: Result<[SocketAddress], NetError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.withLock { $0 = continuation }
                if Task.isCancelled {
                    answer.withLock { $0.take() }?.resume(returning: .failure(.cancelled))
                    return
                }
                resolve(host: host, port: port) { result in
                    answer.withLock { $0.take() }?.resume(returning: result)
                }
            }
        } onCancel: {
            answer.withLock { $0.take() }?.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }

    /// The addresses of a host of ours, for a listener: blocks until they are there, for some seconds at most.
    static func ownAddresses(of host: String, port: UInt16) -> Result<[SocketAddress], NetError> {
        if let numeric = numeric(host: host, port: port) { return .success(numeric) }
        let answer = Mutex<Result<[SocketAddress], NetError>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        resolve(host: host, port: port) { result in
            answer.withLock { $0 = result }
            isThere.signal()
        }
        isThere.wait()
        return answer.withLock { $0 } ?? .failure(.dns(host: host, reason: "no address"))
    }

    /// Asks the system's resolver and blocks until it has answered.
    static func ask(_ host: String, port: UInt16, flags: Int32) -> Result<[SocketAddress], NetError> {
        guard let name = InternationalName.ascii(host) else {
            return .failure(.dns(host: host, reason: "it is too long for a host name"))
        }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Socket.streamType
        hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(name, String(port), &hints, &list)
        guard failure == 0 else {
            let reason = gai_strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
            return .failure(.dns(host: host, reason: reason))
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
        return found.isEmpty ? .failure(.dns(host: host, reason: "no address")) : .success(found)
    }

    /// The order in which addresses are tried: the families in turn, beginning with the preferred one, else with the
    /// one that the resolver put first (RFC 8305 section 4).
    static func interleaved(_ addresses: [SocketAddress], _ policy: AddressPolicy = AddressPolicy()) -> [SocketAddress]
    {
        let allowed = addresses.filter { address in
            guard policy.allowsInside || !address.isInside else { return false }
            return switch address.family {
            case AF_INET: policy.allowsIPv4
            case AF_INET6: policy.allowsIPv6
            default: true
            }
        }
        var first = allowed.first?.family
        if let preferred = policy.preferred { first = preferred == .ipv4 ? AF_INET : AF_INET6 }
        let preferred = allowed.filter { $0.family == first }
        let others = allowed.filter { $0.family != first }
        var order: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { order.append(preferred[index]) }
            if index < others.count { order.append(others[index]) }
        }
        return order
    }
}
