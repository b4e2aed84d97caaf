// blipwire: the protocol workbench. Drives the product's own protocol code without the chat.

internal import BLIPNet
internal import CLinux
internal import Glibc

clinux_return_large_blocks()
OpenSSLLibrary.outliveExit()
exit(await Blipwire.run(Array(CommandLine.arguments.dropFirst())).rawValue)
