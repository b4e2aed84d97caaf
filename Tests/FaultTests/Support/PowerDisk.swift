// A file system of its own in a file, whose power can be cut: what was not flushed is gone.

import Glibc
import TestSupport

/// A loop-mounted file system. Needs root; removed with everything in it when the value goes away.
final class PowerDisk {
    enum Kind: String, CaseIterable, Sendable {
        case ext4, xfs

        /// mkfs.xfs makes none below 300 MiB; the file has holes, so it takes a few.
        fileprivate var megabytes: Int { self == .ext4 ? 64 : 320 }
    }

    let kind: Kind
    private let folder: TemporaryDirectory
    private var isMounted = false

    private var image: String { folder.file("disk.img") }
    /// Where its files are.
    var path: String { folder.file("disk") }

    init(_ kind: Kind) async throws {
        self.kind = kind
        folder = try TemporaryDirectory()
        _ = try folder.makeFolder("disk")
        try await run("truncate", "-s", "\(kind.megabytes)M", image)
        switch kind {
        case .ext4: try await run("mkfs.ext4", "-q", "-F", image)
        case .xfs: try await run("mkfs.xfs", "-q", "-f", image)
        }
        try await mount()
    }

    deinit {
        // Nobody may still be in it by now; a lazy unmount ends even where somebody is.
        if isMounted { umount2(path, Int32(MNT_DETACH)) }
    }

    /// Whether such a disk can be had here: by making one.
    static func isPossible(_ kind: Kind) async -> Bool {
        guard geteuid() == 0 else { return false }
        return (try? await PowerDisk(kind)) != nil
    }

    private func mount() async throws {
        try await run("mount", "-o", "loop", image, path)
        isMounted = true
    }

    /// From now on nothing reaches the disk any more, and nothing that waits in the kernel's memory does: neither data
    /// nor the log (FS_IOC_SHUTDOWN with FS_SHUTDOWN_FLAGS_NOLOGFLUSH, the same number for both file systems). `moment`
    /// is called right before.
    func cutPower(_ moment: () -> Void = {}) async throws {
        let script = """
            import fcntl, os, struct, sys, time
            disk = os.open(sys.argv[1], os.O_RDONLY)
            open(sys.argv[2] + "/ready", "w")
            while not os.path.exists(sys.argv[2] + "/now"): time.sleep(0.0005)
            fcntl.ioctl(disk, 0x8004587d, struct.pack("I", 2))
            """
        for name in ["ready", "now"] { unlink(folder.file(name)) }
        let process = try ChildProcess(
            ["python3", "-c", script, path, folder.path], environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        try await eventually("the switch is at hand", state: { process.errorOutput }) {
            access(self.folder.file("ready"), F_OK) == 0 || process.poll() != nil
        }
        moment()
        try TestFile.write("", to: folder.file("now"))
        guard try await process.waitForExit() == .exited(0) else {
            throw ConditionNotMet("the power is cut: \(process.errorOutput)")
        }
    }

    /// The machine starts again: the file system recovers from its log. Nobody may hold files of it any more.
    func restart() async throws {
        try await run("umount", path)
        isMounted = false
        try await mount()
    }

    private func run(_ words: String...) async throws {
        let process = try ChildProcess(
            words, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"], folder: folder)
        let status = try await process.waitForExit()
        guard status == .exited(0) else {
            let reason = process.errorOutput.split(separator: "\n").first ?? "\(status)"
            throw ConditionNotMet("\(words.first ?? ""): \(reason)")
        }
    }
}
