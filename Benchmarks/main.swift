// `make bench`: counts and ratios of the protocol layers beside bare sockets, measured in one run on this machine.
// The benchmark starts itself a second time as the server, so that each side has its own process and memory.

internal import CLinux
internal import Glibc

clinux_return_large_blocks()
exit(await Benchmark.run(CommandLine.arguments))
