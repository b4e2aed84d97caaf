#!/usr/bin/env python3
"""Compares the schemas of Docs/schema with what the program prints: the fields of each record are those of the Swift code that
makes it and those of Docs/scripting.md, optional where they may be missing there, null where they may be null; the words of an
enum are its cases; the records that the page calls complete take no other fields; calls, events and errors of the control socket
are the cases of their enums. Prints each fault; exits 1 when there is one."""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = "Docs/scripting.md"
faults = []

# Objects within records, by the function or the value that makes them.
INNER = {"reactions": "reaction", "mapping": "mapping", "onion": "onion", "relay": "relay", "record": "peer"}
# Folders whose `.record([...])` are records of commands.
PRINTING = ("Sources/blipchat/", "Sources/ChatHost/Records/", "Sources/ChatHost/Doctor/", "Sources/ChatHost/Export/")
# Words: schema, the place in it, and where its cases are: a file, and an enum or the first words of a function.
WORDS = [
    ("records", "delivery", "Sources/ChatHost/Records/Records.swift", "func word(_ state: DeliveryState)"),
    ("records", "link_state", "Sources/ChatHost/Records/Records.swift", "func word(_ link: LinkState)"),
    ("records", "trust", "Sources/ChatHost/Records/Records.swift", "func word(_ trust: PeerTrust)"),
    ("records", "limit/scope", "Sources/ChatHost/Records/Records.swift", "func word(_ scope: RateScope)"),
    ("records", "event", "Sources/blipchat/Output/MessageNews.swift", "enum Event"),
    ("records", "transfer_state", "Sources/ChatCore/Model/FileTransfer.swift", "enum State"),
    ("records", "nearby_state", "Sources/ChatCore/Ports/NeighbourFinding.swift", "enum NeighbourState"),
    ("records", "file/direction", "Sources/ChatCore/Model/ChatMessage.swift", "enum MessageDirection"),
    ("records", "export/format", "Sources/ChatHost/Export/ExportFormat.swift", "enum ExportFormat"),
    ("records", "mapping/way", "Sources/BLIPNet/Mapping/PortQuestion.swift", "enum MappingWay"),
    ("records", "trial/way", "Sources/ChatCore/Reach/ReachReport.swift", "enum Way"),
    ("records", "route/class", "Sources/ChatCore/Reach/Route.swift", "enum RouteClass"),
    ("records", "route/from", "Sources/ChatCore/Model/PeerAddress.swift", "enum Origin"),
    ("records", "route/standing", "Sources/ChatCore/Reach/ReachReport.swift", "enum Standing"),
    ("records", "check/verdict", "Sources/ChatHost/Doctor/Examination.swift", "enum Verdict"),
    ("export", "direction", "Sources/ChatCore/Model/ChatMessage.swift", "enum MessageDirection"),
    ("socket", "chat/until", "Sources/ChatHost/Attached/SessionGreeting.swift", "enum ChatEnd"),
]
# What goes over the control socket: a definition of socket.json, its Swift enum and the file.
CODED = [
    ("asked", "AnyCall", "Sources/ChatCore/Calls/AnyCall.swift"),
    ("happened", "ChatEvent", "Sources/ChatCore/Ports/ChatService.swift"),
    ("refused", "ChatError", "Sources/ChatCore/Ports/ChatService.swift"),
]
# How Swift types are coded there; of others the schema says nothing.
TYPES = {"String": "string", "Bool": "boolean", "ContactID": "integer", "MessageID": "string", "Timestamp": "integer",
         "Int": "integer", "Int32": "integer", "Int64": "integer"}
# Definitions that two schemas have in common.
SHARED = ["time", "reason_code", "delivery", "transfer_state", "trust"]


def closing(text, start):
    """The place of the bracket that closes the one at `start`; brackets in strings do not count."""
    depth, index = 0, start
    while index < len(text):
        if text[index] == '"':
            index = end_of_string(text, index)
            continue
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
        index += 1
    raise ValueError("a bracket is not closed")


def end_of_string(text, start):
    index = start + 1
    while text[index] != '"':
        if text.startswith("\\(", index):
            index = closing(text, index + 1)
        elif text[index] == "\\":
            index += 1
        index += 1
    return index + 1


def members(text):
    """The members of a literal without its brackets, in their order: name and expression."""
    parts, start, index = [], 0, 0
    while index <= len(text):
        if index == len(text) or text[index] == ",":
            parts.append(text[start:index])
            start = index + 1
        elif text[index] == '"':
            index = end_of_string(text, index)
            continue
        elif text[index] in "([{":
            index = closing(text, index)
        index += 1
    found = (re.match(r'\s*"(\w+)"\s*:\s*(.*)', part, re.S) for part in parts if part.strip())
    return [(match[1], " ".join(match[2].split())) for match in found]


def is_optional(expression, text):
    """Whether an expression of the type `JSONValue?` may be nil; a function is looked up in the file around it."""
    if re.search(r"\?\? \.null$", expression) or re.match(r'(\.\w+\(|"|\d)', expression):
        return False
    if re.search(r"[?:] nil\b", expression):
        return True
    call = re.match(r"(?:Self\.)?(\w+)\(", expression)
    function = re.search(rf"func {call[1]}\([^)]*\) -> JSONValue(\??)", text) if call else None
    if function:
        return function[1] == "?"
    if re.search(r"\.(map|flatMap)\b", expression):
        return True
    # A choice between two values, or a value of the file itself.
    return not re.search(r" : |^\w+$", expression)


def made():
    """What the sources make: the type of a record, or "inner NAME", to its literals, each a list of (name, optional, null)."""
    found = {}
    for path in sorted((root / "Sources").rglob("*.swift")):
        name = str(path.relative_to(root))
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        if not name.startswith(PRINTING):
            if '"type": "' in text:
                faults.append(f"{name}: makes a record, but is in no folder that Scripts/check_schema.py reads")
            continue
        for match in re.finditer(r"\.record\(\[", text):
            literal = members(text[match.end():closing(text, match.end() - 1)])
            fields = [(key, is_optional(value, text), ".null" in value) for key, value in literal]
            kind = dict(literal).get("type")
            if kind is None:
                owner = re.findall(r"\b(?:func (\w+)|var (\w+): \w+ \{)", text[:match.start()])[-1]
                owner = owner[0] or owner[1]
                if owner not in INNER:
                    faults.append(f"{name}: {owner} makes an object that is neither a record nor in INNER")
                kinds = [f"inner {INNER.get(owner)}"]
            elif quoted := re.search(r'"([\w-]+)"', kind):
                kinds = [quoted[1]]
            else:
                # The caller names it.
                kinds = re.findall(r'\bprint\("([\w-]+)"', text)
            for one in kinds:
                place = "export " if name.endswith("JSONExport.swift") else ""
                found.setdefault(place + one, []).append(fields)
    return found


def added(name, pattern):
    """The fields that a function adds one by one."""
    text = (root / name).read_text()
    return [(match[1], not match[2].startswith(("1", '"', ".")), False) for match in re.finditer(pattern, text)]


def exported(found):
    """The records of an export: JSONExport makes some by literals, others field by field, and adds to those of the commands."""
    name = "Sources/ChatHost/Export/JSONExport.swift"
    text = (root / name).read_text()
    begin = text.index("static func members(of")
    fields = [
        (match.start(), (match[1], not re.match(r'[\d".]', match[2]), False))
        for match in re.finditer(r'\badd\("(\w+)", ([^\n]*)', text)
    ]
    text_fields = {"text", "first_text"}
    common = [field for place, field in fields if place < begin and field[0] not in text_fields]
    texts = [field for place, field in fields if field[0] in text_fields]
    # After `guard let place` there is nothing for a file of no folder.
    guard = text.index("guard let place", begin)
    files = [(field[0], field[1] or place > guard, field[2]) for place, field in fields if place > begin]
    kinds = {key.removeprefix("export "): value for key, value in found.items() if key.startswith("export ")}
    kinds["message"], kinds["file"] = [unique(common + texts)], [unique(common + files)]
    # A contact is that of the commands without what only they say.
    plain = [field for field in found["contact"][0] if field[0] not in ("looks_like", "removed")]
    settings = added("Sources/ChatHost/Export/ContactSettings.swift", r'init\(name: "(\w+)", value: (.)')
    kinds["contact"] = [plain + [(field[0], True, False) for field in settings]]
    return kinds


def unique(fields):
    return list({field[0]: field for field in fields}.values())


def merged(literals):
    """Field to (optional, null), over all literals that make the same record."""
    names = {field[0] for literal in literals for field in literal}
    fields = {}
    for name in names:
        here = [field for literal in literals for field in literal if field[0] == name]
        is_sometimes = len(here) < len(literals) or any(field[1] for field in here)
        fields[name] = (is_sometimes, any(field[2] for field in here))
    return fields


def documented():
    """The fields of each record by the page, each with whether it may be missing; and the records that it calls complete."""
    text = (root / page).read_text()
    kinds, heads = {}, []
    for line in text.split("\n"):
        if line.startswith("### "):
            heads = re.findall(r"`([\w-]+)`", line)
            kinds |= {head: {} for head in heads}
        elif line.startswith("#"):
            heads = []
        elif field := re.match(r"\| `(\w+)`(\??) \|", line):
            for head in heads:
                kinds[head][field[1]] = field[2] == "?"
    paragraph = re.search(r"^Complete: (.*?)\n\n", text, re.M | re.S)
    return kinds, set(re.findall(r"`([\w-]+)`", paragraph[1] if paragraph else ""))


def allows_null(schema):
    return "null" in schema.get("type", "") or any(one.get("type") == "null" for one in schema.get("anyOf", []))


def compare(where, schema, fields):
    """`fields`: name to (optional, null)."""
    properties, required = schema["properties"], set(schema["required"])
    for name in sorted(fields.keys() - properties.keys()):
        faults.append(f"{where}: the schema lacks {name}")
    for name in sorted(properties.keys() - fields.keys()):
        faults.append(f"{where}: the schema has {name}, which the sources never write")
    faults.extend(f"{where}: {name} is required, but no property" for name in sorted(required - properties.keys()))
    for name in sorted(fields.keys() & properties.keys()):
        optional, null = fields[name]
        if optional == (name in required):
            faults.append(f"{where}: {name} is {'optional' if optional else 'always there'} in the sources")
        # `value` is a local value there, of any kind.
        if null != allows_null(properties[name]) and (where, name) != ("records.json: setting", "value"):
            faults.append(f"{where}: {name} {'may' if null else 'cannot'} be null in the sources")


def check_records(schema, found):
    types = {key: merged(value) for key, value in found.items() if not key.startswith("export ")}
    types["export"] = merged(found["export"] + found["export export"])
    for kind in ("operation", "end"):
        types.pop(kind, None)
    event = added("Sources/blipchat/Output/MessageNews.swift", r'Member\(name: "(\w+)", value: (.)')
    for kind in ("message", "file"):
        types[kind] |= {field[0]: (True, False) for field in event}
    kinds, complete = documented()
    for kind, fields in sorted(types.items()):
        definition = schema["$defs"].get(kind.removeprefix("inner "))
        if definition is None:
            faults.append(f"records.json: has no {kind}")
            continue
        if kind == "inner mapping":
            # It has another form in each state.
            fields = {name: (name != "state", False) for name in fields}
        compare(f"records.json: {kind}", definition, fields)
        if kind.startswith("inner "):
            continue
        check_head("records.json", kind, definition)
        if (definition.get("additionalProperties") is False) != (kind in complete):
            faults.append(f"records.json: {kind}: {page} says {'that' if kind in complete else 'nowhere that'} it is complete")
    named = {definition.split("/")[-1] for definition in references(schema["oneOf"])}
    for kind in sorted(named ^ {kind for kind in types if not kind.startswith("inner ")}):
        faults.append(f"records.json: {kind} is a record of the schema or of the sources, and not of the other")
    for kind in sorted(named):
        if kind not in kinds:
            faults.append(f"{page}: has no record {kind}")
            continue
        # Two records in one table.
        apart = kinds[kind].keys() if kind in ("neighbour", "nearby") else set()
        properties = schema["$defs"][kind]["properties"].keys() - {"v", "type"}
        for name in sorted(properties ^ (kinds[kind].keys() - (apart - properties))):
            faults.append(f"{page}: {kind}.{name} is on the page or in the schema, and not in the other")
        for name in sorted(properties & kinds[kind].keys()):
            if kinds[kind][name] == (name in schema["$defs"][kind]["required"]):
                faults.append(f"{page}: {kind}.{name}: the mark ? and the schema differ")
    faults.extend(f"{page}: {kind}: no such record is complete" for kind in sorted(complete - named))


def check_export(schema, found):
    kinds = exported(found)
    for kind, literals in sorted(kinds.items()):
        if kind not in schema["$defs"]:
            faults.append(f"export.json: has no {kind}")
            continue
        fields = merged(literals)
        if kind == "contact":
            fields["last_seen"] = (False, True)
        compare(f"export.json: {kind}", schema["$defs"][kind], fields)
        check_head("export.json", kind, schema["$defs"][kind])


def check_head(file, kind, definition):
    if definition["properties"].get("v") != {"const": 1} or definition["properties"].get("type") != {"const": kind}:
        faults.append(f"{file}: {kind} does not begin with its v and its type")


def check_socket(schema):
    """The lines of a session, and the members of its greeting."""
    text = (root / "Sources/ChatHost/Attached/SessionLine.swift").read_text()
    made = text[text.index("func json()"):text.index("/// Reads a line")]
    lines = [dict(members(made[match.end():closing(made, match.end() - 1)])) for match in re.finditer(r"\.record\(\[", made)]
    # `continues` is within `bye`.
    forms = {frozenset(line) for line in lines} - {frozenset(["continues"])}
    shown = {frozenset(one["properties"]) for name, one in schema["$defs"].items() if f"#/$defs/{name}" in references(schema["oneOf"])}
    for form in sorted(forms ^ (shown - {frozenset(["hello"])}), key=sorted):
        faults.append(f"socket.json: a line of {', '.join(sorted(form))} is in the schema or in SessionLine, and not in the other")
    greeting = (root / "Sources/ChatHost/Attached/SessionGreeting.swift").read_text()
    for kind, properties in [("RunningChat", schema["$defs"]["chat"]),
                             ("SessionGreeting", schema["$defs"]["greeting"]["properties"]["hello"])]:
        keys = re.search(rf"struct {kind}\b.*?CodingKey \{{(.*?)\}}", greeting, re.S)[1]
        names = set()
        for case in re.findall(r"case (.*)", keys):
            for one in case.split(", "):
                names.add(re.sub(r'\w+ = "(\w+)"', r"\1", one))
        for name in sorted(names ^ set(properties["properties"])):
            faults.append(f"socket.json: {name} is a member of {kind} or of the schema, and not of the other")


def coded(type):
    """The schema of a Swift type on the control socket."""
    if type.endswith("?"):
        schema = coded(type[:-1])
        return {"type": [schema["type"], "null"]} if isinstance(schema.get("type"), str) and len(schema) == 1 else {}
    if type.startswith("["):
        return {"type": "array", "items": coded(type[1:-1])}
    # An integer that does not fit into 64 signed bits is a text.
    return {"type": ["integer", "string"]} if type == "UInt64" else {"type": TYPES[type]} if type in TYPES else {}


def coded_cases(name, text):
    """The cases of a Swift enum on the control socket, each with the schema of what it holds."""
    start = text.index("{", text.index(f"enum {name}:"))
    body = text[start:closing(text, start)]
    found = {}
    for case in re.finditer(r"^    case (\w+)(?:\((.*)\))?$", body, re.M):
        parts = [part.split(": ") for part in (case[2] or "").split(", ") if part]
        if all(len(part) == 2 for part in parts):
            required = [label for label, type in parts if not type.endswith("?")]
            schema = {"type": "object", "properties": {label: coded(type) for label, type in parts}}
            found[case[1]] = schema | ({"required": required} if required else {}) if parts else {"$ref": "#/$defs/nothing"}
        elif len(parts) == 1:
            found[case[1]] = coded(parts[0][0])
        else:
            is_list = all(len(part) == 1 for part in parts)
            items = {"prefixItems": [coded(part[0]) for part in parts], "items": False, "minItems": len(parts)}
            found[case[1]] = {"type": "array", **items} if is_list else {}
    return found


def check_coded(schema):
    for definition, name, file in CODED:
        wanted = coded_cases(name, (root / file).read_text())
        shown = schema["$defs"][definition]["properties"]
        for case in sorted(wanted.keys() | shown.keys()):
            if case not in wanted:
                faults.append(f"socket.json: {definition}: {name} has no {case}")
            elif wanted[case] != shown.get(case):
                faults.append(f'socket.json: {definition}: "{case}": {json.dumps(wanted[case])}, as {name} has it')


def references(value):
    if isinstance(value, dict):
        return {value["$ref"]} if "$ref" in value else set().union(*map(references, value.values()), set())
    return set().union(*map(references, value), set()) if isinstance(value, list) else set()


def cases(text, begin):
    """The words of an enum or of a function that gives a word for each case."""
    start = text.index("{", text.index(begin))
    body = text[start:closing(text, start)]
    if begin.startswith("func"):
        return set(re.findall(r': "([\w-]+)"', body))
    words = set()
    for line in re.findall(r"^\s*case (\w[^:{}\n]*)$", body, re.M):
        for one in line.split(", "):
            words.add(re.sub(r'\w+ = "(.+)"', r"\1", one.strip()))
    return words


def check_words(schemas):
    for name, place, file, begin in WORDS:
        definition, _, field = place.partition("/")
        schema = schemas[name]["$defs"][definition]
        shown = set((schema["properties"][field] if field else schema).get("enum", []))
        for word in sorted(shown ^ cases((root / file).read_text(), begin)):
            faults.append(f"{name}.json: {place}: {word} is in the schema or in {file}, and not in the other")


def main():
    schemas = {path.stem: json.loads(path.read_text()) for path in sorted((root / "Docs/schema").glob("*.json"))}
    found = made()
    check_records(schemas["records"], found)
    check_export(schemas["export"], found)
    check_socket(schemas["socket"])
    check_coded(schemas["socket"])
    check_words(schemas)
    for name, schema in schemas.items():
        used = references(schema)
        faults.extend(f"{name}.json: {one} leads nowhere" for one in sorted(used - {f"#/$defs/{key}" for key in schema["$defs"]}))
        faults.extend(f"{name}.json: nothing uses {key}" for key in sorted(schema["$defs"]) if f"#/$defs/{key}" not in used)
        for key in set(SHARED) & schema["$defs"].keys():
            if schema["$defs"][key] != schemas["records"]["$defs"][key]:
                faults.append(f"{name}.json: {key} is not that of records.json")
    for fault in faults:
        print(fault)
    count = sum(len(schema["oneOf"]) for schema in schemas.values())
    print(f"{count} records and lines in {len(schemas)} schemas, {len(WORDS)} lists of words, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
