// Which host to write into our own address when the listener takes calls at all of this machine's addresses.

import BLIPNet
import CLinux
import Glibc

package enum LocalHost {
    /// Whether a listener bound to `host` takes calls at every address.
    package static func isWildcard(_ host: String) -> Bool { ["0.0.0.0", "::", "*", ""].contains(host) }

    /// Whether `host` names this machine for itself only.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }

    /// Whether nobody has to be asked where `host` is.
    static func isNumeric(_ host: String) -> Bool { SocketAddress(host: host, port: 0) != nil }

    /// This machine's first address that others can reach: IPv4 before IPv6; loopback when there is no other.
    static func firstAddress() -> String {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return "127.0.0.1" }
        defer { freeifaddrs(list) }
        var firstIPv6: String?
        var item = list
        while let entry = item {
            item = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
                entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let text = numericText(address)
            else { continue }
            if address.pointee.sa_family == sa_family_t(AF_INET) { return text }
            // Link-local addresses need a zone that means nothing elsewhere.
            if firstIPv6 == nil, !text.utf8.starts(with: "fe80".utf8) { firstIPv6 = text }
        }
        return firstIPv6 ?? "127.0.0.1"
    }

    private static func numericText(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
