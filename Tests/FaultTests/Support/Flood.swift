// Thousands of callers that cost them nothing: connections that say nothing, and handshakes that are never finished.

import CLinux
import Glibc
import TestSupport

/// Sockets of this process that are connected, or try to be, to one port of loopback.
final class Flood {
    private var idle: [Int32] = []
    private var halfOpen: [Int32] = []
    private var unsent: Set<Int32> = []

    /// The first bytes of a ClientHello whose rest never comes.
    private static let beginning: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + (0..<32).map { UInt8($0) }

    /// Begins so many calls, from 200 addresses of 127.0.1.0/24 in turn.
    init(idle idleCount: Int, halfOpen halfOpenCount: Int, port: UInt16) throws {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        limits.rlim_cur = limits.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        for number in 0..<(idleCount + halfOpenCount) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard descriptor >= 0 else { throw SystemFailure("socket \(number)") }
            var source = Self.address(0x7F00_0101 + UInt32(number % 200), 0)
            var target = Self.address(0x7F00_0001, port)
            _ = Self.call(&source) { bind(descriptor, $0, $1) }
            _ = Self.call(&target) { connect(descriptor, $0, $1) }
            if number < idleCount {
                idle.append(descriptor)
            } else {
                halfOpen.append(descriptor)
                unsent.insert(descriptor)
            }
        }
    }

    deinit { for descriptor in idle + halfOpen { close(descriptor) } }

    /// Sends what can be sent by now; returns how many calls are decided: connected, refused or hung up on.
    func advance() -> Int {
        var polls = (idle + halfOpen).map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = poll(&polls, UInt(polls.count), 0)
        for entry in polls where entry.revents != 0 && unsent.contains(entry.fd) {
            _ = Glibc.send(entry.fd, Self.beginning, Self.beginning.count, Int32(MSG_NOSIGNAL))
            unsent.remove(entry.fd)
        }
        return polls.count { $0.revents != 0 }
    }

    /// How many are still open from our side: the other one has not hung up.
    var openCount: Int {
        (idle + halfOpen).count { descriptor in
            // What was said before they hung up, an alert of TLS, is read away.
            var bytes = [UInt8](repeating: 0, count: 256)
            var count = 1
            while count > 0 { count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) }
            guard count < 0, errno == EAGAIN else { return false }
            // Where the queue of the listener ran over, the other side's kernel has forgotten a connection that ours still
            // believes in: a byte shows it.
            var byte: UInt8 = 0x16
            _ = Glibc.send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            return true
        }
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func call(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

extension ChildProcess {
    /// Memory of the running process in bytes: `VmRSS` now, `VmHWM` the most so far.
    func memory(_ field: String) -> Int {
        let lines = TestFile.text("/proc/\(processID)/status").split(separator: "\n")
        let line = lines.first { $0.hasPrefix(field + ":") } ?? ""
        return (line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) << 10
    }
}
