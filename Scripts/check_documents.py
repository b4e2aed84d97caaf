#!/usr/bin/env python3
"""Checks what the documents say about the tree: ARCHITECTURE.md names every folder of sources once and no folder that is not
there, and the functions of its walks exist in the files that it names; every source file begins with a comment; the documents
are those that CONTRIBUTING.md lists and keep to their sizes; every relative link in the Markdown files leads somewhere; the
frames that Docs/protocol.md shows are those of the test vectors; names in code are names of the sources. Prints each fault as file:line; exits 1 when there is one.

check_documents.py --files [FOLDER...]: prints the first comment of each source file instead (make files)."""
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
tracked = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
).stdout.split("\n")
tracked = [name for name in tracked if (root / name).is_file()]
sources = [name for name in tracked if re.match(r"(Sources|Tools|Benchmarks|Fuzz|Scripts|Tests|Examples)/.+\.(swift|c|h|py|sh|lua)$", name)]
faults = []

# How long a document may be, in bytes.
SIZES = {"ARCHITECTURE.md": 8192, "README.md": 7168, "CHANGELOG.md": 6144}
# Names in code that belong to other programs.
FOREIGN = {"LoadCredential", "LoadCredentialEncrypted"}
# The documents beside spec and decisions. benchmarks.md is written by `make bench`, testing.md in part by list_tests.py.
DOCUMENTS = {"guide", "delivery", "files", "people", "protocol", "relay", "rooms", "screen", "scripting", "settings", "storage", "testing", "benchmarks"}


def first_comment(name):
    """The comment at the beginning of a source file, on one line; empty when there is none."""
    text = (root / name).read_text()
    text = re.sub(r"\A#!.*\n", "", text)
    text = re.sub(r"\A// swift-tools-version.*\n", "", text)
    block = re.match(r'(?:#.*\n)*r?"""(.*?)"""', text, re.S) if name.endswith(".py") else re.match(r"/\*(.*?)\*/", text, re.S)
    if block:
        comment = block.group(1).split("\n\n")[0]
    else:
        mark = "#" if name.endswith((".py", ".sh")) else "--" if name.endswith(".lua") else "//"
        lines = re.match(rf"(?:{mark}.*\n)*", text).group().split("\n")
        comment = " ".join(line.removeprefix(mark).strip() for line in lines)
    return re.sub(r"\s+", " ", comment).strip()


def print_files(folders):
    """One line for each source file: its path and its first comment."""
    folder = None
    for name in sources:
        if folders and not any(name.startswith(one.rstrip("/") + "/") or name == one for one in folders):
            continue
        if pathlib.PurePath(name).parent != folder:
            folder = pathlib.PurePath(name).parent
            print(f"\n{folder}/")
        print(f"  {pathlib.PurePath(name).name}: {first_comment(name)}")


def check_comments():
    for name in sources:
        if not first_comment(name):
            faults.append(f"{name}:1: the file does not begin with a comment that says what it is")


def check_folders(lines):
    """The section "Folders": headings name a folder, the words in code at the beginning of a line folders beneath it."""
    named, above = {}, None
    for number, line in enumerate(lines, 1):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            above = heading.group(1) if re.match(r"(Sources|Tools)\b", heading.group(1)) else None
            if above and (root / above).is_dir() and above not in ("Sources", "Tools"):
                named.setdefault(above, []).append(number)
        elif above:
            # `Panes/*`: one line for all folders of one kind.
            for kind in re.findall(r"`([\w./]+)/\*`", line):
                for child in (root / above / kind).iterdir():
                    if child.is_dir():
                        named.setdefault(f"{above}/{kind}/{child.name}", []).append(number)
            for word in re.findall(r"`([\w./]+)`", line):
                folder = f"{above}/{word}"
                if (root / folder).is_dir():
                    named.setdefault(folder, []).append(number)
                elif re.match(rf"- (?:`[\w./]+`, )*`{re.escape(word)}`[,:]", line):
                    faults.append(f"ARCHITECTURE.md:{number}: there is no folder {folder}")
    folders = {str(pathlib.PurePath(name).parent) for name in sources if name.startswith(("Sources/", "Tools/"))}
    for folder in sorted(folders):
        if folder.endswith("/include"):
            continue
        if folder not in named:
            faults.append(f"ARCHITECTURE.md: no line for the folder {folder}")
        elif len(named[folder]) > 1:
            faults.append(f"ARCHITECTURE.md:{named[folder][1]}: {folder} is listed twice")
    return len(folders)


def check_walks(lines):
    """The lines `- FILE: \\`function\\` ...` between "Three walks" and the next heading name functions of that file."""
    count, is_walk = 0, False
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            is_walk = line == "## Three walks"
        step = re.match(r"- ([\w/+]+): ((?:`\w+` ?)+)", line)
        if not is_walk or not step:
            if is_walk and line.startswith("- "):
                faults.append(f"ARCHITECTURE.md:{number}: a step of a walk is - FILE: `function` ...: words")
            continue
        path = root / "Sources" / f"{step.group(1)}.swift"
        if not path.is_file():
            faults.append(f"ARCHITECTURE.md:{number}: there is no Sources/{step.group(1)}.swift")
            continue
        text = path.read_text()
        for function in re.findall(r"`(\w+)`", step.group(2)):
            count += 1
            if not re.search(rf"\bfunc {function}\b", text):
                faults.append(f"ARCHITECTURE.md:{number}: {step.group(1)}.swift has no function {function}")
    if count == 0:
        faults.append('ARCHITECTURE.md: there are no walks (section "Three walks")')
    return count


def check_documents():
    for name, size in SIZES.items():
        length = (root / name).stat().st_size
        if length > size:
            faults.append(f"{name}: {length} bytes, more than {size}")
    here = {pathlib.PurePath(name).stem for name in tracked if re.match(r"Docs/[^/]+\.md$", name)}
    faults.extend(f"Docs/{name}.md: one more document than CONTRIBUTING.md lists" for name in sorted(here - DOCUMENTS))
    faults.extend(f"Docs/{name}.md: is missing" for name in sorted(DOCUMENTS - here))


def check_links():
    """Relative links lead to a file, and their fragments to a heading."""
    for name in tracked:
        path = root / name
        if not name.endswith(".md") or "Vectors" in name:
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for target, fragment in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                file = path.parent / target if target else path
                if not file.exists():
                    faults.append(f"{name}:{number}: broken link {target}")
                elif fragment and file.suffix == ".md":
                    headings = re.findall(r"^#+ (.+)$", file.read_text(), re.M)
                    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
                    if fragment not in slugs:
                        faults.append(f"{name}:{number}: {target} has no heading #{fragment}")


def check_names():
    """A name in code such as `HistoryStore` or `ChatClient.send` is one of the sources or of the tests."""
    texts = [(root / name).read_text() for name in sources]
    text = "\n".join(texts)
    words = set(re.findall(r"\w+", text + "\n".join(tracked)))
    for name in tracked:
        if not re.match(r"(Docs/.+|[A-Z]+)\.md$", name):
            continue
        for number, line in enumerate((root / name).read_text().split("\n"), 1):
            for suite in re.findall(r"\b[A-Z][a-z]\w+Tests\b", line):
                if suite not in words:
                    faults.append(f"{name}:{number}: there is no test suite {suite}")
            for suite, test in re.findall(r"\b([A-Z]\w+Tests)/([a-z]\w*)", line):
                if not any(re.search(rf"\b(?:struct|extension) {suite}\b", suites) and f"func {test}(" in suites for suites in texts):
                    faults.append(f"{name}:{number}: {suite} has no test {test}")
            if not re.match(r"(Docs/[^/]+|[A-Z]+)\.md$", name):
                continue
            for code in re.findall(r"`([A-Z][a-z]+[A-Z]\w*(?:\.\w+)?)[^`]*`", line):
                for word in code.split("."):
                    if word not in words | FOREIGN:
                        faults.append(f"{name}:{number}: nothing in the sources is called {word}")


def check_frames():
    """A block ```hex holds one frame, a part of it with its meaning on each line ("..." leaves the rest out); below it is the
    vector that it comes from: *Vector `FILE`, "CASE", frame N.*"""
    vectors = root / "Tests/BLIPNetTests/Vectors"
    protocol = (root / "Docs/protocol.md").read_text()
    pattern = r"```hex\n(.*?)\n```(?:\n\n\*Vector `([^`]+)`(?:, \"([^\"]+)\")?, frame (\d+)\.\*)?"
    blocks = list(re.finditer(pattern, protocol, re.S))
    for block in blocks:
        text, file, case, index = block.groups()
        line = protocol.count("\n", 0, block.start()) + 1
        place = f"Docs/protocol.md:{line}: frame {index} of {file} {case or ''}".rstrip()
        if file is None or not (vectors / file).is_file():
            faults.append(f"{place}: no such vector: {text.splitlines()[0]}")
            continue
        vector = json.loads((vectors / file).read_text())
        frames = [frame["hex"] for frame in vector.get("frames", [])]
        for entry in vector.get("cases", []):
            if entry["name"] == case:
                frames = entry["frames"]
        parts = [re.match(r"((?:[0-9a-f]{2} {0,2})*)(\.\.\.)?", line) for line in text.splitlines()]
        shown = "".join(part.group(1).replace(" ", "") for part in parts)
        frame = frames[int(index)] if int(index) < len(frames) else ""
        if frame != shown and not (parts[-1].group(2) and frame.startswith(shown)):
            faults.append(f"{place}: the vector has other bytes")
    return len(blocks)


if sys.argv[1:2] == ["--files"]:
    print_files(sys.argv[2:])
    sys.exit(0)
architecture = (root / "ARCHITECTURE.md").read_text().split("\n")
folders, functions = check_folders(architecture), check_walks(architecture)
check_comments()
check_documents()
check_links()
check_names()
frames = check_frames()
for fault in faults:
    print(fault)
print(f"{folders} folders and {functions} functions in ARCHITECTURE.md, {len(sources)} files, {frames} frames in Docs/protocol.md, "
      f"{len(faults)} faults")
sys.exit(1 if faults else 0)
