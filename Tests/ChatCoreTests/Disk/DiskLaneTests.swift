// Lanes of disks: one that does not answer holds up nobody but who waits for it, and not even those longer than they want.

import Dispatch
import Synchronization
import Testing

@testable import ChatCore

@Suite("Lanes of disks") struct DiskLaneTests {
    private let table = MountTable(
        mountinfo: """
            22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
            30 22 0:25 / /proc rw - proc proc rw
            41 22 0:40 / /mnt/far\\040away rw - nfs4 server:/x rw
            42 22 0:41 / /mnt rw - ext4 /dev/sdb1 rw
            43 42 0:42 / /mnt/disk rw - ext4 /dev/sdc1 rw
            """)

    @Test(
        "the disk of a path is told by the longest mount point that it is below",
        arguments: [
            ("/home/jo/x", "/"), ("/", "/"), ("/mnt", "/mnt"), ("/mnt/x", "/mnt"), ("/mnt/disk/a/b", "/mnt/disk"),
            ("/mnt/diskette", "/mnt"), ("/mnt/far away/x", "/mnt/far away"), ("relative", "/"),
        ])
    func points(path: String, point: String) {
        #expect(table.point(of: path) == point)
    }

    @Test("without a list everything is on one disk") func nothing() {
        #expect(MountTable(mountinfo: "").point(of: "/mnt/x") == "/")
        #expect(MountTable(mountinfo: "garbage\n\n1 2 3").point(of: "/mnt/x") == "/")
    }

    /// What was carried out, in order.
    private final class Order: Sendable {
        private let all = Mutex<[Int]>([])
        var numbers: [Int] { all.withLock { $0 } }
        func add(_ number: Int) { all.withLock { $0.append(number) } }
    }

    /// Two disks that every Linux has.
    private let stuck = DiskLane.of("/proc/x")
    private let healthy = DiskLane.of("/sys/x")

    @Test(
        "a disk that does not answer holds up neither another one, nor those who stop waiting", .timeLimit(.minutes(1)))
    func hanging() async throws {
        try #require(stuck !== healthy)
        let (stuck, healthy) = (stuck, healthy)
        let awake = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let order = Order()
        let first = Task {
            await stuck.value { () -> Int in
                begun.signal()
                awake.wait()
                order.add(1)
                return 1
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "test").async {
                begun.wait()
                continuation.resume()
            }
        }
        #expect(await healthy.value { 2 } == 2)
        #expect(await stuck.value(within: .milliseconds(20)) { order.add(3) } == nil)
        // Who is cancelled gets no answer, whether its errand has begun or not.
        let second = Task { await stuck.value { order.add(4) } }
        second.cancel()
        #expect(await second.value == nil)
        first.cancel()
        #expect(await first.value == nil)
        // What has to be cleared away is done when the disk is there again, behind what was before it.
        await stuck.clear { order.add(5) }
        awake.signal()
        #expect(await stuck.value { 6 } == 6)
        #expect(order.numbers == [1, 5], "what nobody waits for any more is left out")
    }

    @Test("errors of the disk come through, and a limit that is over is one") func errors() async throws {
        await #expect(throws: FileError(call: "open", errno: 5, path: "/x")) {
            try await DiskLane.run(at: "/sys/x") { () throws(FileError) in
                throw FileError(call: "open", errno: 5, path: "/x")
            }
        }
    }

    @Test("work that does not end is left to itself once its caller is cancelled", .timeLimit(.minutes(1)))
    func settling() async {
        let work = Task { () -> Int in
            // Deaf to being cancelled.
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "test").asyncAfter(deadline: .now() + 300) { continuation.resume() }
            }
            return 1
        }
        let waiting = Task { await Settlement.value(of: work, grace: .milliseconds(20)) }
        waiting.cancel()
        #expect(await waiting.value == nil)
        #expect(await Settlement.value(of: Task { 7 }, grace: .zero) == 7)
    }
}
