// Descriptors that came from the caller: another program may have set O_NONBLOCK on the same pipe or terminal, and that
// holds for us as well. It does not mean that the input is broken or has ended: we wait for it.

import Glibc

package enum SharedDescriptor {
    /// Reads what is there, at least a byte; waits for it. Returns 0 at the end.
    ///
    /// The flag itself stays as it is: it belongs to whoever has set it.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let code = errno
            guard try isToBeTriedAgain(code, descriptor, POLLIN, limit: nil) else { throw SystemError(code: code) }
        }
    }

    /// The same into an array.
    package static func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(SystemError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, SystemError> in
            do throws(SystemError) { return .success(try read(descriptor, into: buffer)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Writes some of `bytes`; waits for room, at most `limit` milliseconds where there is one (then `EAGAIN`). Returns
    /// how many were written.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, limit: Int32? = nil
    ) throws(SystemError) -> Int {
        while true {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            let code = errno
            guard try isToBeTriedAgain(code, descriptor, POLLOUT, limit: limit) else { throw SystemError(code: code) }
        }
    }

    /// Whether a call that failed with `code` is made again; waits until it can succeed.
    private static func isToBeTriedAgain(
        _ code: Int32, _ descriptor: Int32, _ events: Int32, limit: Int32?
    ) throws(SystemError) -> Bool {
        if code == EINTR { return true }
        guard code == EAGAIN || code == EWOULDBLOCK else { return false }
        var poller = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&poller, 1, limit ?? -1)
            // Errors and hang-ups make it ready, too: the call itself says what they are.
            if count > 0 { return true }
            if count == 0 { throw SystemError(code: EAGAIN) }
            guard errno == EINTR else { throw SystemError(code: errno) }
        }
    }
}
