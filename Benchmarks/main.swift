// `make bench`: counts and ratios of the protocol layers beside bare sockets, measured in one run on this machine.
// The benchmark starts itself a second time as the server, so that each side has its own process and memory.

internal import Glibc

exit(await Benchmark.run(CommandLine.arguments))
