#!/usr/bin/env python3
"""Pictures of the screen, from the real program: runs `blipchat demo` in tmux, types what a person would, and writes what the terminal shows
as SVG, with its colours. Usage: pictures.py PROGRAM FOLDER. Needs tmux. Times and sizes in them are those of the run."""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

COLUMNS, ROWS, WIDTH, HEIGHT = 84, 22, 8.4, 18
BASE = ["#1d2733", "#e06c75", "#7fd1ae", "#f2c14e", "#6aa9e9", "#c792ea", "#56c5d0", "#d7dee6"]
BRIGHT = ["#66727f", "#ff8a94", "#9ff0cc", "#ffd76a", "#8fc4ff", "#dfb2ff", "#7be3ee", "#ffffff"]
# The name of each picture, what is typed before it (as tmux calls keys; a number waits so many seconds), and what it has to show then.
PICTURES = [
    ("chat", ["1", "hello echo, this is a first line", "Enter", "3", "and a second one", "Enter", "4"], "and a second one"),
    ("palette", ["M-x", "2"], "Commands"),
]


def color(number):
    """The colour of the palette of 256."""
    if number < 8:
        return BASE[number]
    if number < 16:
        return BRIGHT[number - 8]
    if number < 232:
        steps = [0, 95, 135, 175, 215, 255]
        number -= 16
        return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6])
    return "#" + "%02x" % (8 + (number - 232) * 10) * 3


def apply(codes, style):
    """SGR (ECMA-48 8.3.117): what the parameters change in a style."""
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style.clear()
        elif code in (1, 2, 4, 7):
            style[code] = True
        elif code == 22:
            style.pop(1, None), style.pop(2, None)
        elif code in (24, 27):
            style.pop(code - 20, None)
        elif code in (38, 48) and codes[:1] == [5]:
            style["text" if code == 38 else "ground"] = color(codes[1])
            del codes[:2]
        elif code in (39, 49):
            style.pop("text" if code == 39 else "ground", None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["text"] = color(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["ground"] = color(code - 40 if code < 100 else code - 92)


def svg(screen, title):
    """The rows that tmux prints, with their sequences."""
    size = f'{COLUMNS * WIDTH + 16:g} {ROWS * HEIGHT + 16}'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img">', f"<title>{html.escape(title)}</title>",
             '<rect width="100%" height="100%" rx="8" fill="#141b23"/>',
             '<g font-family="DejaVu Sans Mono, ui-monospace, monospace" font-size="14" xml:space="preserve">']
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        column, style = 0, {}
        for code, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", re.sub(r"\x1b[()].|\x0e|\x0f", "", line)):
            if not text:
                apply(code, style)
                continue
            width = sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text if not unicodedata.combining(one))
            x, y = 8 + column * WIDTH, 8 + row * HEIGHT
            front, ground = style.get("text", "#d7dee6"), style.get("ground")
            if style.get(7):
                front, ground = ground or "#141b23", front
            if ground:
                parts.append(f'<rect x="{x:g}" y="{y}" width="{width * WIDTH:g}" height="{HEIGHT}" fill="{ground}"/>')
            if text.strip():
                # Blanks at its ends count, too.
                shown = html.escape(text).replace(" ", "&#160;")
                more = ' font-weight="bold"' * bool(style.get(1)) + ' opacity="0.7"' * bool(style.get(2))
                more += ' text-decoration="underline"' * bool(style.get(4))
                parts.append(f'<text x="{x:g}" y="{y + 14}" textLength="{width * WIDTH:g}" fill="{front}"{more}>{shown}</text>')
            column += width
    return "\n".join(parts + ["</g>", "</svg>", ""])


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        socket = f"{home}/tmux"
        environment = {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "USER": "jo", "TERM": "xterm-256color", "TZ": "UTC"}

        def tmux(*words):
            return subprocess.run(["tmux", "-S", socket, *words], env=environment, check=True, capture_output=True, text=True).stdout

        tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "env", "TERM=screen-256color", program, "demo")
        tmux("set", "-g", "status", "off")
        try:
            time.sleep(3)
            for name, keys, wanted in PICTURES:
                for key in keys:
                    if key.isdigit():
                        time.sleep(int(key))
                    elif re.fullmatch(r"Enter|Escape|F\d|M-.", key):
                        tmux("send-keys", key)
                    else:
                        tmux("send-keys", "-l", key)
                screen = tmux("capture-pane", "-e", "-p")
                if wanted not in screen:
                    sys.exit(f"pictures.py: {name} does not show {wanted!r}:\n{tmux('capture-pane', '-p')}")
                (folder / f"{name}.svg").write_text(svg(screen, f"blipchat: {name}"))
                print(folder / f"{name}.svg")
        finally:
            subprocess.run(["tmux", "-S", socket, "kill-server"], env=environment, capture_output=True)


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(os.path.realpath(sys.argv[1]), sys.argv[2])
