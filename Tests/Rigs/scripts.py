#!/usr/bin/env python3
"""Runs the scripts of Examples/scripts between two real homes: what they promise comes true, also for names and texts that are
made to be taken for something else. BLIPCHAT=/path/to/blipchat; needs git. Arguments: scripts, without one all."""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
from homes import BLIPCHAT, ROOT, Homes, wait

SCRIPTS = ROOT / "Examples/scripts"
HOSTILE = "--all $(touch injected) `touch injected` \"quoted\" 'single' \\ % * <b>&</b>"


class Pair:
    """alice, who runs the script, and bob, who sees what it does."""

    def __init__(self, homes):
        self.alice, self.bob, self.carol = (homes.home(name) for name in ("alice", "bob", "carol"))
        programs = homes.folder / "programs"
        programs.mkdir()
        (programs / "blipchat").symlink_to(BLIPCHAT)
        for home in (self.alice, self.bob):
            home.env["PATH"] = f"{programs}:{home.env['PATH']}:{os.path.dirname(sys.executable)}"
        self.programs = programs

    def meet(self):
        self.bob.serving = self.bob.serve("--accept-requests", "--accept-files", "10M")
        self.alice.serving = self.alice.serve()
        self.alice.run("contacts", "add", self.bob.address(), "--name", "bob")
        self.alice.run("send", "bob", "hello")

    def start(self, script, *words):
        return self.alice.start(*words, program=SCRIPTS / script)

    def program(self, name, text):
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)


def echo_bot(pair):
    pair.meet()
    bob = pair.bob

    def is_answered():
        # It hears what comes after it has begun to watch.
        bob.run("send", "alice", f"are you there {len(bob.texts('alice'))}?")
        texts = bob.texts("alice")
        return len(set(texts)) < len(texts)
    bot = pair.start("echo_bot.py")
    wait("the bot answers", is_answered, lambda: bot.errors)
    for text in (HOSTILE, "two\nlines", "-"):
        bob.run("send", "alice", "-", text=text)
        wait(f"the answer to {text!r}", lambda: bob.texts("alice").count(text) == 2, lambda: bot.errors)
    # Asked the same once more, by another bot beside it, it says nothing new.
    question = next(one for one in pair.alice.records("history", "bob") if one["text"] == HOSTILE and one["from"] == "bob")
    again = "import json, sys; sys.path.insert(0, sys.argv[1]); import echo_bot; echo_bot.answer(json.loads(sys.argv[2]))"
    done = subprocess.run([sys.executable, "-B", "-c", again, SCRIPTS, json.dumps(question)], env=pair.alice.env,
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    bob.run("send", "alice", "and then")
    wait("the answer", lambda: bob.texts("alice").count("and then") == 2)
    assert bob.texts("alice").count(HOSTILE) == 2
    pair.alice.serving.stop()
    bot.wait()


def backup(pair):
    alice = pair.alice
    folder = alice.folder / "copies of $HOME"
    folder.mkdir()
    pair.meet()
    for number in range(3):
        # Older copies, whose names are not of this second.
        (folder / f"blipchat-2026-01-0{number + 1}T000000Z.sqlite").write_text("old")

    def job(*words):
        return subprocess.run([SCRIPTS / "backup.sh", *words], env=alice.env, cwd=alice.folder, capture_output=True, text=True)
    done = job(folder.name, "3")
    assert done.returncode == 0 and done.stdout == "", done
    names = sorted(file.name for file in folder.iterdir())
    assert len(names) == 3 and names[0].startswith("blipchat-2026-01-02") and not names[2].startswith("blipchat-2026-01"), names
    assert (folder / names[2]).stat().st_mode & 0o077 == 0
    alice.serving.stop()
    alice.run("restore", folder / names[2])
    assert alice.texts("bob") == ["hello"]
    # Without a history there is no copy, and the old ones stay.
    (alice.path / "history.sqlite").rename(alice.folder / "away")
    assert job(folder, "1").returncode == 10
    assert sorted(file.name for file in folder.iterdir()) == names
    assert job().returncode == 2


def drop_folder(pair):
    alice, bob = pair.alice, pair.bob
    folder = alice.folder / "drop"
    folder.mkdir()
    pair.meet()
    process = pair.start("drop_folder.py", folder, "bob", "0.2")
    wait("it has begun", lambda: (folder / "sending").is_dir(), lambda: process.errors)
    names = ["plain.txt", "-n $(touch injected).txt", "two words.txt"]
    for name in names:
        alice.file(name, f"this is {name}").rename(folder / name)
    (folder / ".hidden").write_text("not this one")
    (folder / "a folder").mkdir()
    wait("they are sent", lambda: {file.name for file in (folder / "sent").glob("*")} == set(names), lambda: process.errors)
    for name in names:
        found = [pathlib.Path(one["path"]).read_text() for one in bob.records("transfers", "list") if one["name"] == name]
        assert found == [f"this is {name}"], found
    # The same name again, too large for bob, and while nobody runs the script.
    alice.file("plain.txt", "another").rename(folder / "plain.txt")
    wait("it has a name of its own", lambda: (folder / "sent/plain (2).txt").exists(), lambda: process.errors)
    large = alice.folder / "large"
    with open(large, "wb") as file:
        file.truncate(20_000_000)
    large.rename(folder / "large")
    number = wait("the offer", lambda: [one["number"] for one in bob.records("transfers", "list") if one["name"] == "large"])[0]
    process.stop()
    bob.run("transfers", "decline", number)
    process = pair.start("drop_folder.py", folder, "bob", "0.2")
    wait("it was declined", lambda: (folder / "failed/large").exists(), lambda: process.errors)
    assert not list((folder / "sending").iterdir()) and not list((folder / ".offers").iterdir())
    assert len(alice.records("transfers", "list")) == 5
    process.stop()
    alice.file("lost", "x").rename(folder / "lost")
    process = pair.start("drop_folder.py", folder, "nobody", "0.2")
    assert process.wait() == 10 and (folder / "sending/lost").exists()


def post_receive(pair):
    alice, bob = pair.alice, pair.bob
    pair.meet()
    alice.env |= {"GIT_AUTHOR_NAME": "Alice", "GIT_AUTHOR_EMAIL": "alice@example.org", "GIT_CONFIG_NOSYSTEM": "1",
                  "GIT_COMMITTER_NAME": "Alice", "GIT_COMMITTER_EMAIL": "alice@example.org"}

    def git(*words, at=alice.folder):
        done = subprocess.run(["git", *words], env=alice.env, cwd=at, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    git("init", "-q", "--bare", "garden.git")
    hook = alice.folder / "garden.git/hooks/post-receive"
    hook.write_bytes((SCRIPTS / "post-receive.sh").read_bytes())
    hook.chmod(0o755)
    git("config", "blipchat.to", "bob", at=alice.folder / "garden.git")
    git("init", "-q", "-b", "main", "work")
    work = alice.folder / "work"
    git("remote", "add", "origin", "../garden.git", at=work)

    def commit(subject):
        git("commit", "-q", "--allow-empty", "-m", subject, at=work)
        return git("rev-parse", "--short", "HEAD", at=work)

    def heard(text):
        wait(f"bob hears {text!r}", lambda: text in bob.texts("alice"), lambda: str(bob.texts("alice")))
    first = commit("Begin")
    git("push", "-q", "origin", "main", at=work)
    heard(f"garden: 1 new in main\n{first} Alice: Begin")
    second, third = commit(HOSTILE), commit("More")
    git("push", "-q", "origin", "main", at=work)
    heard(f"garden: 2 new in main\n{third} Alice: More\n{second} Alice: {HOSTILE}")
    git("checkout", "-q", "-b", "side", at=work)
    fourth = commit("Beside it")
    git("push", "-q", "origin", "side", at=work)
    heard(f"garden: 1 new in side\n{fourth} Alice: Beside it")
    git("push", "-q", "origin", ":side", at=work)
    heard("garden: side was deleted")
    for number in range(12):
        commit(f"Number {number}")
    git("push", "-q", "origin", "side:main", at=work)
    wait("the newest ten", lambda: any(text.startswith("garden: 13 new in main\n") and text.count("\n") == 10
                                       for text in bob.texts("alice")), lambda: str(bob.texts("alice")))
    # Somebody who is no contact hears nothing, and the push is done.
    git("config", "blipchat.to", "nobody", at=alice.folder / "garden.git")
    last = commit("Unheard")
    git("push", "-q", "origin", "side:main", at=work)
    assert git("rev-parse", "--short", "main", at=alice.folder / "garden.git") == last


def notify(pair):
    alice, bob = pair.alice, pair.bob
    shown = alice.folder / "shown"
    shown.touch()
    pair.program("notify-send", f"#!/bin/sh\nprintf '%s\\0' \"$@\" >>'{shown}'\nprintf '\\n' >>'{shown}'\nexit 1\n")
    pair.meet()
    process = pair.start("notify.py")

    def notes():
        return [line.split("\0")[:-1] for line in shown.read_text().split("\n") if line]

    def speak():
        bob.run("send", "alice", "are you there?")
        return notes()
    wait("the bridge shows something", speak, lambda: process.errors)
    assert notes()[0] == ["--app-name=blipchat", "--", "bob", "are you there?"], notes()[0]
    bob.run("send", "alice", "-", text=f"{HOSTILE}\n\x1b[31m" + "x" * 500)
    bob.run("send-file", "alice", bob.file("a file.txt", "12345"), "--queue")
    wait("the file", lambda: ["bob", "offers a file.txt (5 bytes)"] in [note[2:] for note in notes()], lambda: str(notes()))
    text = next(note[3] for note in notes() if note[3].startswith("--all"))
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in text and "\x1b" not in text and text.endswith("x…"), text
    alice.run("send", "bob", "of her own")
    carol = pair.carol
    carol.run("contacts", "add", alice.address(), "--name", "alice")
    carol.start("send", "alice", "may I?")
    wait("the request", lambda: ["Contact request", "carol"] in [note[2:] for note in notes()], lambda: str(notes()))
    bob.run("send", "alice", "the last one")
    wait("the last one", lambda: any(note[3] == "the last one" for note in notes()))
    assert not any(note[3] == "of her own" for note in notes())
    alice.serving.stop()
    process.wait()


def main():
    scripts = {"echo_bot.py": echo_bot, "backup.sh": backup, "drop_folder.py": drop_folder, "post-receive.sh": post_receive,
               "notify.py": notify}
    here = {path.name for path in SCRIPTS.iterdir() if path.is_file()}
    page = (ROOT / "Docs/scripting.md").read_text()
    faults = [f"{name}: no test, or no script" for name in sorted(here ^ scripts.keys())]
    faults += [f"{name}: Docs/scripting.md does not say how to run it" for name in sorted(here) if name not in page]
    for name, test in scripts.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with Homes() as homes:
            test(Pair(homes))
            assert not list(homes.folder.rglob("injected")), f"{name} has run what it was only to send"
        print(f"ok    {name}")
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
