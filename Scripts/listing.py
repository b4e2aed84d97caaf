#!/usr/bin/env python3
"""Prints the first Swift listing of an article: listing.py ARTICLE. check_catalogue.py reads listings by the same rule."""
import pathlib
import re
import sys


def listings(text):
    """The Swift listings of an article."""
    return re.findall(r"^```swift\n(.*?)^```", text, re.M | re.S)


if __name__ == "__main__":
    found = listings(pathlib.Path(sys.argv[1]).read_text())
    if not found:
        sys.exit(f"listing.py: no Swift listing in {sys.argv[1]}")
    print(found[0], end="")
