#!/usr/bin/env python3
"""Finds tests that can pass without having looked at anything: a `return` out of a test whose branch neither records an
issue nor expects nor requires anything, a test that is one `if` without an `else`, and a sentence "skipped" that is only
printed. What a test needs and a machine may not have belongs into `.enabled(if:)`, with a sentence: then `make test` lists
it. Prints each place; exits 1 when there is one. Arguments: folders or files (Tests)."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# What a branch must hold so that leaving through it is no silent success.
LOUD = re.compile(r"#expect\(|#require\(|Issue\.record\(|\bthrow\b")
CONTROL = re.compile(r"\s*(?:\}\s*)?(?:else|if|guard|for|while|switch|do|repeat|defer|catch)\b")


def blanked(text):
    """The same text with blanks in place of comments and strings, so that braces and words in them do not count."""
    out = list(text)

    def blank(start, end):
        for index in range(start, end):
            if out[index] != "\n":
                out[index] = " "

    index = 0
    while index < len(text):
        if text.startswith("//", index):
            end = text.find("\n", index)
            end = len(text) if end < 0 else end
            blank(index, end)
            index = end
        elif text.startswith("/*", index):
            end = text.find("*/", index)
            end = len(text) if end < 0 else end + 2
            blank(index, end)
            index = end
        elif text[index] == '"' or (text[index] == "#" and re.match(r'#+"', text[index:])):
            marks = re.match(r"#*", text[index:]).group()
            start = index + len(marks)
            quotes = '"""' if text.startswith('"""', start) else '"'
            index = start + len(quotes)
            while index < len(text) and not text.startswith(quotes + marks, index):
                if text[index] == "\n" and quotes == '"':
                    break
                if text[index] == "\\" and not marks:
                    # An interpolation holds code, whose own strings and parentheses are part of it.
                    if text.startswith("\\(", index):
                        depth = 0
                        index += 1
                        while index < len(text):
                            depth += {"(": 1, ")": -1}.get(text[index], 0)
                            index += 1
                            if depth == 0:
                                break
                        continue
                    index += 1
                index += 1
            index = min(index + len(quotes + marks), len(text))
            blank(start + len(quotes), max(start + len(quotes), index - len(quotes + marks)))
        else:
            index += 1
    return "".join(out)


def closing(code, start):
    """The place of the brace that closes the one at `start`."""
    depth = 0
    for index in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[index], 0)
        if depth == 0:
            return index
    return len(code)


def is_control(code, brace, start):
    """Whether a brace opens a block of the function around it (`if`, `guard`, `for` …); any other one begins a closure,
    a function or a type, whose `return` is its own."""
    lines = code[start + 1:brace].split("\n")
    for index in range(len(lines) - 1, -1, -1):
        word = CONTROL.match(lines[index])
        if not word:
            continue
        depth = len(lines[index]) - len(lines[index].lstrip())
        # A statement that goes on over several lines is indented; its brace may stand below it, alone.
        between = [line for line in lines[index + 1:] if line.strip()]
        return all(len(line) - len(line.lstrip()) > depth or line.lstrip().startswith("else") for line in between)
    return False


def faults(path):
    text = path.read_text()
    code = blanked(text)
    found = []

    def add(place, words):
        found.append((text.count("\n", 0, place) + 1, words))

    for place in re.finditer(r"\bprint\(\s*\"[^\"\n]*\bskipped\b", text):
        if code[place.start():place.start() + 5] == "print":
            add(place.start(), "only says that it is skipped: use .enabled(if:), which skips it")
    for test in re.finditer(r"@Test\b", code):
        function = re.compile(r"\bfunc\s+[`\w]+").search(code, test.end())
        if not function:
            continue
        begin = code.find("{", function.end())
        end = closing(code, begin)
        body = code[begin + 1:end]
        if "processExitsWith" in body and not function.group().endswith("InOwnProcess"):
            add(begin, "is an exit test: its name ends with InOwnProcess, so that make test runs it without other children")
        # One `if` and nothing else: where it does not hold, nothing is tested.
        if re.match(r"\s*if\b", body):
            opening = begin + 1 + body.index("{")
            if not code[closing(code, opening) + 1:end].strip():
                add(begin, "is one `if` without an `else`: use .enabled(if:)")
        # The blocks that are open at each place, and whether each belongs to the test itself.
        blocks = [(begin, True)]
        for index in range(begin + 1, end):
            if code[index] == "{":
                own = blocks[-1][1] and is_control(code, index, blocks[-1][0])
                blocks.append((index, own))
            elif code[index] == "}":
                blocks.pop()
            elif blocks[-1][1] and re.match(r"return\b", code[index:index + 7]) and not re.match(r"\w", code[index - 1]):
                block = blocks[-1][0]
                line = re.split(r"\n\s*(?:case\b|default:)", code[index:closing(code, block)])[0]
                # Behind an expectation that always holds a plain condition may end the test; one that takes a value out
                # of what the program has done may not, because everything else would be left out without a word.
                condition = code[code.rfind("\n", 0, block) + 1:block]
                is_plain = not re.search(r"\b(?:case|let|var|try)\b", condition)
                has_looked = any(
                    code.count("{", begin, place.start()) - code.count("}", begin, place.start()) == 1
                    for place in re.finditer(r"#expect\(", code[:index]) if place.start() > begin)
                # What another case of a switch looks at is not looked at in this one.
                before = re.split(r"\n\s*(?:case\b|default:)", code[block:index])[-1]
                if not LOUD.search(before + line) and not (is_plain and has_looked):
                    add(index, "leaves a test without having looked at anything: use .enabled(if:), #require, or Issue.record before it")
    return found


def main():
    places = [pathlib.Path(argument) for argument in sys.argv[1:]] or [root / "Tests"]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*.swift")))
    count = 0
    for file in files:
        for line, words in faults(file):
            name = file.resolve()
            shown = name.relative_to(root) if name.is_relative_to(root) else file
            print(f"{shown}:{line}: {words}")
            count += 1
    print(f"{len(files)} files of tests, {count} that can pass by doing nothing")
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
