#!/usr/bin/env python3
"""A bot that sends each text back to its sender: echo_bot.py. It answers once, also when it is started again in between."""
import json
import subprocess
import sys
import uuid


def answer(record):
    # An id made from that of the question: blipchat sends nothing twice under one id.
    id = uuid.uuid5(uuid.NAMESPACE_OID, record["conversation"] + record["id"])
    # The text comes from a stranger: on standard input it is no option, however it begins.
    sent = subprocess.run(["blipchat", "send", "--queue", "--quiet", "--id", str(id), "--", record["conversation"], "-"],
                          input=record["text"], encoding="utf-8", stdout=subprocess.DEVNULL)
    if sent.returncode != 0:
        print(f"echo_bot: no answer to {record['conversation']!r}: code {sent.returncode}", file=sys.stderr)


def main():
    with subprocess.Popen(["blipchat", "watch", "--json"], stdout=subprocess.PIPE, encoding="utf-8") as watch:
        for line in watch.stdout:
            record = json.loads(line)
            is_new = record["type"] == "message" and record.get("event") == "added"
            # In a room, which has senders, two bots would answer each other forever.
            if is_new and record["from"] != "me" and record["text"] and "sender" not in record:
                answer(record)
    return watch.returncode


if __name__ == "__main__":
    sys.exit(main())
