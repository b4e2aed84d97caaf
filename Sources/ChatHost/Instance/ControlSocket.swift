// Opens the control socket of a home: a UNIX socket that only its owner may use.

import CLinux
import ChatCore
import ChatSettings
import Glibc

enum ControlSocket {
    /// Listens at `path` (0600). The caller holds the instance lock, so a socket that is there is left over, unless systemd
    /// listens there to start a chat: taking its place would leave systemd with a socket that nobody finds. Then this throws.
    static func listen(at path: String) throws(CommandError) -> Int32 {
        // A process that has just died may have released the lock before its socket.
        var tries = 0
        while isListenedAt(path) {
            guard tries < 50 else {
                throw CommandError(
                    .store, path, "systemd listens here, to start blipchat when it is needed",
                    advice: "systemctl --user start blipchat, or stop blipchat.socket to do without")
            }
            tries += 1
            usleep(2_000)
        }
        let descriptor = try make()
        unlink(path)
        // Nobody can connect before `listen`, so the rights are right from the first moment on. (A umask would do it, too,
        // but it is shared with every other thread that makes a file.)
        guard withAddress(of: path, { Glibc.bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            Glibc.listen(descriptor, 16) == 0
        else {
            let code = errno
            close(descriptor)
            throw .system(path, "cannot open the control socket", code)
        }
        return descriptor
    }

    /// Connects to the instance at `path`; `nil` when none listens there. Throws when another user listens there, who is
    /// to hear nothing of ours, and when it is stopped: whatever it was asked would wait for its user, and be done when
    /// nobody wants it any more.
    static func connect(to path: String) throws(CommandError) -> Int32? {
        let descriptor = try make()
        if withAddress(of: path, { Glibc.connect(descriptor, $0, $1) }) == 0 {
            guard peerIsSameUser(descriptor) else {
                let user = clinux_peer_user(descriptor)
                close(descriptor)
                throw CommandError(
                    .localIO, path, "another user (\(user)) is listening there, so blipchat sent nothing",
                    advice: "use another --data-dir, or run it as that user")
            }
            let process = clinux_peer_process(descriptor)
            guard isStopped(process) else { return descriptor }
            close(descriptor)
            throw CommandError(
                .network, "running blipchat", "process \(process) is stopped, so blipchat sent it nothing",
                advice: "resume it: fg in its shell, or kill -CONT \(process)")
        }
        let code = errno
        close(descriptor)
        switch code {
        case ENOENT, ECONNREFUSED, ENOTDIR: return nil
        default: throw .system(path, "cannot reach the running blipchat", code)
        }
    }

    /// Whether the process at the other end belongs to the same user.
    static func peerIsSameUser(_ descriptor: Int32) -> Bool {
        clinux_peer_user(descriptor) == Int64(geteuid())
    }

    /// The process that listens at the other end is stopped.
    static func peerIsStopped(_ descriptor: Int32) -> Bool { isStopped(clinux_peer_process(descriptor)) }

    /// By Ctrl-z, a signal or a debugger: the state after the name in proc_pid_stat(5).
    private static func isStopped(_ process: Int64) -> Bool {
        guard process > 0, let text = SmallFile.read("/proc/\(process)/stat", limit: 4096) else { return false }
        let line = Array(text.utf8)
        guard let name = line.lastIndex(of: UInt8(ascii: ")")), line.indices.contains(name + 2) else { return false }
        return line[name + 2] == UInt8(ascii: "T") || line[name + 2] == UInt8(ascii: "t")
    }

    /// Whether any process listens at `path`, without calling it (proc_pid_net(5), `unix`: flag SO_ACCEPTCON).
    private static func isListenedAt(_ path: String) -> Bool {
        guard SmallFile.exists(path), let table = SmallFile.read("/proc/net/unix", limit: 4 << 20) else { return false }
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 7)
            return fields.count == 8 && fields[7] == path && fields[3] == "00010000"
        }
    }

    /// The path of a listening UNIX socket for streams; `nil` when `descriptor` is none.
    static func path(of descriptor: Int32) -> String? {
        var listens: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: listens))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0 else { return nil }
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: address.sun_path) { bytes in
            String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Sends one datagram to the socket at `path`; one that begins with @ is abstract (unix(7)). The error number when that
    /// fails: EAGAIN where its reader lags.
    static func tell(_ text: String, to path: String) -> Int32? {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let count = withAddress(of: path) { address, length in
            Int32(sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length))
        }
        return count < 0 ? errno : nil
    }

    private static func make() throws(CommandError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .system("control socket", "cannot be created", errno) }
        return descriptor
    }

    /// The address of `path`. One that is too long for an address (107 bytes) is reached through its folder, opened
    /// and named by its descriptor.
    private static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        var text = path
        var folder: Int32 = -1
        let isAbstract = path.utf8.first == UInt8(ascii: "@")
        if !isAbstract, path.utf8.count >= room {
            folder = open(HomePaths.parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return -1 }
            text = "/proc/self/fd/\(folder)/\(PathParts.lastName(of: path))"
        }
        defer { if folder >= 0 { close(folder) } }
        let bytes = Array(text.utf8)
        guard bytes.count < room else {
            errno = ENAMETOOLONG
            return -1
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        var length = MemoryLayout<sockaddr_un>.size
        if isAbstract {
            // Its length says where an abstract name ends.
            address.sun_path.0 = 0
            length = MemoryLayout<sa_family_t>.size + bytes.count
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
