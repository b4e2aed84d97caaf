// When the kernel is to wait for the rest of a record, and that it does as we think.

import Glibc
import Testing

@testable import BLIPNet

@Suite("What the kernel waits for", .timeLimit(.minutes(5))) struct ReceiveLowWaterTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("the rest of a record where bytes come fast, and each byte where they do not")
    func rules() {
        var water = ReceiveLowWater()
        // The first bytes say nothing about the path.
        #expect(water.update(read: 1448, missing: 15_000, now: at(0)) == nil)
        // 1.4 KiB a millisecond: the rest takes ten.
        #expect(water.update(read: 1448, missing: 13_552, now: at(1)) == 13_552)
        // Between two records.
        #expect(water.update(read: 13_552, missing: 0, now: at(10)) == 1)
        #expect(water.update(read: 1448, missing: 15_000, now: at(11)) == 15_000)
        // Nearly there.
        #expect(water.update(read: 14_000, missing: 1000, now: at(20)) == 1)
        // As slow as a modem.
        #expect(water.update(read: 1448, missing: 15_000, now: at(60)) == nil)
        // After a pause.
        #expect(water.update(read: 1448, missing: 15_000, now: at(900)) == nil)
        // As fast as the memory.
        #expect(water.update(read: 65_536, missing: 15_000, now: at(901)) == nil)
        // No record is so large.
        #expect(water.update(read: 1448, missing: 60_000, now: at(902)) == nil)
        #expect(water.update(read: 1448, missing: 15_000, now: at(903)) == 15_000)
        #expect(water.open() == 1)
        #expect(water.open() == nil)
    }

    @Test("the kernel tells of so many bytes, of fewer when fewer are wanted, and always of the end")
    func kernel() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0 && connect(caller, address, size) == 0
            }
        }
        try #require(isConnected)
        let sender = Socket(adopting: caller)
        let receiver = Socket(adopting: accept(listener, nil, nil))
        func isReadable(within milliseconds: Int32) -> Bool {
            var wanted = pollfd(fd: receiver.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wanted, 1, milliseconds) == 1
        }
        receiver.setReceiveLowWater(3000)
        let bytes = [UInt8](repeating: 1, count: 2999)
        bytes.withUnsafeBytes { _ = sender.write($0) }
        #expect(!isReadable(within: 200))
        receiver.setReceiveLowWater(1)
        #expect(isReadable(within: 60_000))
        receiver.setReceiveLowWater(3000)
        bytes[..<1].withUnsafeBytes { _ = sender.write($0) }
        #expect(isReadable(within: 60_000))
        receiver.setReceiveLowWater(16_000)
        #expect(!isReadable(within: 200))
        sender.shutdownWrites()
        #expect(isReadable(within: 60_000))
    }
}
