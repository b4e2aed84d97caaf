// A disk that is soon full; needs root.

import Glibc

/// A file system of 4 MiB in memory.
package final class SmallDisk {
    package static let isPossible = geteuid() == 0 && access("/bin/mount", X_OK) == 0
    private let folder: TemporaryDirectory
    package let path: String

    package init() async throws {
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

    /// Writes a file until there is no room for another byte.
    package func fill() {
        let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, zeros, zeros.count) > 0 {}
        close(descriptor)
    }

    package func remountReadOnly() async throws { try await run("mount", "-o", "remount,ro", path) }

    package func unmount() async throws { try await run("umount", "-l", path) }

    private func run(_ command: String...) async throws {
        let process = try ChildProcess(command, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], folder: folder)
        let status = try await process.waitForExit()
        guard status == .exited(0) else { throw CommandFailed(words: "\(command): \(process.errorOutput)") }
    }

    /// A command that the disk needs has said no.
    private struct CommandFailed: Error {
        let words: String
    }
}
