// A socket that plays systemd: what a service tells it arrives here.

import Glibc

/// The datagrams of NOTIFY_SOCKET (sd_notify(3)).
package final class NotifySocket {
    /// For the variable.
    package let address: String
    private let descriptor: Int32

    /// At a path, or with an abstract name that begins with @.
    package init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(address.utf8).prefix(107)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        if address.hasPrefix("@") { name.sun_path.0 = 0 }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (address.hasPrefix("@") ? 0 : 1))
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw SystemFailure("bind \(address)") }
    }

    deinit { close(descriptor) }

    /// The next datagram; `nil` when none is there now.
    package func poll() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Waits for the next datagram that does not come from a watchdog's sign of life.
    package func next() async throws -> String {
        try await eventuallyGet("the service says something") {
            while let text = poll() { if text != "WATCHDOG=1" { return text } }
            return nil
        }
    }
}
