#!/usr/bin/env python3
"""Compares the public API of BLIPNet with the list of it: check_api.py SWIFT MODULES [--write], the compiler and the folder with
the modules that it has built. Docs/api/BLIPNet.txt has a line for each public symbol. Where the two differ it prints the lines that
went (-) and came (+), says which of them break callers, and exits 1; --write writes the list."""
import pathlib
import re
import sys
import tempfile

import symbol_graph

API = symbol_graph.root / "Docs/api/BLIPNet.txt"
HEADER = """\
# The public API of BLIPNet, a line for each symbol; `make api` writes it from the compiler's symbol graph.
# "required" is what a type that conforms to a protocol must have. CONTRIBUTING.md ("Versions of the library") says what a change means.
"""
# What every type has without a word in the source; a list of it says nothing.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def declaration(symbol):
    """The declaration on one line, without `public`."""
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    return re.sub(r"\s+", " ", text).replace("public ", "", 1).strip()


def lines_of(symbols, relationships):
    """A line for each symbol that a source file declares: its path, and its declaration with what the type conforms to. In the
    order of the paths, each type before its members."""
    names = {symbol["identifier"]["precise"]: symbol["names"]["title"] for symbol in symbols}
    conformances, requirements, has_default = {}, set(), set()
    for one in relationships:
        if one["kind"] == "conformsTo":
            name = names.get(one["target"], one.get("targetFallback", one["target"])).split(".")[-1]
            conformances.setdefault(one["source"], set()).add(name)
        elif one["kind"] == "requirementOf":
            requirements.add(one["source"])
        elif one["kind"] == "defaultImplementationOf":
            has_default.add(one["target"])
    lines = {}
    for symbol in symbols:
        # What the compiler derives, and what a type has from a protocol of another module, has no place in our sources.
        if "location" not in symbol:
            continue
        precise = symbol["identifier"]["precise"]
        text = declaration(symbol)
        if inherited := sorted(conformances.get(precise, set()) - IMPLIED):
            text += " : " + ", ".join(inherited)
        if precise in requirements - has_default:
            text = "required " + text
        lines[f"{'.'.join(symbol['pathComponents'])}: {text}"] = symbol["pathComponents"]
    return sorted(lines, key=lambda line: (lines[line], line))


def is_breaking(line, listed):
    """Whether a difference breaks callers: a line that went, or, of a type that there was, a case that their switches lack or a
    requirement that their types do not meet."""
    if line[0] == "-":
        return True
    path, text = line[2:].split(": ", 1)
    is_old = any(one.startswith(path.rpartition(".")[0] + ": ") for one in listed)
    return is_old and re.match(r"(?:indirect )?case |required ", text) is not None


def main():
    swift, modules, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        graphs = pathlib.Path(folder)
        try:
            symbol_graph.extract(swift, pathlib.Path(modules), graphs)
        except symbol_graph.ToolFailure as failure:
            sys.exit(str(failure))
        found = lines_of(*symbol_graph.load(graphs))
    if rest == ["--write"]:
        API.parent.mkdir(exist_ok=True)
        API.write_text(HEADER + "\n" + "\n".join(found) + "\n")
        print(f"{len(found)} public symbols in {API.relative_to(symbol_graph.root)}")
        return
    listed = [line for line in API.read_text().splitlines() if line and not line.startswith("#")]
    differences = [f"- {line}" for line in set(listed) - set(found)] + [f"+ {line}" for line in set(found) - set(listed)]
    # What went and what came in its place are beside each other.
    for line in sorted(differences, key=lambda line: (line[2:].split(": ")[0], line[0] == "+")):
        print(line + ("    <- breaks callers" if is_breaking(line, listed) else ""))
    if differences:
        breaking = sum(is_breaking(line, listed) for line in differences)
        print(f'The API is not that of {API.relative_to(symbol_graph.root)}: {len(differences)} lines, of which {breaking} break callers. '
              'If that is meant: make api, and CONTRIBUTING.md, "Versions of the library".')
    print(f"{len(found)} public symbols, {len(differences)} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
