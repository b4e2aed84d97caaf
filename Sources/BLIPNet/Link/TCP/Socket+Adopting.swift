// Descriptors that somebody else has opened.

internal import CLinux
internal import Glibc

extension Socket {
    /// Takes over a connected stream socket. When this throws, the descriptor is still the caller's.
    convenience init(adoptingConnected descriptor: Int32) throws(NetError) {
        try Self.checkStream(descriptor)
        guard SocketAddress(of: descriptor, { getpeername($0, $1, $2) }) != nil else {
            throw .badParameter(reason: "descriptor \(descriptor) is not connected")
        }
        try self.init(preparing: descriptor)
    }

    /// Takes over a listening stream socket. When this throws, the descriptor is still the caller's.
    convenience init(adoptingListening descriptor: Int32) throws(NetError) {
        try Self.checkStream(descriptor)
        guard Self.option(of: descriptor, SO_ACCEPTCONN) == 1 else {
            throw .badParameter(reason: "descriptor \(descriptor) does not listen")
        }
        try self.init(preparing: descriptor)
    }

    private convenience init(preparing descriptor: Int32) throws(NetError) {
        _ = Self.ignoreSIGPIPE
        guard clinux_set_nonblocking(descriptor) == 0, clinux_set_close_on_exec(descriptor) == 0 else {
            throw .posix(call: "fcntl", errno: errno)
        }
        self.init(adopting: descriptor)
    }

    private static func checkStream(_ descriptor: Int32) throws(NetError) {
        guard option(of: descriptor, SO_TYPE) == streamType else {
            throw .badParameter(reason: "descriptor \(descriptor) is not a stream socket")
        }
    }

    private static func option(of descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
