#!/usr/bin/env python3
"""Checks the DocC catalogue of BLIPNet against the code: check_catalogue.py SWIFT MODULES, the compiler and the
folder with the modules that it has built.

1. docc converts it without a warning: no link to a symbol or an article is broken, here or in a comment of the code.
2. Every public type stands in a group of the landing page.
3. The article Limits has every default of the code, with its value.
4. Every Swift listing, of the README too, is word for word in the tests that run the documentation; SocketExamples.md has its own.
5. The Python listings of OtherLanguages.md run, but for the one that calls a server; paths in code exist, and options of blipwire.
Prints each fault; exits 1 when there is one."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import symbol_graph
from listing import listings

root = pathlib.Path(__file__).resolve().parent.parent
sources = root / "Sources/BLIPNet"
catalogue = sources / "BLIPNet.docc"
modules = pathlib.Path(sys.argv[2])
faults = []

# The types whose numbers and durations are limits. What is neither, and what is not a limit, has no place in the article.
LIMITS = {"BLIPLimits", "WebSocketLimits", "SocketIOLimits", "WebSocketWindows", "ListenerLimits", "LinkOptions", "WebSocketRequest",
          "ConnectOptions", "ListenOptions", "StreamOptions", "AddressPolicy"}
NO_LIMITS = {"ConnectOptions/localPort", "StreamOptions/localBuffer", "StreamOptions/localUnsentLowWater",
             "StreamOptions/unsentLowWater"}


def convert():
    """Runs docc and returns the symbols of the module."""
    with tempfile.TemporaryDirectory() as folder:
        graphs = pathlib.Path(folder) / "graphs"
        try:
            symbol_graph.extract(sys.argv[1], modules, graphs)
            symbol_graph.convert(sys.argv[1], graphs, pathlib.Path(folder) / "archive")
        except symbol_graph.ToolFailure as failure:
            faults.append(str(failure))
            return []
        return json.loads((graphs / "BLIPNet.symbols.json").read_text())["symbols"]


def check_groups(symbols):
    """Every type of the module is in one group of the landing page."""
    topics = (catalogue / "BLIPNet.md").read_text().split("## Topics")[-1]
    grouped = re.findall(r"^- ``([^`]+)``$", topics, re.M)
    types = {symbol["pathComponents"][0] for symbol in symbols if len(symbol["pathComponents"]) == 1}
    faults.extend(f"BLIPNet.md: {name} is in no group" for name in sorted(types - set(grouped)))
    faults.extend(f"BLIPNet.md: {name} is in two groups" for name in sorted({n for n in grouped if grouped.count(n) > 1}))


def shown(value):
    """A default of the code as the article writes it; None for what is no number and no duration."""
    value = value.strip()
    if value == "nil":
        return "none"
    duration = re.fullmatch(r"(?:Duration)?\.(seconds|milliseconds)\(([\d_]+)\)", value)
    if duration:
        return duration.group(2).replace("_", ",") + (" s" if duration.group(1) == "seconds" else " ms")
    number = re.fullmatch(r"([\d_]+)(?: << (\d+))?", value)
    return f"{int(number.group(1)) << int(number.group(2) or 0):,}" if number else None


def defaults_of_code():
    """The limits of the code, Type/name to how the article quotes it (public ones are links) and the value; a type within
    a type is Outer/Inner/name."""
    defaults = {}
    for file in sources.rglob("*.swift"):
        types = []
        for line in file.read_text().split("\n"):
            if not line.strip():
                continue
            depth = (len(line) - len(line.lstrip())) // 4
            del types[depth + (line.strip() != "}"):]
            struct = re.match(r" *(?:public|package) struct (\w+)", line)
            field = re.match(r" *(public |package |)var (\w+)(?:: ([^=]+?))?(?: = (.+))?$", line)
            if struct and len(types) == depth:
                types.append(struct.group(1))
            elif field and len(types) == depth and types and types[0] in LIMITS:
                access, name, kind, value = field.groups()
                if value is None and re.fullmatch(r"(Int|Int32|UInt64|Duration)\?", kind or ""):
                    value = "nil"
                if value is not None and shown(value) is not None:
                    defaults["/".join([*types, name])] = ("``" if access == "public " else "`", shown(value))
    return {name: value for name, value in defaults.items() if name not in NO_LIMITS}


def check_limits():
    """The rows | ``Type/name`` | value | of the article (`Type/name` where nobody can change it) are the defaults of the code."""
    rows = {name: (quote, value) for quote, name, value in
            re.findall(r"^\| (`+)([^`]+)`+ \| ([^|]+?) \|", (catalogue / "Limits.md").read_text(), re.M)}
    defaults = defaults_of_code()
    missing = LIMITS - {name.split("/")[0] for name in defaults}
    faults.extend(f"check_catalogue.py: no defaults found in {name}" for name in sorted(missing))
    for name in sorted(defaults.keys() | rows.keys()):
        if name not in rows:
            faults.append(f"Limits.md: no row for {name} ({defaults[name][1]})")
        elif name not in defaults:
            faults.append(f"Limits.md: the code has no default for {name}")
        elif rows[name] != defaults[name]:
            faults.append(f"Limits.md: {name} is {' '.join(defaults[name])}, not {' '.join(rows[name])}")


def check_listings():
    """Listings are pieces of the files in Tests/BLIPNetTests/Documentation, at whatever depth they stand there."""
    lines = []
    for file in sorted((root / "Tests/BLIPNetTests/Documentation").glob("*.swift")):
        lines += file.read_text().split("\n") + [""]
    examples = catalogue / "SocketExamples.md"
    for article in [*sorted(set(catalogue.glob("*.md")) - {examples}), sources / "README.md"]:
        for listing in listings(article.read_text()):
            wanted = listing.rstrip("\n").split("\n")
            starts = [i for i, line in enumerate(lines) if line.strip() == wanted[0].strip()]
            pieces = (textwrap.dedent("\n".join(lines[i:i + len(wanted)])).split("\n") for i in starts)
            if wanted not in pieces:
                faults.append(f"{article.name}: this listing is not in Tests/BLIPNetTests/Documentation:\n{listing}")
    # SocketExamples.md shows the lines of its tests, but prints where those compare.
    tested = {line.strip() for line in (root / "Tests/BLIPNetTests/Link/TCP/SocketPageTests.swift").read_text().split("\n")}
    for line in "".join(listings(examples.read_text())).split("\n"):
        code = re.sub(r" {2,}//.*", "", line).strip()
        if "print(" not in code and code not in tested:
            faults.append(f"SocketExamples.md: this line is not in SocketPageTests.swift: {code}")


def check_other_languages():
    """What OtherLanguages.md shows to people who do not build this."""
    text = (catalogue / "OtherLanguages.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    for program in programs:
        if "import base64, json, os, pathlib, socket" in program:
            compile(program, "OtherLanguages.md", "exec")
            continue
        result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
        if result.returncode != 0:
            faults.append(f"OtherLanguages.md: a Python listing fails: {result.stderr.strip().splitlines()[-1]}")
    if len(programs) < 5:
        faults.append(f"OtherLanguages.md: only {len(programs)} Python listings")
    options = set(re.findall(r'"(--[a-z-]+)"', "".join(file.read_text() for file in (root / "Tools/blipwire").glob("*.swift"))))
    for line in "".join(re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)).split("\n"):
        for option in re.findall(r"--[a-z-]+", line) if line.startswith("blipwire ") else []:
            if option not in options:
                faults.append(f"OtherLanguages.md: blipwire has no option {option}")
    vectors = root / "Tests/BLIPNetTests/Vectors"
    for name in re.findall(r"`((?:blip3|blip|SocketIO)/[^`]+)`", text):
        if not (vectors / name).is_file():
            faults.append(f"OtherLanguages.md: there is no vector {name}")
    for article in [*catalogue.glob("*.md"), sources / "README.md"]:
        for path in re.findall(r"\b(?:Docs|Examples|Scripts|Sources|Tests|Tools)/[\w./-]*\w", article.read_text()):
            if not (root / path).exists():
                faults.append(f"{article.name}: there is no {path}")


symbols = convert()
if symbols:
    check_groups(symbols)
check_limits()
check_listings()
check_other_languages()
for fault in faults:
    print(fault)
print(f"{len(symbols)} public symbols, {len(list(catalogue.glob('*.md')))} articles, {len(faults)} faults")
sys.exit(1 if faults else 0)
