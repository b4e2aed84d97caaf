// A disk that is soon full, for the tests of transfers; needs root.

import Glibc
import TestSupport
import Testing

/// A file system of 4 MiB in memory.
final class SmallDisk {
    static let isPossible = geteuid() == 0 && access("/bin/mount", X_OK) == 0
    private let folder: TemporaryDirectory
    let path: String

    init() async throws {
        folder = try TemporaryDirectory()
        path = try folder.makeFolder("disk")
        try await run("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", path)
    }

    /// Also where a test has failed half way: no mount is left on the machine.
    deinit {
        typealias Unmount = @convention(c) (UnsafePointer<CChar>, Int32) -> Int32
        guard let symbol = dlsym(nil, "umount2") else { return }
        // MNT_DETACH: whoever still has files open there keeps them. Nothing is mounted after `unmount`: that fails.
        _ = unsafeBitCast(symbol, to: Unmount.self)(path, 2)
    }

    func remountReadOnly() async throws { try await run("mount", "-o", "remount,ro", path) }

    func unmount() async throws { try await run("umount", "-l", path) }

    private func run(_ command: String...) async throws {
        let process = try ChildProcess(command, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], folder: folder)
        let status = try await process.waitForExit()
        #expect(status == .exited(0), "\(command): \(process.errorOutput)")
    }
}
