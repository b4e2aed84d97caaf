// The local end of a socket of ours: an interface, an address or a port, as people write it.

internal import CLinux
internal import Glibc

/// Addresses of this machine to bind to. Binding to the address of an interface needs no rights, which naming the
/// interface to the kernel (SO_BINDTODEVICE) does.
struct LocalInterface: Sendable, Equatable {
    /// The addresses that the text means, with the port; empty when only a port was given.
    let addresses: [SocketAddress]
    let port: UInt16

    /// Reads `eth0`, `192.168.4.35`, `::1`, each with `:port` (`[::1]:8082`), `:port`, `localhost` or `loopback`.
    init(_ text: String?, port: UInt16) throws(NetError) {
        guard let text, !text.isEmpty else {
            addresses = []
            self.port = port
            return
        }
        let (name, written) = try Self.split(text)
        guard written == nil || port == 0 || written == port else {
            throw .badParameter(reason: "\(text) has a different port from \(port)")
        }
        let chosen = written ?? port
        self.port = chosen
        if name.isEmpty {
            addresses = []
            return
        }
        addresses = try Self.find(name, port: chosen)
        guard !addresses.isEmpty else {
            throw .badParameter(reason: "there is no interface or address \(name) here")
        }
    }

    /// The address from which `remote` is to be called; `nil` leaves it to the kernel. Throws when the interface has
    /// no address of that family.
    func source(for remote: SocketAddress) throws(NetError) -> SocketAddress? {
        guard remote.family != AF_UNIX else { return nil }
        if addresses.isEmpty {
            guard port != 0 else { return nil }
            return SocketAddress(host: remote.family == AF_INET ? "0.0.0.0" : "::", port: port)
        }
        let fitting = addresses.filter { $0.family == remote.family }
        // A link-local peer is reached from a link-local address, others from one that they can answer.
        guard let source = fitting.first(where: { $0.isLinkLocal == remote.isLinkLocal }) ?? fitting.first else {
            throw .posix(call: "bind", errno: EADDRNOTAVAIL)
        }
        return source
    }

    private static func split(_ text: String) throws(NetError) -> (name: String, port: UInt16?) {
        if SocketAddress(host: text, port: 0) != nil { return (text, nil) }
        guard let colon = text.lastIndex(of: ":"), text.last != "]" else { return (unbracketed(text), nil) }
        let digits = text[text.index(after: colon)...]
        guard let port = UInt16(digits), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw .badParameter(reason: "\(text) is not an interface with a port")
        }
        return (unbracketed(String(text[..<colon])), port)
    }

    private static func unbracketed(_ text: String) -> String {
        text.first == "[" && text.last == "]" ? String(text.dropFirst().dropLast()) : text
    }

    private static func find(_ name: String, port: UInt16) throws(NetError) -> [SocketAddress] {
        if name == "localhost" || name == "loopback" {
            return ["127.0.0.1", "::1"].compactMap { SocketAddress(host: $0, port: port) }
        }
        if let address = SocketAddress(host: name, port: port) { return [address] }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw .posix(call: "getifaddrs", errno: errno) }
        defer { freeifaddrs(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let pointer = entry.pointee.ifa_addr, String(cString: entry.pointee.ifa_name) == name else {
                continue
            }
            let size =
                switch Int32(pointer.pointee.sa_family) {
                case AF_INET: MemoryLayout<sockaddr_in>.size
                case AF_INET6: MemoryLayout<sockaddr_in6>.size
                default: 0
                }
            guard size > 0, let address = SocketAddress(pointer, length: socklen_t(size)) else { continue }
            found.append(address.withPort(port))
        }
        return found
    }
}
