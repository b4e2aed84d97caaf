#!/usr/bin/env python3
"""Checks that nothing that can block on a disk, a name server or another program runs where the chat would wait for it.

Swift's pool has one thread for each processor, and so have Dispatch's global queues: a call that hangs there takes a half of
the program with it. What a call blocks on is invisible in its type, so the rule is about files: a function that can block is
called only in the closure of a DiskLane, or in a file or function that Scripts/blocking_calls.txt names, with the thread that
waits there.

Found are calls of the C library by name, also as `Glibc.name(`, and of our own functions that say of themselves that they
block (OURS); not found is what hides behind other names. The list is checked, too: an entry that is not needed any more is an
error.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "Scripts", "blocking_calls.txt")

# What waits for a file system, a server, another process or code of others.
CALLS = """
    open openat creat fopen freopen opendir fdopendir readdir scandir nftw glob mkstemp mkstemps mkdtemp
    stat lstat fstatat statvfs fstatvfs statfs access faccessat realpath readlink readlinkat
    rename renameat unlink unlinkat rmdir remove mkdir mkdirat link linkat symlink symlinkat mkfifo mknod
    chmod fchmodat chown truncate ftruncate fallocate posix_fallocate utimensat
    fsync fdatasync syncfs sync pread pwrite preadv pwritev flock lockf
    getaddrinfo getnameinfo gethostbyname gethostbyaddr getpwnam getpwuid getgrnam
    dlopen waitpid wait system popen sleep usleep nanosleep
    clinux_open_beneath clinux_rename_noreplace
""".split()
# Our own that wait for a disk as long as that takes.
OURS = [
    r"DownloadFolder\((?!descriptor)", r"DownloadFolder\.resolved\(", r"OpenFile\.forReading\(", r"FolderTree\.read\(",
    r"FolderSet\.makeTop\(", r"FolderSet\.removeTop\(", r"FileListing\.read\(", r"FileRemoval\.remove\(",
    r"OutgoingFile\(path", r"PictureLibrary\(\)", r"QRLibrary\(",
]
# A closure that is carried out in a lane: the first one behind one of these.
LANES = re.compile(r"\bDiskLane\b|\bonDisk\(")
# `stat()` makes the structure; the call has arguments.
STRUCTURES = {"stat", "statvfs", "statfs"}
# The shared queues of Dispatch, and code that is put into Swift's pool by name: for computing, not for waiting.
POOLS = {
    r"DispatchQueue\.global\(": "Dispatch's shared queues have one thread for each processor: make a queue of its own",
}

# A comment or a string: what is in it is no call.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*"', re.S)
CALL = re.compile(r"(?<![\w.$`])(?:Glibc\.)?(" + "|".join(CALLS) + r")\(")
DEFINITION = re.compile(r"\b(func|case|static|let|var|init)\s+(\w+\s+)*$")


def without_noise(text):
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def methods(text):
    """The functions that the file declares itself: their bare names are not the C library's."""
    return set(re.findall(r"\bfunc\s+(\w+)", text))


def closing(text, start):
    """Where the brace ends that is opened at `start`."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(text)


def lanes(text):
    """The closures that run in a lane."""
    spans = []
    for match in LANES.finditer(text):
        brace = text.find("{", match.end())
        # Of the same call: a declaration or another statement has no closure for a lane.
        if 0 <= brace and "}" not in text[match.end():brace] and text.count("\n", match.end(), brace) <= 3:
            spans.append((brace, closing(text, brace)))
    return spans


def functions(text):
    """The bodies of named functions: name, begin, end."""
    found = []
    for match in re.finditer(r"\bfunc\s+(\w+)|(?<![\w.])(init)\??(?=[<(])", text):
        brace = text.find("{", match.end())
        if brace >= 0:
            found.append((match.group(1) or match.group(2), brace, closing(text, brace)))
    return found


def findings(path, known_methods):
    """Lines, called functions and the innermost functions around them, without what is in a lane; and uses of shared queues."""
    with open(path, encoding="utf-8") as file:
        text = without_noise(file.read())
    in_lanes = lanes(text)
    named = functions(text)
    found = []

    def note(position, name):
        if any(begin < position < end for begin, end in in_lanes):
            return
        around = [(end - begin, function) for function, begin, end in named if begin < position < end]
        found.append((text.count("\n", 0, position) + 1, name, min(around)[1] if around else ""))

    for match in CALL.finditer(text):
        name = match.group(1)
        line_start = text.rfind("\n", 0, match.start()) + 1
        if DEFINITION.search(text[line_start:match.start()]):
            continue
        if name in STRUCTURES and text[match.end():match.end() + 1] == ")":
            continue
        if not match.group().startswith("Glibc.") and name in known_methods:
            continue
        note(match.start(), name)
    for pattern in OURS:
        for match in re.finditer(r"(?<![\w.])" + pattern, text):
            note(match.start(), match.group().rstrip("("))
    pools = []
    for pattern, why in POOLS.items():
        for match in re.finditer(pattern, text):
            pools.append((text.count("\n", 0, match.start()) + 1, why))
    return found, pools


def allowed():
    """What blocking_calls.txt says: FILE: reason, or FILE#FUNCTION: reason."""
    entries = {}
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            path, separator, reason = line.partition(": ")
            if not separator or len(reason.split()) < 3:
                raise SystemExit(f"{LIST}:{number}: FILE: on which thread it blocks, and for what")
            entries[path] = reason
    return entries


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "Sources")):
        for name in sorted(names):
            if name.endswith(".swift"):
                yield os.path.join(folder, name)


def main():
    entries = allowed()
    problems = []
    needed = set()
    by_type = {}
    for path in sources():
        with open(path, encoding="utf-8") as file:
            text = without_noise(file.read())
        # Extensions of a type share its methods.
        key = (os.path.dirname(path), os.path.basename(path).split("+")[0].split(".")[0])
        by_type.setdefault(key, set()).update(methods(text))
    for path in sources():
        key = (os.path.dirname(path), os.path.basename(path).split("+")[0].split(".")[0])
        relative = os.path.relpath(path, ROOT)
        found, pools = findings(path, by_type[key])
        for line, why in pools:
            problems.append(f"{relative}:{line}: {why}")
        for line, name, function in found:
            entry = next((key for key in (relative, f"{relative}#{function}") if key in entries), None)
            if entry:
                needed.add(entry)
                continue
            problems.append(
                f"{relative}:{line}: {name}() can block on a disk, a server or another program; do it in a DiskLane or on a "
                "thread of its own, or say in Scripts/blocking_calls.txt which one it is on")
    for path in sorted(set(entries) - needed):
        problems.append(f"Scripts/blocking_calls.txt: {path} calls nothing that blocks (any more)")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
