#!/usr/bin/env python3
"""Shows messages, files and requests as notifications of the desktop: notify.py [WHO]. It needs notify-send (libnotify)."""
import html
import json
import subprocess
import sys

LONGEST = 200


def plain(text):
    """One line for a notification: no control characters, and nothing that the desktop would take for markup."""
    line = "".join(character if character.isprintable() else " " for character in text)
    return html.escape(line if len(line) <= LONGEST else line[:LONGEST] + "…", quote=False)


def notification(record):
    """Title and text; None for a record that asks for nobody's attention."""
    kind = record["type"]
    if kind in ("message", "file") and record.get("event") == "added" and record["from"] != "me":
        author = record.get("sender", record["from"])
        place = f"{author} in {record['conversation']}" if "sender" in record else author
        return place, record["text"] if kind == "message" else f"offers {record['name']} ({record['size']} bytes)"
    if kind == "requests" and record["requests"]:
        return "Contact request", ", ".join(request["name"] for request in record["requests"])
    return None


def main():
    with subprocess.Popen(["blipchat", "watch", "--json", "--", *sys.argv[1:2]], stdout=subprocess.PIPE, encoding="utf-8") as watch:
        for line in watch.stdout:
            if shown := notification(json.loads(line)):
                title, text = map(plain, shown)
                # A desktop that shows nothing right now must not end the bridge.
                subprocess.run(["notify-send", "--app-name=blipchat", "--", title, text], check=False)
    return watch.returncode


if __name__ == "__main__":
    sys.exit(main())
