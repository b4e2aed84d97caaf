#!/usr/bin/env python3
"""Checks that releases bring errors back to the actor of their caller (Docs/decisions/0014).

Usage: check_hops.py SWIFT [--library]
Compiles Scripts/samples/thrown.swift as a release is compiled, with the flags of Package.swift, and looks at the method
of the protocol: a hop to the caller's executor has to stand before its `throw`. Says, too, when the flags are not needed
any more. With --library it compiles BLIPNet instead, as other packages compile it: without those flags, which SwiftPM
takes from no dependency. Then each asynchronous function that runs where its caller does must be back there at its end.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE = os.path.join(ROOT, "Scripts", "samples", "thrown.swift")


def manifest():
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        return file.read()


def release_flags():
    """The flags that Package.swift gives to all modules of a release but BLIPNet."""
    flags = []
    for words in re.findall(r"\.unsafeFlags\(\[(.*?)\], \.when\(configuration: \.release\)\)",
                            manifest().split("let quickStart")[0], re.S):
        flags += re.findall(r'"([^"]*)"', words)
    return flags


def check_who_has_the_flags():
    """Every Swift target has the flags (`strict`), except BLIPNet (`common`)."""
    targets = re.findall(r"\.(?:target|executableTarget|testTarget)\((.*?)\)(?=,\n        [./]|,\n    \])",
                         manifest().split("    targets: [")[1], re.S)
    for target in targets:
        name = re.search(r'name: "(\w+)"', target).group(1)
        settings = re.search(r"swiftSettings: (\w+)", target)
        wanted = "common" if name == "BLIPNet" else None if re.match("C[A-Z]", name) else "strict"
        if (settings and settings.group(1)) != wanted:
            raise SystemExit(f"check_hops.py: {name} in Package.swift has not the settings {wanted}")


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


# MARK: BLIPNet

CALLER = "Builtin.ImplicitActor"  # the parameter by which a caller says where it runs


def is_async(kind):
    return "@async" in re.match(r"(@convention\([^)]*\) |@\w+ |\[\w+\] )*", kind).group()


def library_sil(swiftc):
    """BLIPNet as a release of another package has it, in the compiler's intermediate language."""
    headers = [part for name in ("CLinux", "COpenSSL", "CZlib") for part in ("-I", f"{ROOT}/Sources/{name}")]
    common = manifest().split("let strict:")[0]
    features = [part for name in re.findall(r'\.enableUpcomingFeature\("(\w+)"\)', common)
                for part in ("-enable-upcoming-feature", name)]
    files = sorted(str(file) for file in pathlib.Path(ROOT, "Sources/BLIPNet").rglob("*.swift"))
    command = [swiftc, "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-module-name", "BLIPNet",
               "-package-name", "blipchat", *features, *headers, "-emit-sil", *files]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def ends_away(body, caller):
    """Whether a path through a function ends on another executor than that of `caller`, a value of it."""
    blocks = {}
    for line in body.split("\n"):
        label = re.match(r"(bb\d+)(?:\(.*\))?:", line)
        if label:
            block = blocks.setdefault(label.group(1), [])
        elif blocks and line.startswith("  "):
            block.append(line.split(" // ")[0].strip())
    names = {caller}
    ways, seen = [("bb0", True)], set()
    for lines in blocks.values():
        for line in lines:
            same = re.match(r"(%\d+) = (?:unchecked_\w+|copy_value|begin_borrow|enum) .*?(%\d+)\b", line)
            if same and same.group(2) in names:
                names.add(same.group(1))
    while ways:
        way = ways.pop()
        if way in seen:
            continue
        seen.add(way)
        label, is_back = way
        for line in blocks[label]:
            hop = re.match(r"hop_to_executor (?:\[mandatory\] )?(%\d+)", line)
            if hop:
                is_back = hop.group(1) in names
            elif line.startswith("await_async_continuation"):
                is_back = False
            elif re.match(r"(%\d+ = )?(try_)?apply ", line):
                kind = line.split(" : $", 1)[1]
                if is_async(kind):  # It comes back by itself only where it is told who calls.
                    given = re.search(r"\((%[^)]*)\)", line)
                    is_back = CALLER in kind and given is not None and given.group(1).split(",")[0] in names
            elif re.match(r"(return|throw) ", line) and not is_back:
                return True
        ways += [(next_label, is_back) for next_label in re.findall(r"\bbb\d+\b", blocks[label][-1])]
    return False


def check_library(swiftc):
    text = library_sil(swiftc)
    count, faults = 0, []
    for name, kind, body in re.findall(r"^sil [^\n]*?@(\S+) : \$([^\n]*) \{\n(.*?)^\} // end sil function", text,
                                       re.S | re.M):
        caller = re.search(rf"^bb0\(.*?(%\d+) : \${CALLER}", body, re.M)
        if not is_async(kind) or caller is None:
            continue
        count += 1
        if ends_away(body, caller.group(1)):
            faults.append(name)
    if count < 10:
        raise SystemExit(f"check_hops.py: only {count} functions of BLIPNet that run where their caller does")
    if faults:
        demangle = os.path.join(os.path.dirname(swiftc), "swift-demangle")
        names = subprocess.run([demangle, "-compact", *faults], stdout=subprocess.PIPE, text=True).stdout
        raise SystemExit("check_hops.py: these end on another executor than their caller's; get a Result from the actor "
                         "and take it apart here (Docs/decisions/0014):\n" + names)
    print(f"check_hops.py: {count} asynchronous functions of BLIPNet come back to their callers without flags")


def main():
    swift = shutil.which(sys.argv[1] if len(sys.argv) > 1 else "swift")
    if swift is None:
        raise SystemExit("check_hops.py: no such program: " + sys.argv[1])
    swiftc = os.path.join(os.path.dirname(swift), "swiftc")
    if "--library" in sys.argv:
        check_library(swiftc)
        return
    check_who_has_the_flags()
    if not comes_back(swiftc, release_flags()):
        raise SystemExit("check_hops.py: a release leaves an error on the actor that threw it (Docs/decisions/0014)")
    if comes_back(swiftc, []):
        print("check_hops.py: errors come back without the flags of Package.swift, too: they can go")


if __name__ == "__main__":
    main()
