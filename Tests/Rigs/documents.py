#!/usr/bin/env python3
"""Runs every command that Docs/scripting.md shows, as it is there: lines of its listings, and code in its sentences that begins
with `blipchat`, with and without what is in brackets. Of commands and options that it only names it looks whether the program
has them. BLIPCHAT=/path/to/blipchat; prints each command with its exit code, and exits 1 when one has another than expected."""
import fcntl
import itertools
import os
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
from homes import BLIPCHAT, ROOT, Homes, wait

PAGE = ROOT / "Docs/scripting.md"
# What belongs to the system, and would change this one (SystemdTests try it).
FOREIGN = {"systemctl", "loginctl", "journalctl"}
# What the words in capitals are for this rig.
VALUES = {"WHO": "bob", "TEXT": "hello", "S": "20", "FILE": "a-file", "...": "hello"}
# Where the page promises another code than 0.
CODES = {"blipchat send bob --require-verified hello": 5}
# They run until somebody ends them.
LONG = {"blipchat serve", "blipchat watch", "blipchat watch bob", "blipchat transfers watch"}


def listings(text):
    """The lines of the listings, without their comments; those of the control socket are no commands."""
    for line in text.split("\n"):
        if re.match(r" {4,}[\w~/.-]", line):
            yield re.sub(r" +# .*| {3,}.*", "", line.strip())


def spans(text):
    """Code in sentences and tables."""
    prose = "\n".join(line for line in text.split("\n") if not line.startswith("    "))
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def expanded(span):
    """The commands that a span with brackets, alternatives and words in capitals means."""
    parts = re.split(r" (\[[^\]]+\])", span)
    choices = [["", f" {part[1:-1]}"] if part.startswith("[") else [part] for part in parts]
    for choice in itertools.product(*choices):
        words = [re.split(r"\|", word) if re.fullmatch(r"[\w-]+(\|[\w-]+)+", word) else [VALUES.get(word, word)]
                 for word in "".join(choice).split(" ")]
        yield from (" ".join(one) for one in itertools.product(*words))


class Program:
    """What the program says of itself."""

    def __init__(self):
        self.pages = {}
        self.commands = re.findall(r"^  ([a-z-]+(?: [a-z-]+(?![|\w-]))?)\b", self.help().split("Commands:")[1].split("\n\n")[0], re.M)
        # `id` is `id show`.
        self.commands += [name.removesuffix(" show") for name in self.commands if name.endswith(" show")]

    def help(self, *words):
        if words not in self.pages:
            done = subprocess.run([BLIPCHAT, "help", *words], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            self.pages[words] = done.stdout
        return self.pages[words]

    def command(self, words):
        """The command that these words begin with; None: they are something else."""
        return next((name for name in (" ".join(words[:2]), words[0]) if name in self.commands), None)

    def needs_operand(self, name):
        usage = self.help(*name.split()).split("\n")[0].split(name, 1)[1]
        return re.search(r"[A-Z]|bash", re.sub(r"\[[^\]]*\]", "", usage)) is not None

    def has(self, option, name=None):
        pages = [self.help(*name.split()), self.help()] if name else [self.help(*one.split()) for one in self.commands] + [self.help()]
        return any(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page) for page in pages)


class Reader:
    """Somebody who reads the page at alice's home and types what it shows."""

    def __init__(self, homes):
        self.homes = homes
        self.alice, self.bob = homes.home("alice"), homes.home("bob")
        self.program, self.faults, self.done = Program(), [], set()
        programs = self.alice.folder / "programs"
        programs.mkdir()
        (programs / "blipchat").symlink_to(BLIPCHAT)
        self.shown = self.alice.folder / "shown"
        for name, text in {"notify-send": f"echo \"$@\" >>'{self.shown}'", "uuidgen": "cat /proc/sys/kernel/random/uuid"}.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        self.alice.env["PATH"] = f"{programs}:{os.path.dirname(sys.executable)}:{self.alice.env['PATH']}"
        (self.alice.folder / "Examples").symlink_to(ROOT / "Examples")
        if shutil.which("git"):
            subprocess.run(["git", "init", "-q", "--bare", self.alice.folder / "garden.git"], check=True)
        self.alice.path.mkdir()
        (self.alice.path / "config.toml").write_text('listen = "127.0.0.1:0"\n')
        self.bob.serve("--accept-requests", "--accept-files", "10M")
        self.alice.run("contacts", "add", self.bob.address(), "--name", "bob")

    def note(self, command, code):
        expected = CODES.get(command, 0)
        print(f"{code:3}  {command}")
        if code != expected:
            self.faults.append(f"{command}: {code} in place of {expected}")

    def run(self, command):
        """One command line of the page, once."""
        if command in self.done or command.split(" ")[0] in FOREIGN:
            return
        self.done.add(command)
        if command == "blipchat bob":
            return self.note(command, self.screen(command))
        if "--on-message" in command:
            return self.hook(command)
        if command.removesuffix(" &") in LONG:
            return self.start(command.removesuffix(" &"))
        if re.match(r"Examples/scripts/\w+\.py", command):
            return self.script(command)
        done = subprocess.run(["/bin/sh", "-c", command], env=self.alice.env, cwd=self.alice.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.note(command, done.returncode)
        if done.returncode != CODES.get(command, 0):
            print(done.stdout + done.stderr)

    def hook(self, command):
        """It has a home of its own: alice's chat runs already."""
        carol = self.homes.home("carol")
        carol.env["PATH"] = self.alice.env["PATH"]
        answer = carol.folder / "bin/answer"
        answer.parent.mkdir()
        answer.write_text(f"#!/bin/sh\ncat >'{carol.folder}/heard'\n")
        answer.chmod(0o755)
        process = carol.start("-c", f"exec {command} --listen 127.0.0.1:0 --accept-requests", program="/bin/sh")
        wait("serve", lambda: process.output.startswith("listening "), lambda: process.errors)
        self.bob.run("contacts", "add", carol.address(), "--name", "carol")
        self.bob.run("send", "carol", "are you there?")
        wait("the program has the message", lambda: "are you there?" in self.text(carol.folder / "heard"), lambda: process.errors)
        self.note(command, process.stop())

    def text(self, path):
        return path.read_text() if path.exists() else ""

    def start(self, command):
        """It runs on; the one that runs the chat is for all that follow."""
        self.done |= {command, command + " &"}
        process = self.alice.start("-c", f"exec {command}", program="/bin/sh")
        if command == "blipchat serve":
            wait("serve", lambda: process.output.startswith("listening "), lambda: process.errors)
            return self.note(command, 0)
        self.ask(command, process, lambda: process.output)
        # 143: ended by SIGTERM.
        self.note(command, 0 if process.stop() in (143, -signal.SIGTERM) else process.process.returncode)

    def script(self, command):
        process = self.alice.start("-c", f"exec {command}", program="/bin/sh")
        signs = {"echo_bot": lambda: len(self.bob.texts("alice")) > len(set(self.bob.texts("alice"))),
                 "notify": self.shown.exists, "drop_folder": (self.alice.folder / "to-bob/sending").is_dir}
        self.ask(command, process, signs[re.search(r"(\w+)\.py", command)[1]])
        self.note(command, 1 if process.is_over() else 0)
        process.stop()

    def ask(self, command, process, sign):
        """Bob says and offers something new until it has shown that it is there."""
        def asked():
            number = len(self.bob.texts("alice"))
            self.bob.run("send", "alice", f"are you there {number}?")
            self.bob.run("send-file", "alice", self.bob.file("some.txt", str(number)), "--queue")
            return sign() or process.is_over()
        wait(command, asked, lambda: process.errors)

    def screen(self, command):
        """A screen in a terminal, which Ctrl-q leaves."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(["/bin/sh", "-c", f"exec {command}"], env=self.alice.env, cwd=self.alice.folder, stdin=theirs,
                                   stdout=theirs, stderr=theirs, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        os.set_blocking(ours, False)
        output = b""

        def hear():
            nonlocal output
            try:
                output += os.read(ours, 65536)
            except (BlockingIOError, OSError):
                pass
            return output
        wait("the screen", lambda: b"bob" in hear(), lambda: output)

        def left():
            hear()
            if process.poll() is None:
                os.write(ours, b"\x11")
            return process.poll() is not None
        wait("the screen ends", left, lambda: output)
        os.close(ours)
        return process.returncode

    def named(self, span):
        """A command or an option that the page mentions exists."""
        words = shlex.split(span.replace("'", ""))
        if words and words[0].startswith("--"):
            if not self.program.has(words[0]):
                self.faults.append(f"`{span}`: no command has {words[0]}")
            return
        name = self.program.command(words) if words else None
        groups = {one.split(" ")[0] for one in self.program.commands if " " in one}
        if len(words) > 1 and words[0] in groups and name != " ".join(words[:2]) and re.fullmatch("[a-z-]+", words[1]):
            self.faults.append(f"`{span}`: {words[0]} has no {words[1]}")
        if name:
            for word in words:
                if re.match(r"--?[a-z]", word) and not self.program.has(word, name):
                    self.faults.append(f"`{span}`: {name} has no {word}")

    def read(self, text):
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        for command in listings(text):
            self.run(command)
        for span in spans(text):
            if not span.startswith("blipchat "):
                self.named(span)
                continue
            words = span.split(" ")[1:]
            name = self.program.command([word for word in words if not word.startswith("[")])
            if name is None:
                self.faults.append(f"`{span}`: blipchat has no such command")
            elif " ".join(words) != name or not self.program.needs_operand(name):
                for command in expanded(span):
                    if unknown := re.findall(r"(?<![\w/])[A-Z]{2,}(?![\w/])", command):
                        self.faults.append(f"`{span}`: this rig knows no {', '.join(unknown)}")
                    else:
                        self.run(command)
        shown = len(re.findall(r"^ {4,}(?:blipchat|Examples)", text, re.M))
        if shown < 8 or len(self.done) < shown + 10:
            self.faults.append(f"only {len(self.done)} commands were found, {shown} of them in listings")


def main():
    with Homes() as homes:
        reader = Reader(homes)
        reader.read(PAGE.read_text())
    for fault in reader.faults:
        print(fault)
    print(f"{len(reader.done)} commands of {PAGE.name} were run, {len(reader.faults)} faults")
    sys.exit(1 if reader.faults else 0)


if __name__ == "__main__":
    main()
