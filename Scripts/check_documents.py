#!/usr/bin/env python3
"""Checks what the documents say about the tree: ARCHITECTURE.md names every source file once and no file that is not
there, every relative link in the Markdown files leads somewhere, and the frames that Docs/protocol.md shows are those of
the test vectors. Prints each fault; exits 1 when there is one."""
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
faults = []

tracked = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
).stdout.split("\n")
sources = {name for name in tracked if re.match(r"(Sources|Tools|Benchmarks|Fuzz|Scripts)/", name) and (root / name).is_file()
           and not name.startswith("Fuzz/Corpus/")}

architecture = (root / "ARCHITECTURE.md").read_text()
folder = ""
listed = []
for line in architecture.split("\n"):
    heading = re.match(r"#+ .*`((?:Sources|Tools|Benchmarks|Fuzz|Scripts)[^`]*)/`", line)
    if heading:
        folder = heading.group(1)
    row = re.match(r"- `([^`]+)`: \S", line)
    if row and folder:
        listed.append(f"{folder}/{row.group(1)}")
for name in sorted(sources - set(listed)):
    faults.append(f"ARCHITECTURE.md: no line for {name}")
for name in sorted(set(listed) - sources):
    faults.append(f"ARCHITECTURE.md: {name} is listed and not there")
for name in sorted({name for name in listed if listed.count(name) > 1}):
    faults.append(f"ARCHITECTURE.md: {name} is listed twice")

for name in tracked:
    path = root / name
    if not name.endswith(".md") or not path.is_file() or "Vectors" in name:
        continue
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
        if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
            faults.append(f"{name}: broken link {target}")

# A block ```hex holds one frame, a part of it with its meaning on each line ("..." leaves the rest out); the vector
# that it comes from stands below: *Vector `FILE`, "CASE", frame N.*
vectors = root / "Tests/BLIPNetTests/Vectors"
protocol = (root / "Docs/protocol.md").read_text()
blocks = list(re.finditer(r"```hex\n(.*?)\n```(?:\n\n\*Vector `([^`]+)`(?:, \"([^\"]+)\")?, frame (\d+)\.\*)?", protocol, re.S))
for block in blocks:
    text, file, case, index = block.groups()
    place = f"Docs/protocol.md: frame {index} of {file} {case or ''}".rstrip()
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

for fault in faults:
    print(fault)
print(f"{len(listed)} files in ARCHITECTURE.md, {len(blocks)} frames in Docs/protocol.md, {len(faults)} faults")
sys.exit(1 if faults else 0)
