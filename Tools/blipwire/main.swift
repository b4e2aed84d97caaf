// blipwire: the protocol workbench. Drives the product's own protocol code without the chat.

internal import Glibc

exit(await Blipwire.run(Array(CommandLine.arguments.dropFirst())))
