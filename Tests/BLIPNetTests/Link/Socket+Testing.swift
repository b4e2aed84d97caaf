// Blocking use of the sockets, for test peers that stand on a thread of their own.

import CLinux
import Glibc

@testable import BLIPNet

extension Socket {
    /// Reads and writes wait from now on.
    func setBlocking() -> Int32 { clinux_set_blocking(descriptor) }

    func shutdownBoth() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
