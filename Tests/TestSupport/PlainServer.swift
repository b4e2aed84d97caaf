// A server on loopback that is no blipchat: it says nothing, says something else, or hangs up.

import CLinux
import Dispatch
import Glibc
import Synchronization

package final class PlainServer: Sendable {
    package enum Behaviour: Sendable {
        /// Accepts and keeps quiet.
        case silent
        /// Sends these bytes and hangs up.
        case answers(String)
    }

    private let descriptor: Int32
    package let port: UInt16
    private let calls: Calls
    /// How many connections have come.
    package var callCount: Int { calls.count.load(ordering: .acquiring) }

    private final class Calls: Sendable {
        let count = Atomic(0)
    }

    package init(_ behaviour: Behaviour, port wanted: UInt16 = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        self.descriptor = descriptor
        port = try Self.listen(descriptor, port: wanted)
        let calls = Calls()
        self.calls = calls
        DispatchQueue(label: "blipchat.test.server").async {
            var connections: [Int32] = []
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                calls.count.add(1, ordering: .acquiringAndReleasing)
                switch behaviour {
                case .silent: connections.append(connection)
                case .answers(let text):
                    _ = Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                    close(connection)
                }
            }
            for connection in connections { close(connection) }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A port of loopback at which nobody listens now.
    package static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        defer { close(descriptor) }
        return try listen(descriptor)
    }

    private static func listen(_ descriptor: Int32, port: UInt16 = 0) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && Glibc.listen(descriptor, 16) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard done else { throw SystemFailure("bind") }
        return UInt16(bigEndian: address.sin_port)
    }
}
