// A router that tests write: a UDP socket on loopback that answers as they say.

import Dispatch
import Glibc
import Synchronization
import TestSupport

@testable import BLIPNet

final class RouterServer: Sendable {
    let address: SocketAddress
    private let socket: Socket
    // Any thread may cancel a source.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let received = Mutex<[[UInt8]]>([])

    /// What it was asked.
    var requests: [[UInt8]] { received.withLock { $0 } }

    /// `answer`: what it says to a request; `nil`: nothing.
    init(answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Socket(adopting: Glibc.socket(AF_INET, flags, 0))
        guard let loopback = SocketAddress(host: "127.0.0.1", port: 0),
            loopback.withSockaddr({ bind(socket.descriptor, $0, $1) }) == 0, let address = socket.localAddress
        else { throw ConditionNotMet("a UDP socket on loopback") }
        self.socket = socket
        self.address = address
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .global())
        source.setEventHandler { [weak self] in self?.serve(answer) }
        source.resume()
    }

    deinit { source.cancel() }

    private func serve(_ answer: ([UInt8]) -> [UInt8]?) {
        var buffer = [UInt8](repeating: 0, count: 2048)
        var caller = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        while true {
            let count = withUnsafeMutablePointer(to: &caller) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket.descriptor, &buffer, buffer.count, 0, $0, &length)
                }
            }
            guard count > 0 else { return }
            let request = Array(buffer[..<count])
            received.withLock { $0.append(request) }
            guard let reply = answer(request) else { continue }
            _ = withUnsafePointer(to: &caller) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(socket.descriptor, reply, reply.count, 0, $0, length)
                }
            }
        }
    }
}
