#!/usr/bin/env python3
"""Writes the documentation of BLIPNet as pages that a browser opens from disk: make_site.py SWIFT MODULES FOLDER, the compiler and
the folder with the modules that it has built. docc makes an archive of the catalogue and the comments of the code; the pages are
made of its JSON, one for each article and for each type with all its members. (docc's own pages fetch their texts, which
browsers refuse without a server.) Fails when a link leads nowhere, or when the archive has something that no page would show."""
import html
import json
import pathlib
import re
import shutil
import sys
import tempfile
import urllib.parse

import symbol_graph

ROOT = "/documentation/blipnet"
KEYWORDS = set("""actor any as associatedtype async await borrowing break case catch class consuming continue default defer deinit do else
enum extension false fileprivate final for func guard if import in indirect init inout internal is isolated let mutating nil
nonisolated nonmutating open operator override package precedencegroup private protocol public repeat rethrows return self Self
sending some static struct subscript super switch throw throws true try typealias unowned var weak where while""".split())
MARKERS = r"\b(SendableMetatype|Copyable|Escapable|BitwiseCopyable)\b"
STYLE = """\
:root { color-scheme: light dark; --ink: #1d2328; --dim: #5c6872; --line: #dde2e6; --paper: #fff; --soft: #f4f6f8; --link: #0b5cad;
  --mark: #e7f0fa; --word: #9a2a8c; --text: #a3352a; --note: #5f7280; --type: #1f6f6b; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5ea; --dim: #98a5b0; --line: #323a41; --paper: #15191c; --soft: #1e2429;
  --link: #74b3f2; --mark: #1f3246; --word: #e08bd3; --text: #f0958a; --note: #8b9ba8; --type: #7fd0c8; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); color: var(--ink); background: var(--paper);
  font: 16px/1.6 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .declaration { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .875em; }
pre code { font-size: 1em; }
p code, li code, td code, h4 code { background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem; border-right: 1px solid var(--line);
  background: var(--soft); font-size: .875rem; line-height: 1.5; }
nav .home { font-size: 1.15rem; font-weight: 650; color: var(--ink); }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .75rem; letter-spacing: .04em; text-transform: uppercase; color: var(--dim); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .1rem .4rem; border-radius: 4px; color: var(--ink);
  overflow-wrap: anywhere; }
nav li a:hover { background: var(--mark); text-decoration: none; }
nav [aria-current] { background: var(--mark); color: var(--link); font-weight: 600; }
nav input { width: 100%; margin-top: .75rem; padding: .35rem .5rem; border: 1px solid var(--line); border-radius: 6px; font: inherit;
  background: var(--paper); color: var(--ink); }
nav small { color: var(--dim); }
main { padding: 2rem 2.5rem 6rem; max-width: 60rem; }
.kind { margin: 0; color: var(--dim); font-size: .875rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.35rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.1rem; } h4 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
.abstract { font-size: 1.1rem; color: var(--ink); margin: .25rem 0 1rem; }
.declaration, pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; margin: .75rem 0; }
.declaration { white-space: pre-wrap; padding-left: 3rem; text-indent: -2rem; overflow-wrap: anywhere; line-height: 1.5; }
pre { overflow-x: auto; line-height: 1.5; }
.k { color: var(--word); } .s { color: var(--text); } .c { color: var(--note); font-style: italic; } .t { color: var(--type); }
pre a, .declaration a { color: var(--type); }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; } th, td { border: 1px solid var(--line);
  padding: .4rem .7rem; text-align: left; vertical-align: top; } th { background: var(--soft); } td p, th p { margin: 0; }
td code { overflow-wrap: normal; }
dl.topics { margin: .5rem 0; }
dl.topics dt { margin-top: .6rem; font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace;
  font-size: .875em; overflow-wrap: anywhere; }
dl.topics dt.article { font: inherit; font-weight: 600; } dl.topics dd { margin: 0 0 0 1.25rem; color: var(--dim); }
dl.topics p { margin: 0; }
.member { padding: .25rem 0 .5rem; } .member + .member { border-top: 1px solid var(--line); }
.member > .declaration { margin-top: .75rem; } .member p { margin: .4rem 0; }
.member:target > .declaration { border-color: var(--link); background: var(--mark); }
.nested { margin-left: .25rem; padding-left: 1.25rem; border-left: 3px solid var(--line); }
.facts { color: var(--dim); font-size: .9rem; margin: .4rem 0; } .facts code { background: none; padding: 0; }
dl.parameters dt { font-weight: 600; } dl.parameters dd { margin: 0 0 .4rem 1.25rem; } dl.parameters p { margin: 0; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0;
  border-bottom: 1px solid var(--line); } main { padding: 1.25rem 1rem 4rem; } }
@media print { nav { display: none; } body { display: block; } }
"""
SCRIPT = """\
// Finds symbols by their names, in the box of the sidebar.
const box = document.querySelector("nav input"), found = document.querySelector("#found"), all = document.querySelector("#all");
box.hidden = false;
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(word => word);
  all.hidden = words.length > 0;
  found.replaceChildren();
  if (!words.length) return;
  const score = entry => entry[0].toLowerCase().startsWith(words[0]) ? 0 : entry[2].toLowerCase().startsWith(words[0]) ? 1 : 2;
  const hits = NAMES.filter(entry => words.every(word => (entry[2] + "." + entry[0]).toLowerCase().includes(word)));
  hits.sort((a, b) => score(a) - score(b) || a[0].length - b[0].length);
  for (const [title, link, owner] of hits.slice(0, 60)) {
    const row = document.createElement("li"), anchor = document.createElement("a"), note = document.createElement("small");
    anchor.href = link; anchor.textContent = title + " "; note.textContent = owner;
    anchor.append(note); row.append(anchor); found.append(row);
  }
  if (!hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "nothing has this name" }));
});
"""


class Site:
    """The pages, as they grow. A page is a file; a place on it has an anchor."""

    def __init__(self, archive):
        self.pages, self.names, self.faults = {}, [], []
        for file in (archive / "data").rglob("*.json"):
            page = json.loads(file.read_text())
            self.pages[self.path_of(page["identifier"]["url"]).lower()] = page
        self.landing = self.pages[ROOT]
        self.references = {}
        for page in self.pages.values():
            self.references.update(page["references"])
        self.files, self.anchors, self.links = {}, {}, []
        # Types by name, for the listings.
        self.types = {page["metadata"]["title"]: path for path, page in self.pages.items()
                      if path.count("/") == 3 and page["kind"] == "symbol"}

    @staticmethod
    def path_of(identifier):
        return "/" + identifier.split("://", 1)[1].split("/", 1)[1]

    # MARK: Links

    def place(self, path):
        """The file and the anchor of a path of docc; None where no page shows it."""
        path, _, fragment = path.partition("#")
        path = path.lower()
        if path == ROOT:
            return "index.html", fragment
        if path not in self.pages or self.is_group(self.pages[path]):
            return None
        first, _, rest = path.removeprefix(ROOT + "/").partition("/")
        return f"{first}.html", rest or fragment

    @staticmethod
    def is_group(page):
        """Members that come from a protocol of the standard library: docc collects them on pages of their own."""
        return page["metadata"].get("role") == "collectionGroup"

    def link(self, path, label):
        """A link, or only its label where there is nothing to show."""
        place = self.place(path)
        if place is None:
            return label
        file, anchor = place
        self.links.append((self.current, file, anchor))
        return f'<a href="{html.escape(self.address(file, anchor))}">{label}</a>'

    @staticmethod
    def address(file, anchor):
        return urllib.parse.quote(file) + ("#" + urllib.parse.quote(anchor) if anchor else "")

    # MARK: Texts

    def inline(self, parts):
        out = ""
        for part in parts:
            kind = part["type"]
            if kind == "text":
                out += html.escape(part["text"])
            elif kind == "codeVoice":
                code = html.escape(part["code"]).replace("/", "/<wbr>")
                file = self.place(self.types[part["code"]])[0] if part["code"] in self.types else self.current
                out += f"<code>{code}</code>" if file == self.current else self.link(self.types[part["code"]], f"<code>{code}</code>")
            elif kind in ("strong", "emphasis"):
                tag = {"strong": "strong", "emphasis": "em"}[kind]
                out += f'<{tag}>{self.inline(part["inlineContent"])}</{tag}>'
            elif kind == "reference":
                out += self.reference(part["identifier"])
            else:
                self.faults.append(f"{self.current}: a text of the kind {kind}")
        return out

    def reference(self, identifier):
        one = self.references[identifier]
        if one["type"] == "link":
            return f'<a href="{html.escape(one["url"])}">{html.escape(one["title"])}</a>'
        if one["type"] != "topic":
            return f'<code>{html.escape(one["title"])}</code>'
        title = html.escape(one["title"])
        return self.link(one["url"], f"<code>{title}</code>" if one["kind"] == "symbol" else title)

    def blocks(self, content, level=2):
        out = []
        for block in content:
            kind = block["type"]
            if kind == "paragraph":
                out.append(f'<p>{self.inline(block["inlineContent"])}</p>')
            elif kind == "heading":
                # Within a member headings are small.
                depth = min(block["level"] + level - 2, 6)
                place = self.identifier(block["anchor"]) if level == 2 else ""
                out.append(f'<h{depth}{place}>{html.escape(block["text"])}</h{depth}>')
            elif kind == "codeListing":
                code = "\n".join(block["code"])
                out.append(f'<pre><code>{self.swift(code) if block["syntax"] == "swift" else html.escape(code)}</code></pre>')
            elif kind in ("unorderedList", "orderedList"):
                tag = "ul" if kind == "unorderedList" else "ol"
                items = "".join(f'<li>{self.tight(item["content"], level)}</li>' for item in block["items"])
                out.append(f"<{tag}>{items}</{tag}>")
            elif kind == "table":
                out.append(self.table(block, level))
            elif kind == "aside":
                out.append(f'<blockquote><strong>{html.escape(block["name"])}</strong>{self.blocks(block["content"], level)}</blockquote>')
            else:
                self.faults.append(f"{self.current}: a block of the kind {kind}")
        return "\n".join(out)

    def tight(self, content, level):
        """One paragraph without its mark."""
        if len(content) == 1 and content[0]["type"] == "paragraph":
            return self.inline(content[0]["inlineContent"])
        return self.blocks(content, level)

    def table(self, block, level):
        rows = []
        for index, row in enumerate(block["rows"]):
            tag = "th" if index == 0 and block["header"] in ("row", "both") else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{self.tight(cell, level)}</{tag}>" for cell in row) + "</tr>")
        return "<table>" + "\n".join(rows) + "</table>"

    def swift(self, code):
        """A listing, with types of the library as links."""
        out, at = "", 0
        for match in re.finditer(r'(?P<c>//[^\n]*)|(?P<s>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*")|(?P<w>[@#]?\b[A-Za-z_]\w*)', code):
            out += html.escape(code[at:match.start()])
            at = match.end()
            text = html.escape(match.group())
            if match["c"] or match["s"]:
                out += f'<span class="{"c" if match["c"] else "s"}">{text}</span>'
            elif text in self.types:
                out += self.link(self.types[text], text)
            elif text in KEYWORDS:
                out += f'<span class="k">{text}</span>'
            elif text[0].isupper():
                out += f'<span class="t">{text}</span>'
            else:
                out += text
        return out + html.escape(code[at:])

    def identifier(self, anchor):
        """The attribute that makes an element a place that links lead to."""
        self.anchors.setdefault(self.current, set()).add(anchor)
        return f' id="{html.escape(anchor)}"'

    # MARK: Symbols

    def declaration(self, page):
        out = ""
        for section in page.get("primaryContentSections", []):
            for one in section.get("declarations", []):
                for token in one["tokens"]:
                    text = html.escape(token["text"])
                    if "identifier" in token and token["identifier"] in self.references:
                        text = self.link(self.references[token["identifier"]]["url"], text)
                    elif token["kind"] in ("keyword", "attribute"):
                        text = f'<span class="k">{text}</span>'
                    elif token["kind"] == "typeIdentifier":
                        text = f'<span class="t">{text}</span>'
                    out += text
        return f'<div class="declaration">{out}</div>'

    def discussion(self, page, level):
        """Everything that is said of a symbol but its members."""
        out = []
        if page.get("abstract"):
            mark = ' class="abstract"' if level == 2 else ""
            out.append(f'<p{mark}>{self.inline(page["abstract"])}</p>')
        if page["kind"] == "symbol" and page["metadata"]["symbolKind"] != "module":
            out.insert(0 if level > 2 else 1, self.declaration(page))
        for section in page.get("primaryContentSections", []):
            if section["kind"] == "content":
                # "Overview" and "Discussion" are docc's words, without a meaning.
                content = [block for block in section["content"]
                           if not (block["type"] == "heading" and block["text"] in ("Overview", "Discussion"))]
                out.append(self.blocks(content, level))
            elif section["kind"] == "parameters":
                rows = "".join(f'<dt><code>{html.escape(one["name"])}</code></dt><dd>{self.blocks(one["content"], level)}</dd>'
                               for one in section["parameters"])
                out.append(f'<dl class="parameters">{rows}</dl>')
            elif section["kind"] not in ("declarations", "mentions"):
                self.faults.append(f"{self.current}: a section of the kind {section['kind']}")
        for section in page.get("relationshipsSections", []):
            # Every type conforms to the markers.
            names = [self.reference(identifier) for identifier in section["identifiers"]]
            names = ", ".join(re.sub(r">(Swift|_Concurrency)\.", ">", name) for name in names if not re.search(MARKERS, name))
            if not names:
                continue
            title = {"Conforms To": "Conforms to", "Conforming Types": "Types", "Inherited By": "Inherited by",
                     "Inherits From": "Inherits from"}.get(section["title"], section["title"])
            out.append(f'<p class="facts">{title}: {names}</p>')
        mentions = [identifier for section in page.get("primaryContentSections", []) for identifier in section.get("mentions", [])]
        if mentions:
            out.append(f'<p class="facts">More in: {", ".join(map(self.reference, dict.fromkeys(mentions)))}</p>')
        return "\n".join(out)

    def groups(self, page):
        """The groups of members, as (title, pages). What is inherited from the standard library is left out."""
        for section in page.get("topicSections", []):
            members = []
            for identifier in section["identifiers"]:
                member = self.pages[self.path_of(identifier).lower()]
                if not self.is_group(member):
                    members.append(member)
            if members:
                yield section["title"], members

    def members(self, page, level):
        """All members of a type, each in full; types within it with theirs."""
        out = []
        for title, members in self.groups(page):
            out.append(f"<h{level}>{html.escape(title)}</h{level}>")
            for member in members:
                path = self.path_of(member["identifier"]["url"]).lower()
                anchor = self.place(path)[1]
                owner = self.references[page["identifier"]["url"]]["title"]
                self.names.append((member["metadata"]["title"], self.address(*self.place(path)), owner))
                out.append(f'<section class="member"{self.identifier(anchor)}>')
                out.append(self.discussion(member, level=4))
                nested = self.members(member, min(level + 1, 5))
                if nested:
                    out.append(f'<div class="nested">{nested}</div>')
                out.append("</section>")
        return "\n".join(out)

    def topics(self, page):
        """The groups of the landing page, with what each entry is."""
        out = []
        for title, members in self.groups(page):
            out.append(f'<h2>{html.escape(title)}</h2><dl class="topics">')
            for member in members:
                path = self.path_of(member["identifier"]["url"]).lower()
                mark = ' class="article"' if member["kind"] == "article" else ""
                out.append(f'<dt{mark}>{self.link(path, html.escape(member["metadata"]["title"]))}</dt>'
                           f'<dd>{self.inline(member.get("abstract", []))}</dd>')
            out.append("</dl>")
        return "\n".join(out)

    # MARK: Pages

    def sidebar(self):
        out = [f'<nav aria-label="All pages"><a class="home" href="index.html">BLIPNet</a>'
               '<input type="search" placeholder="Find a name" aria-label="Find a name" hidden><ul id="found"></ul><div id="all">']
        for title, members in self.groups(self.landing):
            out.append(f"<h2>{html.escape(title)}</h2><ul>")
            for member in members:
                file, _ = self.place(self.path_of(member["identifier"]["url"]))
                mark = ' aria-current="page"' if file == self.current else ""
                out.append(f'<li><a href="{html.escape(file)}"{mark}>{html.escape(member["metadata"]["title"])}</a></li>')
            out.append("</ul>")
        return "".join(out) + "</div></nav>"

    def write(self, page):
        path = self.path_of(page["identifier"]["url"]).lower()
        self.current, _ = self.place(path)
        title = page["metadata"]["title"]
        is_landing = path == ROOT
        kind = page["metadata"].get("roleHeading", "Article")
        kind = "Library" if is_landing else "Actor" if "<span class=\"k\">actor" in self.declaration(page) else kind
        body = [f'<p class="kind">{html.escape(kind)}</p>',
                f"<h1>{html.escape(title)}</h1>", self.discussion(page, level=2)]
        body.append(self.topics(page) if is_landing else self.members(page, 2))
        if not is_landing:
            self.names.append((title, self.address(self.current, ""), kind.lower()))
        head = f'<title>{html.escape(title if is_landing else title + " · BLIPNet")}</title>'
        self.files[self.current] = (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1">{head}<link rel="stylesheet" href="style.css"></head>\n<body>{self.sidebar()}\n<main>\n'
            + "\n".join(body) + '\n</main><script src="names.js"></script><script src="search.js"></script></body></html>\n')

    def make(self):
        self.write(self.landing)
        for _, members in self.groups(self.landing):
            for member in members:
                self.write(member)
        self.files["style.css"], self.files["search.js"] = STYLE, SCRIPT
        self.files["names.js"] = "const NAMES = " + json.dumps(sorted(self.names), ensure_ascii=False) + ";\n"
        for source, file, anchor in self.links:
            if file not in self.files or (anchor and anchor not in self.anchors.get(file, set())):
                self.faults.append(f"{source}: a link to {self.address(file, anchor)}, which is not there")


def main():
    swift, modules, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as temporary:
        graphs, archive = pathlib.Path(temporary) / "graphs", pathlib.Path(temporary) / "archive"
        try:
            symbol_graph.extract(swift, modules, graphs)
            symbol_graph.convert(swift, graphs, archive)
        except symbol_graph.ToolFailure as failure:
            sys.exit(str(failure))
        site = Site(archive)
    site.make()
    for fault in dict.fromkeys(site.faults):
        print(fault)
    if site.faults:
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in site.files.items():
        (folder / name).write_text(text)
    pages = sum(name.endswith(".html") for name in site.files)
    print(f"{pages} pages, {len(site.names)} names, {len(site.links)} links: {folder}/index.html")


if __name__ == "__main__":
    main()
