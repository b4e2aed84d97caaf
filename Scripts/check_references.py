#!/usr/bin/env python3
"""Proves that every reference to the specification leads somewhere: `(RELIABILITY 3, D9)`, `(PROTOCOL 3.2)`,
`(SOCKETS A16 to A18)`, `(DESIGN 6.4)`, `(PRODUCT, "Hostile text" 3)`, `(PRODUCT, rule 5)`, `(PRODUCT, picture 7)` and
`(PRODUCT, /limit)` name a section, a row, a numbered point or a command of a document in Docs/spec; `Docs/protocol.md 10.5`
names a section of that page, and `decision 0022` or `Docs/decisions/0022` a page in Docs/decisions. Reads sources, tests,
tools, benchmarks, scripts and documents. Prints each fault as file:line; exits 1 when there is one."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
spec = root / "Docs/spec"
NAMES = sorted(path.stem for path in spec.glob("[A-Z]*.md") if path.stem != "README")
# Documents of the project that are not part of this repository: nothing here may refer to them.
ABSENT = ["HOUSE", "NETWORKS", "ROOMS", "STYLE"]


class Document:
    """The places of one document that a reference can name."""

    def __init__(self, path):
        self.numbers, self.rows, self.titles = set(), set(), {}
        self.text = path.read_text()
        places = []
        for line in self.text.split("\n"):
            heading = re.match(r"#+ (?:(\d+(?:\.\d+)?)\.? )?(.+)", line)
            lead = re.match(r"\*\*([A-Z][\w ,/-]+)\*\*", line)
            row = re.match(r"\*\*([A-Z]\d+)\*\*|\| ([A-Z]\d+) \||\| (\d+) [a-z]", line)
            point = re.match(r"(\d+)\. ", line)
            if heading:
                number, title = heading.groups()
                places = [title.lower()] + ([number] if number else [])
                self.titles[title.lower()] = set()
                if number:
                    self.numbers.add(number)
            elif row and (row.group(1) or row.group(2)):
                self.rows.add(row.group(1) or row.group(2))
            elif row:
                self.rows.add(f"picture {row.group(3)}")
            elif lead:
                places = [lead.group(1).lower()]
                self.titles[places[0]] = set()
            elif point and places:
                self.titles[places[0]].add(point.group(1))
                if len(places) == 2:
                    self.numbers.add(f"{places[1]}.{point.group(1)}")

    def title(self, words):
        """The heading that begins with these words."""
        return next((title for title in self.titles if title.startswith(words.lower())), None)


documents = {name: Document(spec / f"{name}.md") for name in NAMES}
SEPARATOR = r"(?:, and |, | and | to |-| )"
LOCATOR = re.compile(
    rf"{SEPARATOR}?(?:\(?\"(?P<title>[^\"]+)\"|(?:(?P<key>rules?|picture) )?(?P<place>[A-Z]?\d+(?:\.\d+)?)(?![\w%])"
    r"|(?P<command>/[a-z]+))")


def members(first, last):
    """The places from one to another: D1 to D9, A3 to A7, 1 to 3."""
    letter, start = re.match(r"([A-Z]?)(\d+)", first).groups()
    end = int(re.search(r"\d+", last).group())
    return [f"{letter}{number}" for number in range(int(start), end + 1)]


def places_of(name, after):
    """The places of the document `name` that the words after its name refer to: each as text, and whether it exists."""
    document = documents[name]
    title, key, previous, count = None, None, None, 0
    for mark in (".md", "'s", "`"):
        after = after.removeprefix(mark)
    while match := LOCATOR.match(after):
        separator = re.match(SEPARATOR, after)
        before, after = separator.group() if separator else "", after[match.end():]
        if count == 0 and not before:
            return
        count += 1
        if match["title"]:
            title = document.title(match["title"])
            yield f'section "{title or match["title"]}"', title is not None
            if title is None:
                return
            continue
        if match["command"]:
            yield match["command"], re.search(rf"{match['command']}\b", document.text) is not None
            continue
        key = match["key"].removesuffix("s") if match["key"] else key
        places = [match["place"]]
        if previous and before in (" to ", "-"):
            places = members(previous, match["place"])
        previous = match["place"]
        for place in places:
            if key == "picture":
                yield f"picture {place}", f"picture {place}" in document.rows
            elif re.match(r"[A-Z]", place):
                yield place, place in document.rows
            elif title or key:
                yield f'"{title}" {place}' if title else f"rule {place}", place in document.titles[title or "the screen"]
            else:
                yield place, place in document.numbers
    unnamed = re.match(r", ([A-Za-z][\w ]*?)(?: (\d+))?(?=[:,.;)\"`]|$)", after)
    if count == 0 and unnamed and unnamed[1] not in NAMES and not re.match(r"(and|or) ", unnamed[1]):
        title = document.title(unnamed[1])
        yield f'section "{title or unnamed[1]}"', title is not None
        if title and unnamed[2]:
            yield f'"{title}" {unnamed[2]}', unnamed[2] in document.titles[title]


def references(text):
    """Each mention of a document in a text: where it is, the document, and the words that follow, without comment marks."""
    for match in re.finditer(rf"\b({'|'.join(NAMES)})\b(?!_)", text):
        rest = re.sub(r"\n[ \t]*(?:///?|#|\|)?[ \t]*", " ", text[match.end():match.end() + 200])
        yield match.start(), match[1], re.sub(r" +", " ", rest)


def main():
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    faults, count = [], 0
    for name in tracked:
        path = root / name
        if not re.match(r"(Sources|Tests|Tools|Benchmarks|Fuzz|Scripts|Docs)/|[A-Z]\w+(\.md|\.swift)?$", name) or not path.is_file():
            continue
        if path.suffix not in (".swift", ".md", ".py", ".sh", ".toml", ".txt", ".c", ".h", "") or "Vectors" in name \
                or name.startswith(("Fuzz/Corpus", "Tests/ChatTUITests/Golden")) or path == pathlib.Path(__file__):
            continue
        text = path.read_text(errors="replace").replace('\\"', ' "')

        def fault(at, what):
            faults.append(f"{name}:{text.count(chr(10), 0, at) + 1}: {what}")

        for match in re.finditer(rf"\b({'|'.join(ABSENT)})(?:\.md| \d|,? \")", text):
            fault(match.start(), f"{match[1]} is no document of this repository")
        for at, document, rest in references(text):
            count += 1
            for place, exists in places_of(document, rest):
                if not exists:
                    fault(at, f"{document} has no {place}")
        for match in re.finditer(r"\bDocs/((?:spec/)?[\w-]+\.md)(?: (\d+(?:\.\d+)?)\b)?", text):
            count += 1
            page = root / "Docs" / match[1]
            if not page.is_file():
                fault(match.start(), f"there is no Docs/{match[1]}")
            elif match[2] and match[2] not in Document(page).numbers:
                fault(match.start(), f"Docs/{match[1]} has no section {match[2]}")
        for match in re.finditer(r"\bDocs/decisions/(\d{4})|\b[Dd]ecisions? (\d{4})\b(?!-)", text):
            count += 1
            number = match[1] or match[2]
            if not list((root / "Docs/decisions").glob(f"{number}-*.md")):
                fault(match.start(), f"there is no decision {number}")
    for line in faults:
        print(line)
    print(f"{count} references, {len(faults)} that lead nowhere")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
