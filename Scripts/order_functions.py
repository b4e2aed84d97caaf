#!/usr/bin/env python3
"""Writes Scripts/link/functions.order: which functions a usual session runs, for the linker (Docs/decisions/0012).

usage: Scripts/order_functions.py BLIPCHAT

BLIPCHAT is a release; `make order` builds it. It runs twice under valgrind in a pseudo-terminal: once to the first
picture, and once through a session with a second blipchat. The functions of the start come first in the file.
Needs valgrind and nm; takes some minutes.
"""

import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "link", "functions.order")
PATIENCE = 120


class Terminal:
    """A program in a pseudo-terminal of 80x24."""

    def __init__(self, words, environment):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.output = b""

    def read_until_quiet(self, words=b"", seconds=1.5):
        """Reads until `words` have come, and then nothing for `seconds`."""
        limit = time.monotonic() + PATIENCE
        while True:
            wait = seconds if words in self.output else PATIENCE
            ready, _, _ = select.select([self.master], [], [], min(wait, max(0, limit - time.monotonic())))
            if not ready:
                break
            try:
                part = os.read(self.master, 65536)
            except OSError:
                part = b""
            if not part:
                break
            self.output += part
        if words not in self.output:
            sys.exit(f"order_functions: {words!r} did not come; the end of the output: {self.output[-600:]!r}")
        self.output = b""

    def type(self, keys, words=b""):
        os.write(self.master, keys)
        self.read_until_quiet(words)

    def quit(self):
        os.write(self.master, b"\x1b\x1b\x15/quit\r")
        try:
            while os.read(self.master, 65536):
                pass
        except OSError:
            pass
        self.process.wait(PATIENCE)
        os.close(self.master)


class Home:
    """A folder with a blipchat in it."""

    def __init__(self, program, folder, name, port):
        self.program = program
        self.folder = os.path.join(folder, name)
        os.mkdir(self.folder, 0o700)
        with open(os.path.join(self.folder, "config.toml"), "w") as file:
            file.write(f'name = "{name}"\nlisten = "127.0.0.1:{port}"\n')
        self.environment = dict(os.environ, BLIPCHAT_HOME=self.folder, TERM="xterm-256color", LANG="C.UTF-8")
        self.address = re.search(r"blip://\S+", self.run("id")).group()

    def run(self, *words):
        done = subprocess.run(
            [self.program, *words], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(f"order_functions: blipchat {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def start(self, *words):
        return subprocess.Popen(
            [self.program, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )

    def screen(self, profile):
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--demangle=no"]
        return Terminal([*valgrind, self.program], self.environment)


def session(terminal, own, peer, folder):
    """What people do: reading, writing, searching, files, the panes."""
    picture = os.path.join(folder, "letter.txt")
    with open(picture, "w") as file:
        file.write("what a file holds\n" * 20_000)
    terminal.read_until_quiet(b"Peer")
    terminal.type(b"hello there", b"e")
    terminal.type(b"\x7f\x7f\x1b[D\x1b[C\x17\x19\x1f\x05\r")
    for line in ["an answer of two words", "with https://example.org/a and *stars*", "naïve 日本語 👍🏽 שלום"]:
        peer.run("send", "Own", line)
        terminal.read_until_quiet()
    terminal.type(b"\x1b[200~some lines\nthat are pasted\x1b[201~", b"pasted")
    terminal.type(b"\r")  # lines that were pasted go out with a second Enter
    terminal.type(b"\r")
    terminal.type(b"/se\t")
    terminal.type(b"\x15/send " + picture.encode() + b"\r", b"letter.txt")

    number = re.search(r'"number":\s*"?(\w+)', peer.run("transfers", "list", "--json")).group(1)
    peer.run("transfers", "accept", number)
    terminal.read_until_quiet()
    offer = peer.start("send-file", "Own", os.path.join(own.folder, "config.toml"))
    terminal.read_until_quiet(b"config.toml")
    terminal.type(b"\x1by")  # an offer that has just come is taken with a second key
    terminal.type(b"\x1by")
    offer.wait(PATIENCE)
    for _ in range(3):
        terminal.type(b"\x1b[5~")
    terminal.type(b"\x1b[6~\x1b[6~")
    terminal.type(b"\x1b")  # browse mode
    for keys in [b"k", b"k", b"r", b"\x1b", b"\x1b", b"k", b"+", b"\x1b", b"i", b"\x1b", b"\x1b"]:
        terminal.type(keys)
    for open_pane in [b"\x1bt", b"\x1bx", b"\x1bs", b"\x1bk", b"\x1br", b"\x1bu", b"\x1bl", b"\x14", b"\x1bOP", b"\x13"]:
        terminal.type(open_pane)
        terminal.type(b"an")
        terminal.type(b"\x1b[B\x1b[A")
        terminal.type(b"\x1b")
        terminal.type(b"\x15")
    for name in [b"\x1b[1;3B", b"\x1b[1;3A", b"\x1b/"]:
        terminal.type(name)
    terminal.type(b"/set\r")
    terminal.type(b"\x1b")


def functions(profile):
    """The names that a profile of callgrind has."""
    names = set()
    with open(profile, errors="replace") as file:
        for line in file:
            # `fn=(12) name`, or `cfn=(12) name'2` for a function within itself.
            match = re.match(r"c?fn=\(\d+\) ([^'\s]+)", line)
            if match:
                names.add(match.group(1))
    return names


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    for tool in ["valgrind", "nm"]:
        if shutil.which(tool) is None:
            sys.exit(f"order_functions: {tool} is not installed")
    table = subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout
    known = {line.split()[2] for line in table.splitlines() if line.split()[1] in "tTwW"}
    with tempfile.TemporaryDirectory() as folder:
        own = Home(program, folder, "Own", 47_801)
        peer = Home(program, folder, "Peer", 47_802)
        own.run("contacts", "add", peer.address)
        peer.run("contacts", "add", own.address)
        serving = peer.start("serve")
        try:
            start = os.path.join(folder, "start.callgrind")
            whole = os.path.join(folder, "session.callgrind")
            terminal = own.screen(start)
            terminal.read_until_quiet(b"Peer")
            terminal.quit()
            terminal = own.screen(whole)
            session(terminal, own, peer, folder)
            terminal.quit()
        finally:
            serving.send_signal(signal.SIGTERM)
            serving.wait(PATIENCE)
        first = functions(start) & known
        later = (functions(whole) & known) - first
    with open(OUTPUT, "w") as file:
        file.writelines(name + "\n" for name in sorted(first) + sorted(later))
    print(f"{OUTPUT}: {len(first)} functions of the start, {len(later)} of the session")


if __name__ == "__main__":
    main()
