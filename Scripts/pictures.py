#!/usr/bin/env python3
"""Pictures of the screen, and a recorded session, from the real program in tmux: pictures.py PROGRAM FOLDER writes chat.svg, file.svg
and palette.svg (`blipchat demo`), and session.cast (asciicast 2) with session.svg, the same as a film: two homes that chat and send a
file. --check makes all of it again and compares it with FOLDER, apart from times, sizes, paths and the like; it exits with 1, and names
the first row that differs, where they are not of this program. BLIPCHAT_PATIENCE is a factor for busy machines. Needs tmux."""
import html
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import terminal_svg

COLUMNS, ROWS, FILM_ROWS = 84, 22, 18
LIMIT = 60 * float(os.environ.get("BLIPCHAT_PATIENCE", "1"))
# It is about noon where the pictures are made: no day ends in them, and no row is about the next one.
ZONE = time.gmtime().tm_hour - 12
# What changes from run to run, and what replaces it in a comparison.
MASKS = [
    # How much is free is cut where the pane ends, with what follows it.
    (r"· [\d.]+ [kMGT]?B free\b[^<│]*", "FREE "), (r"blipchat-demo-\w*", "DEMO"), (r"\b\w{6}(?=/me/downloads)", "NAME"),
    (r"\b\d\d:\d\d(?::\d\d)?\b", "00:00"),
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3} \d{4}", "DAY"), (r"\b\d+(?:\.\d+)? ?(?:[kMGT]?B)(?:/s)?", "SIZE"),
    (r"\b\d+(?:\.\d+)? ?(?:ms|s|min|h)\b", "TIME"), (r"\b\d+%", "0%"), (r"[█▏▎▍▌▋▊▉·]{4,}", "BAR"), (r"[⠀-⣿]", "SPINNER"),
    (r"─+", "─"), (r" +", " "),
]


# Those who say something in the pictures.
NAMES = {"echo", "Jo", "Alice"}


class Tmux:
    """A server of tmux with one window of our size."""

    def __init__(self, home, name, rows, settings=()):
        self.socket, self.rows = f"{home}/{name}", rows
        # As a person has it who is not inside of tmux: blipchat has advice for the others.
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        lines = ["set -g status off", "set -g escape-time 0", "set -g default-terminal screen-256color", *settings]
        pathlib.Path(f"{home}/{name}.conf").write_text("\n".join(lines) + "\n")

    def run(self, *words):
        command = ["tmux", "-u", "-S", self.socket, "-f", f"{self.socket}.conf", *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"pictures.py: tmux {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def open(self, command, *variables):
        self.run("new-session", "-d", "-x", str(COLUMNS), "-y", str(self.rows), *self.start(command, *variables))

    def start(self, command, *variables):
        return ["env", "-u", "TMUX", "-u", "TMUX_PANE", "USER=jo", f"TZ=UTC{ZONE:+d}", *variables, *command]

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.environment, capture_output=True)

    def type(self, text, pane="0"):
        self.run("send-keys", "-t", pane, "-l", "--", text)

    def press(self, key, pane="0"):
        self.run("send-keys", "-t", pane, key)

    def look(self):
        """The rows, and where the cursor is."""
        *rows, last = self.run("capture-pane", "-e", "-p", ";", "display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}") \
            .rstrip("\n").split("\n")
        x, y, is_shown = map(int, last.split())
        rows = terminal_svg.lines("\n".join(rows + [""] * (self.rows - len(rows))))
        return rows, (x, y) if is_shown else None


def wait(look, present=(), absent=(), pane=slice(None)):
    """Until the screen shows all of `present` and nothing of `absent` (patterns) and rests; returns its rows."""
    end, before, since = time.monotonic() + LIMIT, None, 0
    while True:
        rows, _ = look()
        text = "\n".join(terminal_svg.plain(row).ljust(COLUMNS)[pane].rstrip() for row in rows)
        is_there = all(re.search(one, text, re.M) for one in present) and not any(re.search(one, text, re.M) for one in absent)
        if not is_there or text != before:
            before, since = text if is_there else None, time.monotonic()
        elif time.monotonic() - since > 0.25:
            return rows
        if time.monotonic() > end:
            sys.exit(f"pictures.py: waited {LIMIT:.0f} s in vain for {present} without {absent} on this screen:\n{text}")
        time.sleep(0.05)


def stills(program, home):
    """(name, rows) of each picture of the demo."""
    terminal = Tmux(home, "demo", ROWS)
    terminal.open([program, "demo"])
    try:
        wait(terminal.look, [r"^echo>", r"rings of colour"])
        terminal.type("hello echo, this is a real connection")
        wait(terminal.look, [r"^echo> hello"])
        terminal.press("Enter")
        yield "chat", wait(terminal.look, [r"You wrote: hello echo", r"✓✓ +me hello echo", "OFFER"], [r"^echo> \w", "is typing"])
        terminal.press("M-y")
        yield "file", wait(terminal.look, [r"sha256", r"▀{8}"], [r"is typing", r"↓1", r"OFFER", r"is here"])
        terminal.press("M-x")
        yield "palette", wait(terminal.look, [r"─ Commands ─"])
    finally:
        terminal.close()


class Session:
    """Two homes side by side, each in a pane; what a person sees of both is recorded."""

    def __init__(self, program, home, is_quick):
        self.program, self.home, self.is_quick = program, home, is_quick
        self.frames, self.markers, self.begin = [], [], None
        self.panes = Tmux(home, "panes", FILM_ROWS, [
            "set -g pane-border-status top", "set -g pane-border-format ' #{@who} '", "set -g pane-border-style fg=colour8",
            "set -g pane-active-border-style fg=colour6"])
        self.screen = Tmux(home, "screen", FILM_ROWS)

    def environment(self, name):
        folder = self.home / name
        return {"HOME": str(folder), "BLIPCHAT_HOME": str(folder / "home"), "USER": name, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def command(self, name, *words):
        done = subprocess.run([self.program, *words], env=self.environment(name), cwd=self.home / name, capture_output=True, text=True,
                              timeout=LIMIT)
        if done.returncode:
            sys.exit(f"pictures.py: {name}: {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout.split("\n")

    def __enter__(self):
        # A port of its own for each, kept until both are known.
        listeners = {name: socket.create_server(("127.0.0.1", 0)) for name in ("jo", "alice")}
        for name, listener in listeners.items():
            (self.home / name / "home").mkdir(parents=True)
            (self.home / name / "home" / "config.toml").write_text(
                f'name = "{name.title()}"\nlisten = "127.0.0.1:{listener.getsockname()[1]}"\n[net]\nlimit_up = "2M"\n'
                "[reach]\nlan = false\nmap = \"off\"\n")
            listener.close()
        with open(self.home / "alice" / "sunday.zip", "wb") as file:
            file.truncate(12_000_000)
        for name, other in (("jo", "alice"), ("alice", "jo")):
            self.command(name, "contacts", "add", self.command(other, "id")[0], "--name", other.title())
            digits = [line for line in self.command(name, "contacts", "verify", other.title()) if re.search(r"\d{5}", line)]
            self.command(name, "contacts", "verify", other.title(), *" ".join(digits).split())
        self.panes.open([self.program, "Alice"], *self.variables("jo"))
        self.panes.run("split-window", "-h", "-c", str(self.home / "alice"),
                       *self.panes.start([self.program, "Jo"], *self.variables("alice")))
        for pane, who in enumerate(("Jo", "Alice")):
            self.panes.run("set", "-p", "-t", str(pane), "@who", f"{who}'s terminal")
        self.panes.run("select-pane", "-t", "0")
        self.screen.open(["tmux", "-u", "-S", self.panes.socket, "attach"])
        return self

    def __exit__(self, *_):
        self.screen.close(), self.panes.close()

    def variables(self, name):
        return [f"{key}={value}" for key, value in self.environment(name).items()]

    def look(self):
        rows, cursor = self.screen.look()
        if self.begin is not None and (not self.frames or self.frames[-1][1:] != (rows, cursor)):
            self.frames.append((time.monotonic() - self.begin, rows, cursor))
        return rows, cursor

    def rest(self, seconds):
        """What happens meanwhile is recorded, too."""
        end = time.monotonic() + (0 if self.is_quick else seconds)
        while time.monotonic() < end:
            self.look()
            time.sleep(0.04)

    def say(self, who, text):
        pane, half = ("0", slice(0, 42)) if who == "jo" else ("1", slice(42, None))
        self.panes.run("select-pane", "-t", pane)
        for part in [text] if self.is_quick else text:
            self.panes.type(part, pane)
            self.rest(0.06)
        wait(self.look, [r"> .*" + re.escape(text[-12:])], pane=half)
        self.panes.press("Enter", pane)
        wait(self.look, [], [r"^ ?\w*> .*" + re.escape(text[-12:])], pane=half)
        self.rest(0.7)

    def mark(self, name, present, absent=()):
        """A marker of the recording, where both screens are as they have to be."""
        wait(self.look, present, ["is typing", *absent])
        self.markers.append((name, self.frames[-1][1]))

    def play(self):
        wait(self.look, [r"Alice's terminal"])
        wait(self.look, [r"online|TLS.*TLS"])
        self.begin = time.monotonic()
        self.rest(1)
        self.say("jo", "hi! do you have the photos?")
        self.say("alice", "yes, all of Sunday. They are coming")
        self.mark("chat", [r"✓✓ me: hi!", r"✓✓ me: yes"])
        self.say("alice", "/send sunday.zip")
        self.mark("offer", [r"OFFER"])
        self.rest(1)
        self.panes.run("select-pane", "-t", "0")
        self.panes.press("M-y", "0")
        self.rest(1.2)
        self.say("jo", "I can keep writing meanwhile")
        self.say("alice", "a line overtakes the file")
        self.mark("done", [r"done · on their disk", r"downloads/sunday\.zip"], [r"[↑↓] #1", r"is (?:here|accepted)", r"has #1"])
        self.say("jo", "got it, thank you!")
        self.say("alice", "see you on Monday")
        self.mark("end", [r"✓✓ me: got it", r"✓✓ me: see you"])


    def film(self):
        """The frames with their times: of several in a moment the last one, and nobody waits for long."""
        kept, at, before = [], 0, 0
        for seconds, rows, cursor in self.frames:
            at, before = at + min(seconds - before, 1.5), seconds
            if kept and at - kept[-1][0] < 0.09:
                kept[-1] = (kept[-1][0], rows, cursor)
            else:
                kept.append((at, rows, cursor))
        return kept


def cast(frames, markers):
    """asciicast 2: a header, then what the terminal gets, here the rows that have changed; a marker is where both screens rest."""
    header = {"version": 2, "width": COLUMNS, "height": FILM_ROWS, "title": "blipchat: two homes", "env": {"TERM": "xterm-256color"}}
    lines, before = [json.dumps(header)], [None] * FILM_ROWS
    for seconds, rows, cursor in frames:
        data = "".join(f"\x1b[{row + 1};1H{line}\x1b[m\x1b[K" for row, line in enumerate(rows) if line != before[row])
        data += f"\x1b[?25h\x1b[{cursor[1] + 1};{cursor[0] + 1}H" if cursor else "\x1b[?25l"
        lines.append(json.dumps([round(seconds, 2), "o", data], ensure_ascii=False))
        lines += [json.dumps([round(seconds, 2), "m", name]) for name, shown in markers if shown is rows]
        before = rows
    return "\n".join(lines) + "\n"


def replayed(text):
    """The frames of such a recording, and the rows at each marker."""
    frames, markers, rows = [], {}, [""] * FILM_ROWS
    for seconds, kind, data in map(json.loads, text.splitlines()[1:]):
        if kind == "m":
            markers[data] = rows
            continue
        rows = list(rows)
        for row, line in re.findall(r"\x1b\[(\d+);1H(.*?)\x1b\[m\x1b\[K", data):
            rows[int(row) - 1] = line
        cursor = re.search(r"\x1b\[\?25h\x1b\[(\d+);(\d+)H$", data)
        frames.append((seconds, rows, (int(cursor[2]) - 1, int(cursor[1]) - 1) if cursor else None))
    return frames, markers


def film(text):
    return terminal_svg.film(replayed(text)[0], COLUMNS, FILM_ROWS, "blipchat: two homes chat and send a file")


def masked(text):
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return text.rstrip()


def looks(drawn):
    """The words of a row with their colours. Those of names come from keys, which are new each time."""
    words = []
    for attributes, text in re.findall(r"<text [^>]*?(fill=[^>]*)>([^<]*)</text>", drawn):
        words += [word if word.rstrip(":") in NAMES else f"{attributes} {word}" for word in masked(text).split()]
    return words + re.findall(r"<(?:path|rect) [^>]*?(fill=[^>]*?)(?: d=|/>)", drawn)


def difference(old, new):
    """What the first row that differs is; `old` and `new` are rows as text and as SVG."""
    for row, (was, now) in enumerate(zip(old, new), 1):
        if masked(was[0]) != masked(now[0]):
            return f"row {row} is\n  {now[0]}\nand not\n  {was[0]}"
        if looks(was[1]) != looks(now[1]):
            return f"row {row} has other colours: {now[0].strip()}"
    return None if len(old) == len(new) else f"there are {len(new)} rows, not {len(old)}"


def rows_of(picture):
    """The rows of a picture, as text and as SVG."""
    words = html.unescape(re.search(r"<desc>\n(.*?)\n</desc>", picture, re.S)[1])
    return list(zip(words.split("\n"), re.findall(r"^<g>(.*)</g>$", picture, re.M)))


def drawn(rows):
    return [(terminal_svg.plain(row), terminal_svg.draw(row, 0)) for row in rows]


def compare(name, old, new):
    found = difference(old, new)
    if found:
        sys.exit(f"pictures.py: {name} is not of this program (make pictures): {found}")


def read(path):
    if not path.is_file():
        sys.exit(f"pictures.py: {path} is missing (make pictures)")
    return path.read_text()


def main(program, folder, is_check):
    if not shutil.which("tmux"):
        sys.exit("pictures.py: tmux is not installed (apt install tmux)")
    folder.mkdir(parents=True, exist_ok=True)
    # Always of the same length: it is in rows that are wrapped.
    home = pathlib.Path(tempfile.mkdtemp(prefix="blip", dir="/tmp"))
    try:
        for name, rows in stills(program, home):
            picture = terminal_svg.picture(rows, COLUMNS, ROWS, f"blipchat: {name}")
            if is_check:
                compare(f"{name}.svg", rows_of(read(folder / f"{name}.svg")), rows_of(picture))
            else:
                (folder / f"{name}.svg").write_text(picture)
        recorded = read(folder / "session.cast") if is_check else None
        if is_check and read(folder / "session.svg") != film(recorded):
            sys.exit("pictures.py: session.svg is not the film of session.cast (make pictures)")
        with Session(program, home, is_check) as session:
            session.play()
        if is_check:
            markers = replayed(recorded)[1]
            for name, rows in session.markers:
                compare(f"session.cast, marker {name}", drawn(markers.get(name, [])), drawn(rows))
        else:
            (folder / "session.cast").write_text(cast(session.film(), session.markers))
            (folder / "session.svg").write_text(film(read(folder / "session.cast")))
    finally:
        shutil.rmtree(home, ignore_errors=True)
    for path in sorted(folder.iterdir()):
        print(f"{path}: {'is current' if is_check else path.stat().st_size}")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 2:
        sys.exit(__doc__)
    main(os.path.realpath(words[0]), pathlib.Path(words[1]), "--check" in sys.argv)
