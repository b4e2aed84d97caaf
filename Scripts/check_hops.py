#!/usr/bin/env python3
"""Checks that releases bring errors back to the actor of their caller (Docs/decisions/0014).

Usage: check_hops.py SWIFT
Compiles Scripts/samples/thrown.swift as a release is compiled, with the flags of Package.swift, and looks at the method
of the protocol: a hop to the caller's executor has to stand before its `throw`. Says, too, when the flags are not needed
any more.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE = os.path.join(ROOT, "Scripts", "samples", "thrown.swift")


def release_flags():
    """The flags that Package.swift gives to all modules of a release."""
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        settings = file.read().split("let quickStart")[0]
    flags = []
    for words in re.findall(r"\.unsafeFlags\(\[(.*?)\], \.when\(configuration: \.release\)\)", settings, re.S):
        flags += re.findall(r'"([^"]*)"', words)
    return flags


def comes_back(swiftc, flags):
    """Whether an error comes back; raises when the sample cannot be read."""
    command = [swiftc, "-O", "-swift-version", "6", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
               *flags, "-emit-sil", SAMPLE]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    body = re.search(r"^sil [^\n]*\[thunk\] @\S*4failyy\S*TW :.*?^} // end sil function", text, re.S | re.M)
    if body is None:
        raise SystemExit("check_hops.py: the method of the protocol is not in the compiler's output")
    lines = body.group().split("\n")
    throws = [number for number, line in enumerate(lines) if line.startswith("  throw ")]
    if not throws:
        raise SystemExit("check_hops.py: the method of the protocol throws nothing")
    for number in throws:
        block = max(begin for begin in range(number) if re.match(r"bb\d+", lines[begin]))
        hops = [line for line in lines[block:number] if "hop_to_executor" in line]
        if not hops or not re.match(r"  hop_to_executor %0\b", hops[-1]):
            return False
    return True


def main():
    swift = shutil.which(sys.argv[1] if len(sys.argv) > 1 else "swift")
    if swift is None:
        raise SystemExit("check_hops.py: no such program: " + sys.argv[1])
    swiftc = os.path.join(os.path.dirname(swift), "swiftc")
    if not comes_back(swiftc, release_flags()):
        raise SystemExit("check_hops.py: a release leaves an error on the actor that threw it (Docs/decisions/0014)")
    if comes_back(swiftc, []):
        print("check_hops.py: errors come back without the flags of Package.swift, too: they can go")


main()
