#!/usr/bin/env python3
"""Counts what each type in Sources and Tools has, over all its extensions, and fails where one has more than 25 stored
properties or 60 methods: who reads a type of more finds no place in it.

A stored property is a `var` or `let` of an instance, with or without observers; constants and variables of the type itself
(`static`) are none. A method is a `func`, an `init`, a `subscript`, or a property whose getter does not fit into its line.
Functions within functions do not count, and nested types count for themselves. Of a protocol only what its extensions carry out
counts. Extensions of types that are not ours count for each module alone.

ALLOWED names those that may have more, and why; one that does not need it any more is an error. With --all, prints every type
with at least half as much as it may have. Arguments: folders (Sources, Tools)."""
import collections
import pathlib
import re
import sys

from check_tests import blanked, closing

root = pathlib.Path(__file__).resolve().parent.parent
MOST_PROPERTIES, MOST_METHODS = 25, 60
ALLOWED = {
    "ChatCore.ChatCall": "one line for each call, with the type of its reply, and nothing else",
    "ChatTUI.ScreenSettings": "one property for each setting of the screen, and no method that does anything",
    "Storage.HistoryDatabase": "a façade: one short method for each question of HistoryStore, by topic",
    "Storage.SQLiteConnection": "statements by topic: each method is one on the same connection, without state of its own",
}

WORD = re.compile(
    r"[{}]"
    r"|(?<![.\w])(?P<kind>struct|class|enum|actor|extension|protocol)\s+(?!func\b|var\b|let\b|subscript\b)(?P<name>[\w.]+)"
    r"|(?<![.\w])(?P<method>func\b|init\b(?=[?(<!])|subscript\b)"
    r"|(?<![.\w])(?P<property>var|let)\s")


class Size:
    def __init__(self):
        self.properties = self.methods = 0
        self.files = set()


def declaration(code, start):
    """What follows `var` or `let`: how many names it declares, and where its getter begins (`None`: it is stored)."""
    depth, names = 0, 1
    for index in range(start, len(code)):
        character = code[index]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and character == ",":
            names += 1
        elif depth == 0 and character == "=":
            # `{` behind a value is a closure or an observer.
            return names, None
        elif depth == 0 and character == "{":
            return names, None if re.match(r"\s*(?:willSet|didSet)\b", code[index + 1:]) else index
        elif depth == 0 and character == "\n":
            return names, None
    return names, None


def read(path, declared):
    """Yields (type, property or method, how many) for a file, where a type is its name with those around it."""
    code = blanked(path.read_text())
    # The open blocks: the name of a type, and whether what stands in it counts; `None` for any other block.
    blocks, header = [], None
    for match in WORD.finditer(code):
        inside = blocks[-1] if blocks else None
        if match.group() == "{":
            blocks.append(header)
            header = None
        elif match.group() == "}":
            blocks.pop()
        elif match.group("kind"):
            around = [block[0] for block in blocks if block]
            name = ".".join(around + [match.group("name")])
            if match.group("kind") != "extension":
                declared.add(name)
            header = (name, match.group("kind") != "protocol")
        elif inside and inside[1]:
            if match.group("method"):
                yield inside[0], "methods", 1
                continue
            names, getter = declaration(code, match.end())
            line = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
            if getter is not None:
                if "\n" in code[getter:closing(code, getter)]:
                    yield inside[0], "methods", 1
            elif not re.search(r"\b(?:static|class)\s", line):
                yield inside[0], "properties", names


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--all"]
    folders = [pathlib.Path(argument) for argument in arguments] or [root / "Sources", root / "Tools"]
    declared, found = collections.defaultdict(set), []
    for folder in folders:
        for path in sorted(folder.rglob("*.swift")):
            module = path.relative_to(folder).parts[0]
            found += [(module, path, *item) for item in read(path, declared[module])]
    sizes = collections.defaultdict(Size)
    for module, path, name, kind, count in found:
        owners = [module] if name in declared[module] else [other for other in declared if name in declared[other]]
        size = sizes[f"{owners[0] if owners else module}.{name}"]
        setattr(size, kind, getattr(size, kind) + count)
        size.files.add(path)
    faults = 0
    for name, size in sorted(sizes.items(), key=lambda item: -item[1].methods):
        is_large = size.properties > MOST_PROPERTIES or size.methods > MOST_METHODS
        words = f"{name}: {size.properties} stored properties, {size.methods} methods in {len(size.files)} files"
        if "--all" in sys.argv and (size.properties * 2 >= MOST_PROPERTIES or size.methods * 2 >= MOST_METHODS):
            print(words)
        if is_large and name not in ALLOWED:
            print(f"{words}; at most {MOST_PROPERTIES} and {MOST_METHODS}: give some of it to types that are about it")
            faults += 1
        if not is_large and name in ALLOWED:
            print(f"{words}: needs no place in the list of Scripts/check_sizes.py any more")
            faults += 1
    print(f"{len(sizes)} types, {faults} too large")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
