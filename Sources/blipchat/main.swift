// The start of blipchat: what must be set before the first thread, then Program.

import BLIPNet
import CLinux
import ChatTUI
import Glibc

// The process that decodes a picture is nothing else.
if PictureChild.isMeant(Swift.CommandLine.arguments) { PictureChild.run(Swift.CommandLine.arguments) }
StandardStreams.occupyClosed()
// A reader that goes away, or a file that grows past a limit, is an error of that one call, not the end of us.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
clinux_return_large_blocks()
// With a single one the threads of the start wait for each other; each more costs what lies in its holes (Docs/decisions/0012).
clinux_limit_heaps(2)
OpenSSLLibrary.outliveExit()
// Our key is in our memory: neither a core nor another program of the same user may have that.
_ = clinux_forbid_dumps()
OpenSSLLibrary.lockKeys()
Program.start(Program.bytes(of: Swift.CommandLine.unsafeArgv), environment: Program.bytes(of: environ))
MainThread.runForever()
