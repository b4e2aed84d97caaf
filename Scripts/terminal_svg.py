"""What a terminal shows, as SVG: one picture, or a film of frames that needs no script (CSS keyframes, in a loop). Lines and blocks are
drawn, not written, so that they meet in every font. Each row is a line of the file, and the text is in <desc>, for screen readers and
for Scripts/pictures.py, which compares them. For readers that take no animation a film is its last frame."""
import html
import re
import unicodedata

WIDTH, HEIGHT, MARGIN = 8.4, 18, 8
FRONT, GROUND = "#d7dee6", "#141b23"
BASE = ["#1d2733", "#e06c75", "#7fd1ae", "#f2c14e", "#6aa9e9", "#c792ea", "#56c5d0", "#d7dee6"]
BRIGHT = ["#66727f", "#ff8a94", "#9ff0cc", "#ffd76a", "#8fc4ff", "#dfb2ff", "#7be3ee", "#ffffff"]
# Lines, by where they go from the middle of their cell; blocks, by the part of their cell: left, top, width, height.
LINES = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "udr", "┤": "udl", "┬": "lrd", "┴": "lru", "┼": "lrud"}
BLOCKS = {"▀": (0, 0, 1, 0.5), "▄": (0, 0.5, 1, 0.5), "█": (0, 0, 1, 1), "▐": (0.5, 0, 0.5, 1)}
BLOCKS |= {chr(0x2590 - eighth): (0, 0, eighth / 8, 1) for eighth in range(1, 8)}
SGR = re.compile(r"\x1b\[([0-9;]*)m|([^\x1b]+)")


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
        elif code in (38, 48) and codes[:1] == [2]:
            style["text" if code == 38 else "ground"] = "#%02x%02x%02x" % tuple(codes[1:4])
            del codes[:4]
        elif code in (39, 49):
            style.pop("text" if code == 39 else "ground", None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["text"] = color(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["ground"] = color(code - 40 if code < 100 else code - 92)


def lines(screen):
    """The rows that tmux prints. It carries a style from one row into the next; here each row has its own. Links are left out."""
    found, carried = [], ""
    for line in re.sub(r"\x1b[()].|\x0e|\x0f|\x1b\]8;[^\x1b\x07]*(?:\x07|\x1b\\)", "", screen).split("\n"):
        found.append(carried + line)
        for codes in re.findall(r"\x1b\[([0-9;]*)m", line):
            carried = ("" if codes.split(";")[0] in ("", "0") else carried) + f"\x1b[{codes}m"
        carried = "" if carried in ("\x1b[m", "\x1b[0m") else carried
    return found


def sequences(line):
    """The parameters of SGR and the texts of a row."""
    return SGR.findall(line)


def plain(line):
    return "".join(text for _, text in sequences(line)).rstrip()


def cells(line):
    """(column, character, its width, (colour, ground, bold, dim, underlined)) of a row; combining characters go with their base."""
    found, column, style = [], 0, {}
    for codes, text in sequences(line):
        if not text:
            apply(codes, style)
        front, ground = style.get("text", FRONT), style.get("ground")
        if style.get(7):
            front, ground = ground or GROUND, front
        look = (front, ground, style.get(1, False), style.get(2, False), style.get(4, False))
        for one in text:
            if unicodedata.combining(one) and found:
                at, before, width, _ = found[-1]
                found[-1] = (at, before + one, width, look)
                continue
            width = 2 if unicodedata.east_asian_width(one) in "WF" else 1
            found.append((column, one, width, look))
            column += width
    return found


def grouped(row, key):
    """Neighbours with the same key that is not None: (key, first column, their cells)."""
    groups = []
    for cell in row:
        one = key(cell)
        if groups and groups[-1][0] == one and groups[-1][1] is not None:
            groups[-1][2].append(cell)
        else:
            groups.append((one, cell[0], [cell]))
    return [group for group in groups if group[0] is not None]


def attributes(look):
    front, _, bold, dim, underlined = look
    more = ' font-weight="bold"' * bold + ' opacity="0.7"' * dim + ' text-decoration="underline"' * underlined
    return f'fill="{front}"{more}'


def shape(column, one, y):
    """The rectangles of a line or a block, as a path."""
    x = MARGIN + column * WIDTH
    if one in BLOCKS:
        left, top, width, height = BLOCKS[one]
        rectangles = [(x + left * WIDTH, y + top * HEIGHT, width * WIDTH, height * HEIGHT)]
    else:
        middle, half = x + WIDTH / 2, y + HEIGHT / 2
        parts = {"l": (x, half - 0.5, WIDTH / 2 + 0.5, 1), "r": (middle - 0.5, half - 0.5, WIDTH / 2 + 0.5, 1),
                 "u": (middle - 0.5, y, 1, HEIGHT / 2 + 0.5), "d": (middle - 0.5, half - 0.5, 1, HEIGHT / 2 + 0.5)}
        rectangles = [parts[part] for part in LINES[one]]
    return rectangles


def path(rectangles):
    """One path; rectangles side by side become one."""
    joined = []
    for x, y, width, height in rectangles:
        last = joined[-1] if joined else None
        if last and last[1] == y and last[3] == height and abs(x - last[0] - last[2]) < 1.01:
            last[2] = x + width - last[0]
        else:
            joined.append([x, y, width, height])
    return "".join(f"M{x:.6g} {y:g}h{width:.6g}v{height:g}h{-width:.6g}z" for x, y, width, height in joined)


def draw(line, y, cursor=None):
    """The elements of a row. `cursor`: its column, when it is in this row."""
    row, parts = cells(line), []
    for ground, column, ones in grouped(row, lambda cell: cell[3][1]):
        width = sum(one[2] for one in ones) * WIDTH
        parts.append(f'<rect x="{MARGIN + column * WIDTH:.6g}" y="{y}" width="{width:.6g}" height="{HEIGHT}" fill="{ground}"/>')
    is_drawn = lambda cell: cell[1] in LINES or cell[1] in BLOCKS
    for look, _, ones in grouped(row, lambda cell: cell[3] if is_drawn(cell) else None):
        rectangles = [rectangle for column, one, _, _ in ones for rectangle in shape(column, one, y)]
        parts.append(f'<path {attributes(look)} d="{path(rectangles)}"/>')
    for look, _, ones in grouped(row, lambda cell: None if is_drawn(cell) else cell[3]):
        # Renderers differ about several blanks in a row: what they separate is placed on its own.
        text = "".join(one[1][0] for one in ones)
        for words in re.finditer(r"\S+(?: \S+)*", text):
            shown = ones[words.start():words.end()]
            width = sum(one[2] for one in shown) * WIDTH
            written = html.escape("".join(one[1] for one in shown))
            parts.append(f'<text x="{MARGIN + shown[0][0] * WIDTH:.6g}" y="{y + 13}" textLength="{width:.6g}" '
                         f'{attributes(look)}>{written}</text>')
    if cursor is not None:
        parts.append(f'<rect x="{MARGIN + cursor * WIDTH:.6g}" y="{y + 1}" width="{WIDTH}" height="{HEIGHT - 2}" fill="{FRONT}" opacity="0.75"/>')
    return "".join(parts)


def frame(columns, rows, title, shown, body, style=""):
    """A whole file: the ground, the text of the rows as its description, and the elements."""
    size = f"{columns * WIDTH + 2 * MARGIN:g} {rows * HEIGHT + 2 * MARGIN}"
    words = html.escape("\n".join(plain(line) for line in shown), quote=False)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img">', f"<title>{html.escape(title)}</title>",
        f"<desc>\n{words}\n</desc>", *([f"<style>{style}</style>"] if style else []),
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        '<g font-family="DejaVu Sans Mono, ui-monospace, Menlo, Consolas, monospace" font-size="14">', *body, "</g>", "</svg>", ""])


def picture(shown, columns, rows, title):
    """One screen, as its rows."""
    body = [f"<g>{draw(line, MARGIN + row * HEIGHT)}</g>" for row, line in enumerate(shown)]
    return frame(columns, rows, title, shown, body)


def film(frames, columns, rows, title, rest=4):
    """`frames`: (seconds, rows, cursor as (column, row) or None), the first at 0. The last one rests for some seconds."""
    whole = frames[-1][0] + rest
    body, times = [], {}
    for row in range(rows):
        # What this row shows, and from when to when.
        states = []
        for seconds, shown, cursor in frames:
            line = shown[row]
            state = draw(line, MARGIN + row * HEIGHT, cursor[0] if cursor and cursor[1] == row else None)
            if not states or states[-1][0] != state:
                states.append((state, seconds))
        ends = [start for _, start in states[1:]] + [whole]
        spans = {}
        for (state, start), end in zip(states, ends):
            spans.setdefault(state, []).append((start, end))
        last = states[-1][0]
        body.append("<g>")
        for state, intervals in spans.items():
            if not state:
                continue
            if intervals == [(0, whole)]:
                body.append(state)
                continue
            name = times.setdefault((tuple(intervals), state == last), f"k{len(times)}")
            body.append(f'<g class="{name}">{state}</g>')
        body.append("</g>")
    # Hidden and shown as by a switch: no step between them. The base of each is what the last frame shows.
    style = [f"g[class]{{animation:{whole:.2f}s step-end infinite;visibility:hidden}}"]
    for (intervals, is_last), name in times.items():
        steps = [(0, "hidden")] if intervals[0][0] > 0 else []
        for start, end in intervals:
            steps += [(start, "visible"), (end, "hidden")]
        keys = "".join(f"{at / whole * 100:.5g}%{{visibility:{what}}}" for at, what in steps if at < whole)
        style.append(f"@keyframes {name}{{{keys}}}g.{name}{{animation-name:{name}{';visibility:visible' * is_last}}}")
    style.append("@media(prefers-reduced-motion:reduce){g[class]{animation-name:none!important}}")
    return frame(columns, rows, title, frames[-1][1], body, "".join(style))
