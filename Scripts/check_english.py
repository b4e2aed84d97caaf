#!/usr/bin/env python3
"""Keeps the English of the documents plain: finds words and moulds that no native writer uses in this sense ("stands" for is
shown, "behind" for after, "goes on" for continues, "is told", "none of", clauses with "who" or "what" as subjects of sentences).
Code, quotations and the list of allowed phrases in Scripts/english_allowed.txt do not count. Of Swift files it reads the comments,
and the string literals that have a space, with "X" for what is interpolated: texts that users read. Prints each fault as file:line with
what to write instead; exits 1 when there is one. Arguments: files (all documents, and the sources)."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# What not to write, and what to write instead. A sentence begins after a full stop, a colon or a dash of a list.
START = r"(?:^|(?<=[.!?] )|(?<=^- )|(?<=^\* )|(?<=\*\* )|(?<=\| ))"
WORDS = [
    (r"\b(?:stands?|stood)\b(?! for\b)", "is, is shown, is written, has"),
    (r"\b(?:stands?|stood) for\b", "means, replaces"),
    (r"\b(?:go|goes|went|gone|going) on\b", "continue, resume, happen"),
    (r"\bbehind\b", "after (in time), below or beyond"),
    (r"\b(?:is|are|was|were|be|been|being) told\b", "say who tells whom, or what the reader sees"),
    (r"\bnone of\b", "no ... , not one of"),
    (r"\b(?:give|gives|gave|given|giving) (?:it |them |this |that |one )?up\b", "abandon, stop, cancel"),
    (r"\b(?:is|are|was|were|be|been) (?:waited|asked|looked|cared|paid|called) for\b", "say who waits, asks, looks"),
    (r"\b(?:is|are|was|were|be|been) looked at\b", "say who looks"),
    (r"\bfor ever\b", "forever"),
    (r"\bto be had\b", "available"),
    (r"\bhas to do with\b", "concerns"),
    (r"\b(?:is|are) at rest there\b", "rests"),
    (r"\bover there\b", "on the peer's side"),
    (r"\bas good as\b", "almost"),
    (r"\b(?:slip|slips)\b", "mistake"),
    (r"\bmishaps?\b", "accident, failure"),
    (r"\berrand of\b", "task of"),
    (r"\bwell-meant\b", "(leave it out)"),
    (START + r"Who (?!\w+ [^.]*\?)", 'name the subject: "a sender that ...", "anyone with ..."'),
    (START + r"Whoever\b", 'name the subject: "a caller that ...", "anyone who ..."'),
    (START + r"What (?:[^.?|:]|\.\w)*[.]", 'name the subject: "a message that ...", "files that ..."'),
    (START + r"Of what\b", "name the subject first"),
    (r"\bMARK: (?:What|Who|Whoever|Where|How)\b", "head it with a noun: Events, Read and unread"),
    (r"\bso it (?:does|is done)\b", "say what does it"),
]


# Only in texts that users read.
TEXT_WORDS = [
    (r"\b(?:by itself|by themselves)\b", "on its own, automatically"),
    (r"\b(?:is|are) none of\b", "Expected A, B or C, not X"),
    (r"\banew\b", "again"),
    (r"\ball the same\b", "anyway"),
    (r"\bblanks?\b", "spaces"),
    (r"\bput(?:s)? (?:it |them )?(?:right|aside|off)\b", "repair, set aside, disconnect"),
    (r"\b(?:nobody|somebody) can be asked\b|\bnobody to ask\b", "blipchat cannot ask"),
    (r"\bwhat (?:was|were|has been) (?:begun|typed|said|set|asked)\b", "name the thing"),
    (r"\bno blipchat runs\b|\bthe blipchat that runs\b", "blipchat is not running, the running blipchat"),
]
LITERAL = re.compile(r'"((?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'(?:[^"/]|/(?!/)|"(?:\\.|[^"\\])*")*///? ?(.*)')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")


def sources():
    return sorted(str(path.relative_to(root)) for folder in ("Sources", "Tools") for path in (root / folder).rglob("*.swift"))


def texts(text):
    """The lines of a Swift file with nothing but the literals that have a space; multi-line literals are not looked at."""
    lines = []
    for line in text.split("\n"):
        found = [] if line.lstrip().startswith("//") else [INTERPOLATION.sub("X", match[1]) for match in LITERAL.finditer(line)]
        lines.append(" | ".join(one for one in found if " " in one))
    return lines


def comments(text):
    """The lines of a Swift file with nothing but their comments, with blanks in place of code and quotations."""
    lines, is_literal = [], False
    for line in text.split("\n"):
        if line.count('"""') % 2:
            is_literal = not is_literal
        place = None if is_literal else COMMENT.match(line)
        comment = place[1] if place else ""
        lines.append(re.sub(r'`[^`]*`|"[^"]*"', lambda quotation: "'" * len(quotation.group()), comment))
    return lines


def documents():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root, capture_output=True,
                           text=True, check=True).stdout.split("\n")
    return [name for name in names if re.match(r"(Docs/.+|[A-Z]+)\.md$", name) and (root / name).is_file()]


def prose(text):
    """The lines of a Markdown text with blanks in place of code, quotations, headings and targets of links."""
    text = re.sub(r"^```.*?^```", lambda block: re.sub(r"[^\n]", " ", block.group()), text, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", lambda code: "`" * len(code.group()), text)
    text = re.sub(r"\"[^\"\n]*\"", lambda quotation: "'" * len(quotation.group()), text)
    text = re.sub(r"\]\([^)\n]*\)", lambda link: "]" + " " * (len(link.group()) - 1), text)
    return [" " * len(line) if re.match(r"(#| {4}\S)", line) else line for line in text.split("\n")]


def allowed():
    lines = (root / "Scripts/english_allowed.txt").read_text().split("\n")
    return [line for line in lines if line and not line.startswith("#")]


def covers(phrase, line, match):
    """Whether the phrase is in the line around what was found."""
    return any(place.start() <= match.start() and match.start() < place.end() for place in re.finditer(re.escape(phrase), line))


def faults_of(name, exceptions):
    raw = (root / name).read_text().split("\n")
    text = "\n".join(raw)
    if name.endswith(".swift"):
        found = texts(text)
        yield from faults_in(found, found, WORDS + TEXT_WORDS, name, exceptions)
        found = comments(text)
        yield from faults_in(found, found, WORDS, name, exceptions)
    else:
        yield from faults_in(prose(text), raw, WORDS, name, exceptions)


def faults_in(lines, originals, words, name, exceptions):
    for number, (line, original) in enumerate(zip(lines, originals), 1):
        for pattern, better in words:
            for match in re.finditer(pattern, line):
                if any(covers(phrase, original, match) for phrase in exceptions):
                    continue
                found = original[match.start():match.end()].strip()
                yield f'{name}:{number}: "{found[:60]}": {better}'


names = sys.argv[1:] or documents() + sources()
exceptions = allowed()
faults = [fault for name in names for fault in faults_of(name, exceptions)]
for fault in faults:
    print(fault)
print(f"{len(names)} documents and sources, {len(faults)} faults of English")
sys.exit(1 if faults else 0)
