#!/usr/bin/env python3
"""Runs every command of blipchat with --json, and a session on the control socket, and validates each line against the schemas
of Docs/schema. Fails when a line does not match, when a kind of record never appears, and when a command was not run. Prints how
many lines of each kind it has seen. BLIPCHAT=/path/to/blipchat; needs jsonschema from PyPI. As root with avahi-daemon it also
sees the records of neighbours."""
import collections
import copy
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import uuid

import jsonschema

sys.dont_write_bytecode = True
from homes import BLIPCHAT, ROOT, Homes, wait

# Commands that print for people or for a shell only, and the one that runs the chat.
NO_RECORDS = {"serve", "demo", "manual", "completion", "help", "config path", "config theme"}
PROTOCOL = int(re.search(r"currentProtocol = (\d+)", (ROOT / "Sources/ChatHost/Attached/SessionGreeting.swift").read_text())[1])


def strict(value):
    """The same schema, whose objects have no other fields than those that it names."""
    if isinstance(value, dict):
        value = {key: strict(one) for key, one in value.items()}
        if isinstance(value.get("properties"), dict) and value.get("type") == "object":
            value.setdefault("additionalProperties", False)
    elif isinstance(value, list):
        value = [strict(one) for one in value]
    return value


class Schema:
    """One file of Docs/schema, and what was validated against it."""

    def __init__(self, name):
        self.schema = json.loads((ROOT / f"Docs/schema/{name}.json").read_text())
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.whole = jsonschema.Draft202012Validator(self.schema)
        self.kinds = [one["$ref"].split("/")[-1] for one in self.schema["oneOf"]]
        definitions = strict(copy.deepcopy(self.schema["$defs"]))
        self.validators = {
            kind: jsonschema.Draft202012Validator({**definitions[kind], "$defs": definitions}) for kind in self.kinds}
        self.seen, self.fields = collections.Counter(), collections.defaultdict(set)

    def take(self, line, kind, source):
        if kind not in self.validators:
            raise AssertionError(f"{source}: the schema has no {kind}: {line}")
        faults = [f"{'/'.join(map(str, fault.path)) or kind}: {fault.message}" for fault in self.validators[kind].iter_errors(line)]
        if faults or not self.whole.is_valid(line):
            raise AssertionError(f"{source}: {'; '.join(faults) or 'two kinds match'}: {json.dumps(line)}")
        self.seen[kind] += 1
        self.fields[kind] |= line.keys()

    def report(self, title, excused=()):
        """Prints what was seen; returns the kinds that were not."""
        print(f"{title}: " + ", ".join(f"{self.seen[kind]} {kind}" for kind in self.kinds))
        for kind in self.kinds:
            unseen = self.schema["$defs"][kind]["properties"].keys() - self.fields[kind]
            if unseen and self.seen[kind]:
                print(f"  {kind} never had {', '.join(sorted(unseen))}")
        return [kind for kind in self.kinds if not self.seen[kind] and kind not in excused]


RECORDS, EXPORT, SOCKET = Schema("records"), Schema("export"), Schema("socket")
commands = set(re.findall(r"^  ([a-z-]+(?: [a-z-]+(?![|\w-]))?)\b", subprocess.run(
    [BLIPCHAT, "--help"], capture_output=True, text=True, check=True).stdout.split("Commands:")[1].split("\n\n")[0], re.M))
ran = set()
# A kind of record to the commands that have printed it.
printed = collections.defaultdict(set)
groups = {}


def validate(output, words):
    """The records that a command has printed; what is not JSON is for people, and not expected there."""
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        RECORDS.take(line, line.get("type"), " ".join(map(str, words)))
        printed[line["type"]].add(note(words))
    return lines


def run(home, *words, code=0, text=None):
    """A command with --json; returns its records."""
    note(words)
    output = home.run(*words, "--json", code=code, text=text)
    return validate(output, words)


def note(words):
    """Notes that a command has run, and returns its name."""
    two = " ".join(map(str, words[:2]))
    name = next(one for one in (two, words[0], f"{words[0]} show") if one in commands)
    ran.add(name)
    return name


def promised():
    """A kind of record to the commands that print it by the page, each as the table of commands has it."""
    kinds = collections.defaultdict(set)
    for heads, text in re.findall(r"^### (.*`)\n\n?(.*)", (ROOT / "Docs/scripting.md").read_text(), re.M):
        for span in re.findall(r"`([a-z -]+)`", text):
            span = span.split(" -")[0]
            name = next((one for one in (span, f"{span} show") if one in commands), None)
            for kind in re.findall(r"`([\w-]+)`", heads):
                if name:
                    kinds[kind].add(name)
        # "and what changes contacts": all commands of that group may print it.
        if group := re.search(r"what changes (\w+)", text):
            groups[heads.strip("`")] = group[1]
    return kinds


def follow(home, *words):
    """Starts a watch; the one of a whole chat follows once it tells of something new."""
    note(words)
    process = home.start(*words, "--json")

    def tells():
        home.run("send", "nobody", "anybody there?", "--queue")
        return process.output
    if words == ("watch",):
        wait(f"watch of {home.name} follows", tells, lambda: process.errors)
    return process


class Session:
    """A connection to the control socket; every line of both sides is validated."""

    def __init__(self, home):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(home.path / "blipchat.sock"))
        self.file = self.socket.makefile("r")
        self.number = 0
        self.say(hello={"protocol": PROTOCOL})
        self.hear()
        self.ask("events", 1)

    def say(self, **line):
        kind = next(iter(line))
        SOCKET.take(line, "greeting" if kind == "hello" else kind, "session")
        self.socket.sendall((json.dumps(line) + "\n").encode())

    def hear(self):
        text = self.file.readline()
        assert text, "the chat has hung up"
        line = json.loads(text)
        kind = next(iter(line))
        SOCKET.take(line, {"hello": "greeting", "reply": "failure" if "error" in line else "reply"}.get(kind, kind), "session")
        return line

    def ask(self, kind, number, **rest):
        self.say(**{kind: number}, **rest)
        while True:
            line = self.hear()
            if line.get("reply") == number:
                return line

    def call(self, name, **members):
        self.number += 1
        reply = self.ask("call", 1000 + self.number, what={name: members})
        assert "error" not in reply, f"{name}: {reply}"
        return reply["value"]

    def contact(self, name):
        return next(one["peer"]["id"] for one in self.call("conversations") if one["peer"]["name"] == name)

    def message(self, contact, id):
        return self.call("messages", contact=contact, ids=[id])[0]


def people(homes):
    """Requests, contacts, invitations, ways, a room."""
    alice, bob, carol, eve = (homes.home(name) for name in ("alice", "bob", "carol", "eve"))
    assert run(alice, "status")[0]["running"] is False
    # A serve that is confined sees only folders that were there when it started.
    alice.file("top/one.txt", "1")
    alice.file("top/" + "d/" * 34 + "deep.txt", "2")
    os.symlink("one.txt", alice.folder / "top/link")
    for home in (alice, bob):
        home.run("contacts", "add", "127.0.0.1:9", "--name", "nobody")
        home.serving = home.serve()
        home.watching = follow(home, "watch")
    run(alice, "contacts", "add", bob.address(), "--name", "bob")
    run(alice, "send", "bob", "ask", "--timeout", "1", code=3)
    # She calls herself what looks like alice, with a Cyrillic letter.
    carol.env["USER"] = "\u0430lice"
    carol.run("contacts", "add", bob.address(), "--name", "bob")
    carol.run("send", "bob", "me, too", "--timeout", "1", code=3)
    requests = wait("two requests", lambda: (both := run(bob, "requests", "list"))[1:] and both)
    ids = {request["name"]: request["id"] for request in requests}
    run(bob, "requests", "approve", ids["alice"])
    assert run(bob, "requests", "list")[0]["looks_like"] == "alice"
    run(bob, "requests", "reject", ids["\u0430lice"])
    run(alice, "status", "bob", "--wait", "online")
    for words in (["contacts", "list"], ["contacts", "show", "bob"], ["contacts", "verify", "bob"], ["routes", "list", "bob"],
                  ["contacts", "rename", "nobody", "someone"], ["contacts", "rename", "someone", "nobody"],
                  ["contacts", "block", "nobody"], ["contacts", "unblock", "nobody"], ["reach"], ["reach", "test"], ["reach", "renew"],
                  ["nearby"]):
        run(alice, *words)
    digits = run(bob, "contacts", "verify", "alice")[0]["safety_number"]
    assert run(alice, "contacts", "verify", "bob", *digits.split())[0]["trust"] == "verified"
    run(alice, "routes", "add", "nobody", "127.0.0.1:10")
    run(alice, "routes", "add", "nobody", "127.0.0.1:11")
    number = next(way["number"] for way in run(alice, "routes", "list", "nobody") if way["route"].endswith(":10"))
    run(alice, "routes", "remove", "nobody", number)
    run(alice, "contacts", "remove-address", "nobody", "127.0.0.1:11")
    run(alice, "contacts", "add", "127.0.0.1:12", "--name", "b\u043eb")
    run(alice, "contacts", "show", "b\u043eb")
    run(alice, "invite", "--at", "127.0.0.1:9")
    invitation = run(alice, "invite")[0]
    run(eve, "join", invitation["address"])
    eve.run("send", "alice", "let in")
    assert "met" in run(eve, "contacts", "show", "alice")[0]
    # Nobody answers there, which is no reason not to be a member.
    assert "room" in run(alice, "join", "sio://127.0.0.1:9/garden", "--name", "garden")[0]
    assert run(alice, "leave", "garden")[0]["left"]
    run(alice, "contacts", "remove", "garden", "--yes")
    return alice, bob


def messages(alice, bob):
    """Texts, what becomes of them, and the session that changes them."""
    id = str(uuid.uuid4())
    run(alice, "send", "bob", "--id", id, "the first of them")
    run(alice, "send", "bob", "--id", id, "the first of them")
    run(alice, "send", "bob", "-", "--lines", text="one\ntwo\n")
    wait("bob has them", lambda: "two" in bob.texts("alice"))
    session = Session(bob)
    contact = session.contact("alice")
    session.call("react", message=session.message(contact, id), emoji="👍")
    answer = session.call("send", contact=contact, text="an answer", replyTo=id)["id"]
    session.call("edit", message=session.message(contact, answer), text="a better answer")
    gone = session.call("send", contact=contact, text="taken back", replyTo=None)["id"]
    session.call("retract", message=session.message(contact, gone))
    session.call("setPinned", message=session.message(contact, id), pinned=True)
    session.call("setMuted", contact=contact, until=4102444800000)
    waiting = session.call("send", contact=session.contact("nobody"), text="never mind", replyTo=None)["id"]
    session.call("retract", message=session.message(session.contact("nobody"), waiting))
    run(bob, "history", "nobody")
    wait("alice hears that bob types", lambda: [
        session.call("setTyping", contact=contact, composing=is_typing) for is_typing in (True, False)
    ] and '"typing"' in alice.watching.output)
    assert "error" in session.ask("call", 999, what={"renameContact": {"contact": contact, "name": ""}})
    for event in ("added", "edited", "retracted", "reaction"):
        wait(f"alice's watch has {event}", lambda: f'"event":"{event}"' in alice.watching.output, lambda: alice.watching.output)
    for words in (["history", "bob"], ["history", "bob", "-n", "2"], ["history", "bob", "--around", id], ["search", "first"],
                  ["search", "from:bob", "better"]):
        assert run(alice, *words), words
    run(alice, "search", "nowhere-to-be-found", code=1)
    run(alice, "keep", "bob", "400")
    run(alice, "keep", "bob")
    return session


def files(alice, bob, session):
    """Offers, what becomes of them, and how far they are."""
    watching = follow(bob, "transfers", "watch")
    receiving = bob.start("receive", "--once", "--accept", "2M", "--json")
    note(["receive"])
    # It takes some seconds, so that both sides tell how far it is.
    run(bob, "transfers", "limit", "down", "300k")
    run(alice, "send-file", "bob", alice.file("x.txt", "x" * 1_000_000), "--caption", "a file")
    assert receiving.wait() == 0, receiving.errors
    validate(receiving.output, ["receive"])
    run(alice, "send-file", "bob", alice.folder / "top", "--queue", code=7)
    for name in ("a", "b", "c", "d"):
        run(alice, "send-file", "bob", alice.file(name, name * 3_000_000), "--queue")

    def offered():
        return {one["name"]: one["number"] for one in run(bob, "transfers", "list") if one["state"] == "offered"}
    # Files are messages, too.
    contact = session.contact("alice")
    first = next(one["id"] for one in bob.records("history", "alice") if one["type"] == "file")
    session.call("react", message=session.message(contact, first), emoji="👍")
    run(bob, "history", "alice")
    numbers = wait("the offers have come", lambda: (now := offered()).keys() >= {"one.txt", "a", "b", "c", "d"} and now)
    run(bob, "transfers", "limit", "down", "200k")
    assert run(bob, "transfers", "limit", f"#{numbers['a']}", "off")[0]["number"] == numbers["a"]
    run(bob, "transfers", "accept", numbers["one.txt"])
    run(bob, "transfers", "decline", numbers["d"])
    run(bob, "transfers", "accept", f"{numbers['a']},{numbers['b']}")

    def state(name):
        return next(one["state"] for one in run(bob, "transfers", "list") if one["name"] == name)
    wait("a moves", lambda: state("a") == "running")
    wait("how far it is", lambda: '"progress"' in watching.output and '"progress"' in bob.watching.output)
    run(bob, "transfers", "pause", numbers["a"])
    run(bob, "transfers", "resume", numbers["a"])
    run(bob, "transfers", "cancel", numbers["b"])
    run(bob, "transfers", "limit", "down", "off")
    run(bob, "transfers", "accept", numbers["c"])
    wait("they are there", lambda: all(state(name) == "complete" for name in ("one.txt", "a", "c")))
    watching.stop()
    validate(watching.output, ["transfers", "watch"])
    run(alice, "transfers", "list", "--unfinished")
    assert run(alice, "search", "--files", "x.txt")


def keeping(homes, alice, bob, session):
    """Copies of the history and of the key, settings, the doctor."""
    copy_of_key = alice.folder / "key"
    phrase = alice.file("phrase", "a passphrase that is long\n")
    for words in (["id"], ["id", "qr"], ["id", "fingerprint"], ["version"], ["doctor"], ["config", "list"], ["status"],
                  ["config", "set", "ui.theme", "dark"], ["config", "get", "ui.theme"], ["config", "unset", "ui.theme"],
                  ["backup", alice.folder / "copy"], ["id", "backup", copy_of_key, "--passphrase-file", phrase]):
        run(alice, *words)
    for form in ("text", "html", "json"):
        run(alice, "export", "--format", form, "-o", alice.folder / f"all.{form}")
    run(bob, "export", "--format", "json", "--files", "-o", bob.folder / "all.json")
    for home in (alice, bob):
        lines = [json.loads(line) for line in (home.folder / "all.json").read_text().splitlines()]
        for line in lines:
            EXPORT.take(line, line.get("type"), "export")
        # Its first line is a record of the page, too.
        RECORDS.take(lines[0], "export", "export")
    other = homes.home("other")
    run(other, "import", alice.folder / "all.json")
    run(other, "import", alice.folder / "all.json")
    third = homes.home("third")
    run(third, "id", "restore", copy_of_key, "--passphrase-file", phrase)
    with open(phrase) as file:
        note(["id", "passphrase"])
        done = subprocess.run([BLIPCHAT, "id", "passphrase", "--json", "--passphrase-fd", str(file.fileno())], env=third.env,
                              pass_fds=[file.fileno()], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    validate(done.stdout, ["id", "passphrase"])
    (third.path / "config.toml").write_text("listen = 3\n[ui]\nthene = \"dark\"\n")
    run(third, "config", "check", code=2)
    some = run(alice, "history", "bob", "-n", "1")[0]["id"]
    run(alice, "forget", "bob", some)
    wait("bob's watch has all of it", lambda: '"link"' in bob.watching.output)
    wait("alice's watch hears of it", lambda: '"deleted"' in alice.watching.output)

    alice.serving.stop()
    run(alice, "restore", alice.folder / "copy")
    alice.serving = alice.serve()
    # The key that answers first is dora's; later another one does.
    dora, mallory = homes.home("dora"), homes.home("mallory")
    serving = dora.serve("--accept-requests")
    place = dora.records("status")[0]["listening"]
    run(alice, "contacts", "add", place, "--name", "dora")
    run(alice, "send", "dora", "hello")
    serving.stop()
    mallory.serve(at=place)
    run(alice, "send", "dora", "are you there?", code=5)
    run(alice, "contacts", "verify", "dora")
    assert run(alice, "contacts", "show", "dora")[0]["trust"] == "key-changed"
    run(alice, "contacts", "accept-key", "dora")
    assert "former_peer_ids" in run(alice, "contacts", "show", "dora")[0]
    run(alice, "contacts", "remove", "dora", "--yes")
    bob.serving.stop()
    while "bye" not in session.hear():
        pass
    for home in (alice, bob):
        home.watching.stop()
        validate(home.watching.output, ["watch"])


def neighbours(homes):
    """Two machines in one network, where that can be made (Scripts/nearby_room.sh); returns why it cannot."""
    lacks = [name for name in ("avahi-daemon", "dbus-daemon", "ip") if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")]
    if os.geteuid() != 0 or lacks:
        return f"it needs {', '.join(lacks) or 'root'}"
    room = homes.folder / "room"
    room.mkdir()
    ann, ben = homes.home("ann"), homes.home("ben")
    for home, node, work in (
        (ann, "a", '"$BLIPCHAT" nearby --show 10m >/dev/null; until [[ -e {room}/seen ]]; do sleep 0.1; done'),
        (ben, "b", 'until "$BLIPCHAT" nearby --json >{room}/seen.part && grep -q neighbour {room}/seen.part; do sleep 0.2; done; '
                   "mv {room}/seen.part {room}/seen"),
    ):
        settings = "".join(f"export {name}='{value}'\n" for name, value in home.env.items())
        (room / node).write_text(
            settings + '"$BLIPCHAT" serve & serve=$!\n'
            'until "$BLIPCHAT" reach --json 2>/dev/null | grep -q \'"nearby":"looking"\'; do sleep 0.2; done\n'
            + work.format(room=room) + "\nkill $serve; wait $serve\n")
    done = subprocess.run([ROOT / "Scripts/nearby_room.sh", room], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.stderr}{[(room / name).read_text() for name in ('a.out', 'b.out')]}"
    validate((room / "seen").read_text(), ["nearby"])
    return None


def main():
    with Homes() as homes:
        alice, bob = people(homes)
        session = messages(alice, bob)
        files(alice, bob, session)
        keeping(homes, alice, bob, session)
        reason = neighbours(homes)
    missing = RECORDS.report("records", ["neighbour"] if reason else []) + EXPORT.report("export") + SOCKET.report("socket")
    if reason:
        print(f"no neighbour was seen: {reason}")
    faults = [f"no {kind} was ever seen" for kind in missing]
    for kind, names in sorted(promised().items()):
        # An export has records of its own.
        faults += [f"Docs/scripting.md: {name} has not printed {kind}" for name in sorted(names - printed[kind] - {"export"})
                   if RECORDS.seen[kind]]
        faults += [f"Docs/scripting.md: {name} has printed {kind}" for name in sorted(printed[kind] - names)
                   if name.split(" ")[0] != groups.get(kind)]
    faults += [f"{command} was not run with --json" for command in sorted(commands - NO_RECORDS - ran)]
    for fault in faults:
        print(fault)
    print(f"{sum(RECORDS.seen.values())} records, "
          f"{sum(EXPORT.seen.values())} lines of an export and {sum(SOCKET.seen.values())} of a session are valid, "
          f"{len(ran & commands)} commands, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
