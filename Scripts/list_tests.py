#!/usr/bin/env python3
"""Writes the table "Which test shows it" of Docs/testing.md: for each row, rule and section of the specification the test
suites that name it, in a comment or in the name of a test (`@Test("D3: a message whose id ...")`). --check: complains where
the page has another table, and where a row D1 to D13 or a rule of the screen has no test; exits 1 then."""
import re
import sys

sys.dont_write_bytecode = True
import check_references

root = check_references.root
page = root / "Docs/testing.md"
BEGIN, END = "<!-- written by Scripts/list_tests.py -->", "<!-- end -->"
# The places that each must have a test.
REQUIRED = [("RELIABILITY", f"D{row}") for row in range(1, 14)] + [("PRODUCT", f"rule {rule}") for rule in range(1, 10)]


def shown():
    """(document, place) to the suites that name it, as `swift test --filter` takes them."""
    places = {}
    for path in sorted((root / "Tests").rglob("*Tests*.swift")):
        text = path.read_text()
        if "@Test" not in text:
            continue
        suite = f"{path.relative_to(root / 'Tests').parts[0]}.{path.stem.split('+')[0]}"
        found = set()
        for _, document, rest in check_references.references(text.replace('\\"', ' "')):
            found |= {(document, place) for place, exists in check_references.places_of(document, rest) if exists}
        for name in re.findall(r'@(?:Test|Suite)\(\s*"([^"]+)"', text):
            for row in re.findall(r"\bD(\d+)\b", name):
                found.add(("RELIABILITY", f"D{row}"))
            for rule in re.findall(r"\b[Rr]ule (\d)\b", name):
                found.add(("PRODUCT", f"rule {rule}"))
        for place in found:
            places.setdefault(place, set()).add(suite)
    return places


def order(entry):
    """By document, then by what kind of place it is, then by number."""
    document, place = entry
    return document, re.sub(r"\d+", "", place), [int(number) for number in re.findall(r"\d+", place)]


def table(places):
    lines = ["| document | place | suites |", "|---|---|---|"]
    for document, place in sorted(places, key=order):
        suites = ", ".join(f"`{suite}`" for suite in sorted(places[document, place]))
        lines.append(f"| {document} | {place} | {suites} |")
    return "\n".join(lines)


def main():
    places = shown()
    faults = [f"{document} {place}: no test names it" for document, place in REQUIRED if (document, place) not in places]
    text = page.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    wanted = f"{before}{BEGIN}\n{table(places)}\n{END}{after}"
    if "--check" not in sys.argv:
        page.write_text(wanted)
    elif text != wanted:
        faults.append("Docs/testing.md: the table of tests is not that of the tests: run Scripts/list_tests.py")
    for fault in faults:
        print(fault)
    print(f"{len(places)} places of the specification have tests that name them, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
