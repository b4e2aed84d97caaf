// What the kernel tells of addresses and routes, as it was recorded in a network namespace of Linux 6 (x86-64).

import TestSupport
import Testing

@testable import BLIPNet

@Suite("Changes of our networks") struct NetworkChangesTests {
    private func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0..<($0 + 2)]), radix: 16))
        }
    }

    private func changes(_ hex: String) throws -> [NetworkChange] { NetlinkMessages.changes(in: try bytes(hex)) }

    /// `ip addr add 10.77.0.1/24`, and the same with `del`.
    private static let added =
        "4c00000014000000f8090a6b160900000218800002000000080001000a4d0001080002000a4d00010700030064300000"
        + "080008008000000014000600ffffffffffffffff713a7c00713a7c00"
    private static let deleted =
        "4c00000015000000fa090a6b240900000218800002000000080001000a4d0001080002000a4d00010700030064300000"
        + "080008008000000014000600ffffffffffffffff713a7c00713a7c00"
    /// `ip -6 addr del fd00::7/64`
    private static let deletedV6 =
        "480000001500000000000000000000000a4082000200000014000100fd00000000000000000000000000000714000600"
        + "ffffffffffffffff3d3b7c003d3b7c000800080082000000"
    /// `ip route add default via 10.77.0.9`, and `10.5.0.0/16` by the same way.
    private static let defaultRoute =
        "3400000018000006f9090a6b1a09000002000000fe0300011000000008000f00fe000000080005000a4d000908000400"
        + "02000000"
    private static let otherRoute =
        "3c00000018000006f9090a6b1f09000002100000fe0300011000000008000f00fe000000080001000a05000008000500"
        + "0a4d00090800040002000000"

    @Test("addresses that come and go, and default routes; other routes are no news")
    func recorded() throws {
        #expect(try changes(Self.added) == [.pathFound])
        #expect(try changes(Self.deleted) == [.addressGone(host: "10.77.0.1")])
        #expect(try changes(Self.deletedV6) == [.addressGone(host: "fd00::7")])
        #expect(try changes(Self.defaultRoute) == [.pathFound])
        #expect(try changes(Self.otherRoute) == [])
        #expect(
            try changes(Self.otherRoute + Self.deletedV6 + Self.defaultRoute) == [
                .addressGone(host: "fd00::7"), .pathFound,
            ])
    }

    @Test("what is cut off anywhere, or lies about its length, tells nothing more and reads nothing else")
    func cutOff() throws {
        let bytes = try bytes(Self.deleted)
        for count in bytes.indices { #expect(NetlinkMessages.changes(in: Array(bytes[..<count])) == []) }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5_000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: changed.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = NetlinkMessages.changes(in: changed)
        }
    }
}
