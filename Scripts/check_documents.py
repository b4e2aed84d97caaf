#!/usr/bin/env python3
"""Checks what the documents say about the tree: ARCHITECTURE.md names every source file once and no file that is not
there, and every relative link in the Markdown files leads somewhere. Prints each fault; exits 1 when there is one."""
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

for fault in faults:
    print(fault)
print(f"{len(listed)} files in ARCHITECTURE.md, {len(faults)} faults")
sys.exit(1 if faults else 0)
