// One instance per home: a lock on a file that the system takes away when the process ends, however it ends.

package import ChatSettings
import Glibc

/// Held by the process that runs the chat of a home. The file holds its process number, for messages; the file itself
/// stays and means nothing without the lock.
package struct InstanceLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// Throws exit code 9 when another process has it, 7 when the file cannot be made.
    package init(path: String) throws(CommandError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path, "cannot open the lock", errno) }
        var code = Self.lock(descriptor)
        // Perhaps somebody only looks whether it is held, which holds it for a moment.
        for _ in 0..<25 where code == EWOULDBLOCK {
            usleep(2_000)
            code = Self.lock(descriptor)
        }
        guard code == 0 else {
            close(descriptor)
            guard code == EWOULDBLOCK else { throw .system(path, "cannot lock", code) }
            throw .alreadyRunning(path, process: Self.number(in: path))
        }
        self.descriptor = descriptor
        writeNumber()
    }

    /// The number is the first line, whatever the process before has left after it. A file that is emptied to be
    /// written again would be brought to the disk at once (ext4), and the start would wait for it.
    private func writeNumber() {
        let number = Array("\(getpid())\n".utf8)
        _ = number.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        var status = stat()
        let size = off_t(number.count)
        if fstat(descriptor, &status) == 0, status.st_size > size { _ = ftruncate(descriptor, size) }
    }

    deinit { close(descriptor) }

    /// The process that holds the lock; `nil` when nobody does.
    package static func holder(path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        return number(in: path)
    }

    /// The error number, 0 when the lock is ours now.
    private static func lock(_ descriptor: Int32) -> Int32 {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    }

    private static func number(in path: String) -> Int32 {
        let text = SmallFile.read(path, limit: 64) ?? ""
        return Int32(text.split(separator: "\n").first ?? "") ?? 0
    }
}

/// Keeps a lock for as long as it lives.
final class HeldLock: Sendable {
    private let lock: InstanceLock
    init(_ lock: consuming InstanceLock) { self.lock = lock }
}

extension HomePaths {
    /// Does what nobody else may disturb: holds the home as a running instance would.
    package func alone<Value>(
        _ body: () async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        try createFolders()
        let held = try InstanceLock(path: lock)
        do throws(CommandError) {
            let value = try await body()
            _ = consume held
            return value
        } catch {
            throw error
        }
    }
}

extension CommandError {
    static func alreadyRunning(_ lock: String, process: Int32) -> CommandError {
        var error = CommandError(
            .store, HomePaths.parent(of: lock),
            "blipchat is already running here as " + (process > 0 ? "process \(process)" : "another process"),
            advice: "use that one, or choose another --profile or --data-dir")
        error.isAlreadyRunning = true
        return error
    }
}
