#!/usr/bin/env python3
"""Sends every file that is put into a folder to a contact: drop_folder.py FOLDER WHO [SECONDS].

A file that has not changed for SECONDS (2) moves to FOLDER/sending, and from there to FOLDER/sent once the contact has it, or to
FOLDER/failed once it is clear that they will not have it. Files wait while the contact is away. When a command fails, the script ends
with its exit code; started again, it continues.
"""
import json
import pathlib
import subprocess
import sys
import time


def records(*words):
    done = subprocess.run(["blipchat", "--json", *words], stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def move(file, folder):
    """Moves a file to where no other has its name."""
    folder.mkdir(exist_ok=True)
    target, number = folder / file.name, 1
    while target.exists():
        number += 1
        target = folder / f"{file.stem} ({number}){file.suffix}"
    return file.rename(target)


def main(folder, who, seconds=2.0):
    sending, offers = folder / "sending", folder / ".offers"
    for place in (folder, sending, offers):
        place.mkdir(exist_ok=True)
    while True:
        for file in sorted(folder.iterdir()):
            is_whole = file.is_file() and not file.is_symlink() and time.time() - file.stat().st_mtime >= seconds
            if is_whole and not file.name.startswith("."):
                move(file, sending)
        # Which file an offer is of is noted under its id.
        noted = {note.read_text() for note in offers.iterdir()}
        for file in sorted(sending.iterdir()):
            if file.name not in noted:
                offer = records("send-file", "--queue", "--", who, str(file))[0]
                (offers / offer["id"]).write_text(file.name)
        states = {record["id"]: record["state"] for record in records("transfers", "list")}
        for note in offers.iterdir():
            state = states.get(note.name)
            if state in ("complete", "declined", "cancelled", "failed"):
                file = sending / note.read_text()
                if file.exists():
                    move(file, folder / ("sent" if state == "complete" else "failed"))
                note.unlink()
        time.sleep(seconds)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).absolute(), sys.argv[2], *map(float, sys.argv[3:4]))
