#!/usr/bin/env python3
"""Finds prose that the program compares: `==`, `!=`, `~=`, `case`, hasPrefix, contains and their like with a literal that has a space
between letters. A sentence is for people and changes with them: what the program asks for later is a value (an enum, a code), and its
words are made from it. What is read from elsewhere (files of other programs, protocols) is in ALLOWED, with the reason. Prints each
fault as file:line; exits 1 when there is one, and when a line of ALLOWED is not needed any more. Arguments: files (all sources)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("Sources", "Tools")

# File, literal: what it is.
ALLOWED = {
    ("Sources/Storage/HistoryDatabase+Search.swift", "messages m"): "a part of a statement of SQL",
    ("Sources/ChatTUI/Screens/SentenceHints.swift", "Did you mean "): "where a click finds a command in a sentence made with this constant",
    ("Sources/Storage/FileSystem.swift", "SQLite format 3\\0"): "the first bytes of a database (sqlite.org/fileformat2.html)",
}

LITERAL = r'"((?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*)"'
METHODS = "contains|hasPrefix|hasSuffix|starts|ranges|firstRange|range|wholeMatch|prefixMatch|firstIndex|firstMatch|strcmp|strncmp|strstr|caseInsensitiveCompare"
COMPARISONS = [
    # x == "a b", x ~= "a b", and the other way round.
    re.compile(r"(?:[=!]=|~=)\s*" + LITERAL),
    re.compile(LITERAL + r"(?:\.utf8)?\s*(?:[=!]=|~=)"),
    # case "a b", "c d":
    re.compile(r"\bcase\s+(?:" + LITERAL + r"\s*,\s*)*" + LITERAL + r"(?=\s*(?::|,|where\b))"),
    # x.hasPrefix("a b"), x.starts(with: "a b".utf8), strcmp(x, "a b")
    re.compile(r"\b(?:" + METHODS + r")\((?:[\w.]+,\s*)?(?:\w+:\s*)?" + LITERAL),
    # ["a b", "c d"].contains(x)
    re.compile(r"\[\s*" + LITERAL + r"(?:\s*,\s*" + LITERAL + r")*\s*,?\s*\]\s*\.contains\b"),
]
CONSTANT = re.compile(r"\bstatic\s+let\s+(\w+)(?:\s*:\s*\w+)?\s*=\s*" + LITERAL)
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
# A letter, a space, and a letter or a value after it.
PROSE = re.compile(r"[^\W\d_][,.;:]* +(?:[^\W\d_]|X)")


def is_prose(literal):
    return bool(PROSE.search(INTERPOLATION.sub("X", literal)))


def comparisons(text):
    """Position and literal of each comparison with prose. Comments do not count."""
    code = re.sub(r"^\s*//.*$", lambda line: " " * len(line.group()), text, flags=re.M)
    found = set()
    for comparison in COMPARISONS:
        for match in comparison.finditer(code):
            found.update((match.start(), literal) for literal in match.groups() if literal and is_prose(literal))
    # Constants of the same file.
    for constant in CONSTANT.finditer(code):
        name, literal = constant.groups()
        if not is_prose(literal):
            continue
        use = re.compile(r"(?:[=!]=|~=)\s*(?:\w+\.)?%s\b|\b%s\s*(?:[=!]=|~=)|\b(?:%s)\((?:\w+:\s*)?(?:\w+\.)?%s\b" % (name, name, METHODS, name))
        found.update((match.start(), literal) for match in use.finditer(code))
    return sorted(found)


def main():
    problems = []
    needed = set()
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    for path in named or (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.swift"))):
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
        text = path.read_text()
        for position, literal in comparisons(text):
            if (name, literal) in ALLOWED:
                needed.add((name, literal))
                continue
            line = text.count("\n", 0, position) + 1
            problems.append(f'{name}:{line}: compares with the sentence "{literal}": keep a value, and make the words from it')
    if not named:
        problems += [f"Scripts/check_words.py: {name} does not compare with \"{literal}\" (any more)"
                     for name, literal in sorted(set(ALLOWED) - needed)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
