#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets into Fuzz/Corpus: the recorded and the malformed conversations of the test
vectors, the examples of RFC 6455, and a few made by hand, each in the form that its target reads. Those of the history and
of exports come from a home that a built blipchat fills (.build/debug/blipchat), those of keys from openssl."""
import base64
import gzip
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import tempfile
import zlib

root = pathlib.Path(__file__).resolve().parent.parent
vectors = root / "Tests/BLIPNetTests/Vectors"


def keep(target, *parts):
    data = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
    folder = root / "Fuzz/Corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    if len(data) <= 16_384:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def piece(data):
    return struct.pack("<H", len(data)) + data


def websocket_frame(first, payload, mask=b"\x37\xfa\x21\x3d"):
    head = bytes([first])
    bit = 0x80 if mask else 0
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    elif len(payload) < 65_536:
        head += bytes([bit | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
    if mask:
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return head + (mask or b"") + payload


# Conversations, with and without checksums.
conversations = []
for path in sorted(vectors.glob("blip*/*.json")):
    vector = json.loads(path.read_text())
    for direction in ("c2s", "s2c"):
        frames = [bytes.fromhex(frame["hex"]) for frame in vector.get("frames", []) if frame["dir"] == direction]
        if frames:
            conversations.append(frames)
    for case in vector.get("cases", []):
        conversations.append([bytes.fromhex(frame) for frame in case["frames"] if not frame.startswith("text:")])
for frames in conversations:
    for configuration in range(4):
        keep("blip-frames", configuration, *[bytes([0]) + piece(frame) for frame in frames if len(frame) < 8_000])
    for frame in frames:
        keep("varint", frame[:11])
        for flags in (0x00, 0x01, 0x02, 0x10, 0x40, 0x41, 0x44, 0x64, 0x80, 0x84, 0x94):
            keep("blip-message", flags, 3, frame[2:-4])
            if flags >= 0x40:
                keep("blip-message", flags, 3, frame[2:])
        keep("properties", 0, frame[3:-4])
    server = b"".join(websocket_frame(0x82, frame) for frame in frames)
    keep("websocket-frames", 0, server)
# The same as links that somebody listens to: from their handshake on, with a frame missing, and from the middle on.
for path in sorted(vectors.glob("blip*/*.json")):
    vector = json.loads(path.read_text())
    named = f"Sec-WebSocket-Protocol: {vector['subprotocol']}\r\n" if vector.get("subprotocol") else ""
    head = piece(f"GET / HTTP/1.1\r\nHost: a\r\n{named}\r\n".encode())
    answer = piece(f"HTTP/1.1 101 Switching Protocols\r\n{named}\r\n".encode())
    talk = []
    for frame in vector.get("frames", []):
        is_up = frame["dir"] == "c2s"
        masked = websocket_frame(0x82, bytes.fromhex(frame["hex"]), b"\x37\xfa\x21\x3d" if is_up else None)
        talk.append(bytes([0 if is_up else 1]) + piece(masked))
    dialect = 1 if vector.get("dialect") == "BLIP_3" else 3
    if talk:
        keep("tap", dialect, 0, head, 1, answer, *talk)
        keep("tap", dialect, 0, head, 1, answer, *talk[:1], 2, piece(b"gone"), *talk[2:])
        keep("tap", dialect | 4, *talk[1:])
for value in (0, 1, 0x7F, 0x80, 300, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
    keep("varint", struct.pack(">Q", value))
keep("varint", b"\xff" * 9 + b"\x01")
keep("varint", b"\xff" * 9 + b"\x02")
keep("varint", b"\x80" * 10 + b"\x01")

pairs = b"Profile\0echo\0Error-Code\x00404\0x\0y\0"
for configuration in (0, 1):
    for block in (pairs, b"", b"\0\0", b"a\0\0", b"\x01\0echo\0\x02\x00404\0", b"\x1f\0x\0", b"a\0b\0a\0c\0", b"a\0\xff\0"):
        keep("properties", configuration, block)

text = b"the quick brown fox jumps over the lazy dog. " * 20
for configuration in range(0, 6):
    keep("inflate", configuration, 200, piece(text) + b"\3", piece(text[:100]) + b"\0")
compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
first = (compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]
bomb = (compressor.compress(b"\0" * 300_000) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]
keep("inflate", 1, 255, piece(first), piece(bomb))
keep("inflate", 1, 1, piece(first), piece(first))

for kind in (0, 2):
    keep("gzip-body", kind, 40, 0, 4, piece(text) + b"\3", piece(text[:100]) + b"\0")
    keep("gzip-body", kind, 0, 10, 0, piece(text) + b"\x0f")
member = gzip.compress(text, mtime=0)
keep("gzip-body", 1, 40, 0, 4, member)
keep("gzip-body", 1, 1, 0, 4, gzip.compress(bytes(300_000), mtime=0))
keep("gzip-body", 1, 40, 0, 4, member[:-1] + b"!")
keep("gzip-body", 1, 40, 0, 4, member + member)

# Operations: sending in both directions, urgent, compressed, cancelled.
for dialect in range(3):
    keep("blip-operations", dialect, bytes([0, 10, 10, 1, 20, 20, 8, 255, 255, 26, 100, 100, 0xFE, 0xFF, 4, 1, 5, 1, 0xFE, 0xFF]))
    keep("blip-operations", dialect, bytes([0, 255, 255] * 8 + [8, 1, 1, 0xFE, 0xFF, 0xFE, 0xFF]))

key = base64.b64encode(bytes((index * 7 + 1) & 0xFF for index in range(16))).decode()
accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
request = (
    "GET /chat?x=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
)
extras = [
    "", "Sec-WebSocket-Protocol: chat, BLIP\r\n", "Origin: http://localhost\r\n", "Origin: http://evil\r\n",
    "Content-Length: 5\r\n", "Sec-WebSocket-Protocol: other\r\n", "X: " + "y" * 200 + "\r\n",
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
]
response = (
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"Sec-WebSocket-Accept: {accept}\r\n"
)
streams = [
    (0x81, b"Hello"), (0x01, b"Hel"), (0x80, b"lo"), (0x89, b"Hello"), (0x8A, b"Hello"), (0x82, bytes(256)),
    (0x88, struct.pack(">H", 1000) + b"bye"), (0x81, "κόσμε".encode()), (0x81, b"\xed\xa0\x80"), (0xC1, b"x"), (0x88, b"x"),
]
for masked, target in ((b"\x37\xfa\x21\x3d", "websocket-server"), (None, "websocket-client")):
    frames = [websocket_frame(first, payload, masked) for first, payload in streams]
    head = request if masked else response
    for extra in extras:
        keep(target, 0, (head + extra + "\r\n").encode(), frames[0])
        keep("http-head", 0 if masked else 1, (head + extra + "\r\n").encode())
    for frame in frames:
        keep(target, 1, (head + "\r\n").encode(), frame, frames[6])
        keep("websocket-frames", 0 if masked else 1, frame, frames[0])
    keep("websocket-frames", 0 if masked else 1, *frames[:8])
for head in ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 302 Found\r\nLocation: ws://b/c\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.0 400 x\r\n\r\n"):
    keep("http-head", 1, head.encode())
    keep("websocket-client", 1, head.encode())

for url in ("ws://user:pass@example.org:8080/a/b?c=d", "wss://[fe80::1%25eth0]:9/", "unix:/tmp/s?x", "https://a", "ws://a/#f"):
    for location in ("/x", "../y?z", "//other/p", "wss://b:1/q", "http://u:p@b/", "?only", ".", "ftp://x"):
        keep("url", piece(url.encode()), location.encode())
for value in ('Digest realm="a\\"b", nonce="n", qop="auth,auth-int", algorithm=SHA-256, opaque="o", userhash=true',
              'Basic realm="x", Digest realm="y", nonce="z", algorithm=MD5', "Negotiate abc==, Basic", 'Digest realm="r", nonce=n',
              "permessage-deflate; client_max_window_bits; server_max_window_bits=10",
              'permessage-deflate; server_no_context_takeover, x; a="b"'):
    for proxy in (0, 1):
        keep("http-values", proxy, 3, b"joe", value.encode())
for way in (0, 1, 2, 3, 0x80, 0x81):
    keep("websocket-deflate", 7, way, 0x72, bytes([3]) + piece(text[:200]), bytes([0]) + piece(text[:5]), bytes([63]) + piece(b"a"))
compressed_hello = bytes.fromhex("f248cdc9c90700")
for configuration in (2, 3, 6, 7):
    mask = b"\x37\xfa\x21\x3d" if configuration & 1 == 0 else None
    frame = websocket_frame(0xC1, compressed_hello, mask)
    keep("websocket-frames", configuration, frame, frame, websocket_frame(0x41, compressed_hello[:3], mask),
         websocket_frame(0x80, compressed_hello[3:], mask), websocket_frame(0xC2, bomb, mask))

# TLS: steps of the handshake, then passing (0-3), damage (8, 9), loss (10, 11), garbage (12, 13), text (6, 7), close.
for steps in range(8):
    keep("tls", steps, bytes([0x16, 0x17]) + text[:32], bytes([0, 1, 0, 1, 14, 15, 0, 1]))
    keep("tls", steps, bytes([8, 40, 0, 1, 0, 1, 0, 1]))
    keep("tls", steps, bytes([12, 5]) + b"\x16\x03\x01\x00\x05", bytes([0, 1]))

# Above BLIPNet. Keys and certificates of every kind, plain and sealed with the passphrase of the target.
with tempfile.TemporaryDirectory() as folder:
    def openssl(*words):
        return subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True).stdout

    for kind in (["ed25519"], ["ed448"], ["rsa", "-pkeyopt", "rsa_keygen_bits:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]):
        openssl("genpkey", "-algorithm", *kind, "-out", "key.pem")
        openssl("req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=a.example", "-days", "9999", "-out", "cert.pem")
        keep("certificate", openssl("x509", "-in", "cert.pem", "-outform", "DER"))
        plain, certificate = (pathlib.Path(folder, name).read_bytes() for name in ("key.pem", "cert.pem"))
        keep("key-restore", plain + certificate)
        for way in (["-scrypt", "-scrypt_N", "1024"], ["-v2", "aes-256-cbc", "-iter", "100"]):
            sealed = openssl("pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:correct horse", *way)
            keep("key-restore", sealed + certificate)

# A history with a line of each kind, its export, and small pages so that a whole file is an input.
program = root / ".build/debug/blipchat"
peer = "5ml23zco6epty6nlsivtwv6sksqvwm4zixxfszqto4ouidvbs4aa"
with tempfile.TemporaryDirectory() as home:
    def blipchat(*words):
        return subprocess.run([program, *words], env=os.environ | {"BLIPCHAT_HOME": home}, check=False, capture_output=True).stdout

    blipchat("contacts", "add", f"blip://127.0.0.1:9/{peer}", "--name", "al")
    for text_of_line in ("one", "two \u202e", "x" * 900):
        blipchat("send", "al", text_of_line, "--queue")
    exported = blipchat("export", "--format", "json")
    keep("import", exported)
    lines = exported.splitlines(keepends=True)
    for index in range(len(lines)):
        keep("import", *lines[:index], *lines[index + 1:])
        keep("control-line", lines[index].strip())
    database = sqlite3.connect(f"{home}/history.sqlite")
    # The shadow tables of the index are most of the file, and recovery makes the index anew.
    for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'").fetchall():
        database.execute(f"DROP TABLE {name}")
    database.commit()
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("PRAGMA page_size = 512")
    database.execute("VACUUM")
    database.close()
    pages = pathlib.Path(home, "history.sqlite").read_bytes()
    for configuration in (0, 6):
        keep("raw-pages", configuration, pages[:16_000])
        # Without the schema, which recovery does not read.
        keep("raw-pages", configuration, pages[-16_000:])
    for page in range(0, len(pages), 512):
        keep("raw-pages", 1, piece(pages[page:page + 512] * 2), pages[:512], pages[page:page + 512])

# Requests: which member, its length, its bytes; then the body.
identifier, other = b"01a219c8-2896-733d-8366-000000000001", b"01a219c8-2896-733d-8366-000000000002"
head = [(0, identifier), (1, b"3"), (2, b"1795000000000")]
for members, body in (
        (head, b"hello"), (head + [(3, other)], b"hello"), (head + [(4, other)], b"edited"), (head + [(4, other), (5, "\U0001f44d".encode())], b""),
        (head + [(6, b"a.txt"), (7, b"10"), (8, b"1"), (9, b"text/plain")], b"caption"),
        (head + [(6, b"a"), (7, b"10"), (8, b"1"), (10, b"x/y"), (11, other), (12, b"3"), (13, b"99")], b""),
        ([(6, b"Al"), (14, b"blipchat 1"), (15, b"4985"), (16, b"a b")], b""), ([(17, identifier)], b""), ([(18, b"composing")], b""),
        ([(0, identifier), (19, b"0"), (20, b"65536"), (21, b"1")], b""), ([(0, identifier), (20, b"65536")], b""),
        ([(0, identifier), (18, b"accepted"), (24, b"1"), (22, b"why")], b""), ([(18, b"away"), (22, b"lunch")], b"")):
    keep("chat-requests", 0, len(members), *[bytes([name, len(value)]) + value for name, value in members], body)
keep("chat-requests", 0, 0, identifier + b"\n" + other)
content = b"a\nb"
bundled = b"%s %d 9 %s\n" % (identifier, len(content), hashlib.sha256(content).hexdigest().encode()) + content
for answer in (bundled, bundled + other + b" refused 404\n", b"%s 0 9 %s\n" % (other, hashlib.sha256(b"").hexdigest().encode()) + bundled, bundled[:-1]):
    keep("file-bundle", answer)
for address in (f"blip://host.example:4985/{peer}?name=Al%20B", "host", "[fe80::1%25eth0]:9", "blip://[::1]/", "BLIP://a:1", "b\u00fccher.example",
                f"blip://1.2.3.4/{peer}#name=Al", "wss://x", "a?name=%"):
    keep("peer-address", address.encode())
hostile = ["plain", "../../etc/passwd", "a\u202egpj.exe", ".hidden", "CON", "x" * 300, "e\u0301" * 100, "\x1b[31m\x1b]52;c;eA==\x07", "a\r\nb\tc\n",
           "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u05e9\u05dc\u05d5\u05dd (abc) \u0645\u0631\u062d", "\u1100\u1161\u11a8\uac01", "\U000e0061\U000e007f",
           "\u4f60\u597d\uff21", "Z\u0335\u0321\u0336\u0322", "https://example.org/a?b=c"]
for string in hostile:
    keep("file-name", string.encode())
    for kind in range(4):
        keep("text-cells", kind, 18, 0xFE, string.encode())
for keys in (b"\x1b", b"\x1b[A\x1bOP\x1b[1;5C", b"\x1b[200~a\rb\nc\x1b[201~d", b"\x1b[<0;10;5M\x1b[<0;10;5m\x1b[M !!", b"\x1b[I\x1b[O", b"\xc3\xa4\xf0\x9f\x98\x80\xff",
             b"\x1b]11;rgb:0000/0000/0000\x07\x1b[?62;4c\x1b[5;1R", b"line one\rline two\rline three\r", b"\x1b[27;5;97~\x1b[97;6u\x00\x7f\x1b\x7f"):
    for configuration in range(4):
        keep("input", configuration, 0, keys)
        keep("input", configuration, 30, keys)
# Operations as FuzzChatClient reads them: messages (0-2), edit 3, retract 4, react 5, read 6, file 7-9, hello 10, other 11, typing 12,
# our user writes (13, 14), changes (15), a plan for answers (16), cut (17), time (18, 19).
say = bytes([0, 1, 1, 5]) + b"hello"
write = bytes([13, 3]) + b"our"
keep("chat-client", say, say, bytes([0, 2, 2, 2]) + b"hi", 19, bytes([6, 1]))
keep("chat-client", write, 19, bytes([6, 8]), bytes([0, 8, 1, 3]) + b"lie", bytes([3, 1, 2, 8, 1]) + b"x", bytes([4, 2, 3, 8]), bytes([5, 3, 4, 8, 1]) + b"+")
keep("chat-client", bytes([16, 1]), write, write, 19, 17, bytes([15, 0, 2]) + b"ed", bytes([47, 0]), 19)
keep("chat-client", bytes([7, 5, 1, 1]) + b"f", bytes([9, 3, 0, 0]), bytes([8, 5, 8]) + b"complete", bytes([9, 5, 0, 9]), bytes([18, 9]))
keep("chat-client", bytes([0, 1, 9, 1]) + b"a", bytes([0, 2, 3, 1]) + b"b", bytes([18, 6]), bytes([0, 3, 1, 1]) + b"c", 12, bytes([10, 1]) + b"n", bytes([17]), say)

configuration_text = 'name = "Jo" # who\n\n[ui]\ntheme = "dark"\nhints = false\n\n[contact."Ann"]\nkeep = 30\n[keys]\n"Alt-x" = "quit"\n[limits]\nunsent_bytes = "4M"\n'
for string in (configuration_text, configuration_text.replace("\n", "\r\n"), "name = 'a", "[a.b]\n[a.b]\n", "x = [1]\n", 'a.b = "\\u00e4"', "# only\n"):
    keep("config", string.encode())
theme_text = 'base = "dark"\ntext = "bold cyan on 234"\nnicks = "green yellow 111"\n'
for string in (theme_text, theme_text.replace("cyan", "cyam"), 'text = ""\n', 'nicks = "default"\n'):
    keep("theme", string.encode())
for line in re.findall(r"^    > (\{.*)$", (root / "Docs/scripting.md").read_text(), re.M):
    keep("control-line", line.encode())
for what in ('{"conversations":{}}', '{"setRetention":{"contact":3,"retention":{"days":30}}}', '{"transferProgress":{}}',
             f'{{"messages":{{"contact":3,"ids":["{identifier.decode()}"]}}}}', '{"setRateLimit":{"scope":{"all":"outgoing"},"limit":1000}}'):
    keep("control-line", f'{{"call":7,"what":{what}}}'.encode())
control_protocol = re.search(r"static let currentProtocol = (\d+)", (root / "Sources/ChatHost/Attached/SessionGreeting.swift").read_text())[1]
for line in ('{"bye":{"continues":false}}', f'{{"hello":{{"protocol":{control_protocol},"version":"0.1.0","quiet":true}}}}', '{"v":1,"op":"status"}'):
    keep("control-line", line.encode())

# Socket.IO: the reference packets, the captured payloads, and whole conversations.
reference = json.loads((vectors / "SocketIO/reference_packets.json").read_text())


def unit(wire):
    return wire["text"].encode() if "text" in wire else bytes.fromhex(wire["bytes"])


for vector in reference["socketio_decode"]:
    for revision in (0, 1):
        keep("socketio-packets", revision, *(part for wire in vector["wire"]
                                             for part in (int("bytes" in wire), piece(unit(wire)))))
for vector in reference["engineio_decode_eio4"]:
    keep("engineio", 0, unit(vector["eio4"]))
for vector in reference["engineio_decode_eio3"]:
    keep("engineio", 1, unit(vector["eio3"]))
for vector in reference["engineio_encode"]:
    keep("engineio", 0, unit(vector["eio4_polling"]))
    keep("engineio", 5, unit(vector["eio3_polling_b64"]))
    keep("engineio", 1, unit(vector["eio3_polling_xhr2"]))
for path in sorted(vectors.glob("SocketIO/captured*.json")):
    exchange = json.loads(path.read_text())
    for vector in exchange["vectors"]:
        if vector.get("status") == 200 and "response" in vector:
            keep("engineio", int(exchange["engineio_revision"] == 3), bytes.fromhex(vector["response"]["hex"]))
terms = b'0{"sid":"s","upgrades":["websocket"],"pingInterval":3000,"pingTimeout":2000,"maxPayload":1000}'
old_terms = terms.replace(b',"maxPayload":1000', b"")
joined, event, question = b'40{"sid":"a"}', b'42["x",1]', b'421["x"]'
# Operations of fuzzSocketIOClient: 0 GET, 1 POST, 3 and 4 WebSocket, 7 its end, 8 time, 9 and 10 emits, 11 authentication,
# 12 acknowledgement, 13 opens.
keep("socketio-client", 0, 0, piece(terms), 11, 9, 73, 0, piece(joined), 1, piece(b""), 10, 12, 0, piece(question), 12, 1,
     piece(b""), 3, 4, piece(b"3probe"), 0, piece(b"6"), 9, 73, 4, piece(event), 8, 255, 255, 13)
keep("socketio-client", 2, 3, 4, piece(terms), 11, 9, 73, 4, piece(joined), 41, piece(b"\1\2\3"), 4, piece(question), 12, 4,
     piece(event), 7, 13, 3, 4, piece(terms), 11, 9, 4, piece(joined))
counted = b"".join(b"%d:%s" % (len(packet), packet) for packet in (old_terms, b"40", event))
keep("socketio-client", 1, 0, piece(counted), 11, 9, 73, 0, piece(b"2:40"), 1, piece(b""), 8, 0, 20, 8, 0, 20)
keep("socketio-client", 1, 0, piece(counted), 4, piece(b"x"), 16, piece(b'{"code":1}'), 13, 16, piece(b""), 0, piece(counted))

# A relay: each of its messages for both kinds of conversation, a whole meeting, and what is malformed.
relay_vectors = json.loads((vectors / "reach/relay_messages.json").read_text())
for message in relay_vectors["messages"] + relay_vectors["malformed"]:
    for kind in (0, 1):
        keep("relay", kind, 255, bytes.fromhex(message["hex"]))
relay_lines = json.loads((vectors / "reach/relay_transcript.json").read_text())["lines"]
for kind, connection in enumerate(("callee", "caller")):
    said = [bytes.fromhex(line["hex"]) for line in relay_lines if line["connection"] == connection and line["dir"] == "<"]
    keep("relay", kind, 6, *said)

# Tor: the recorded session with each kind of wish, what it refuses, and conversations by SOCKS.
tor_vectors = json.loads((vectors / "reach/tor_control.json").read_text())
said = b"".join(line[2:].encode() + b"\r\n" for line in tor_vectors["session"] if line[0] == "<")
for kind in range(8):
    keep("tor", kind, 40, said)
    for refusal in tor_vectors["refusals"]:
        keep("tor", kind, 255, refusal.encode() + b"\r\n")
socks_vectors = json.loads((vectors / "reach/socks5.json").read_text())
for kind, lines in ((0, socks_vectors["without_name"]), (4, socks_vectors["with_name"])):
    begun = b"".join(bytes.fromhex(line[1]) for line in lines[:-1] if line[0] == "<")
    for answer in socks_vectors["answers"]:
        keep("tor", kind, 255, begun, bytes.fromhex(answer["hex"]))
for text in socks_vectors["malformed"]:
    keep("tor", 0, 255, bytes.fromhex(text))

# A router: each recorded answer to each kind of question, and NAT-PMP after a refusal.
answers = [bytes.fromhex(exchange["reply"]) for exchange in json.loads((vectors / "reach/port_mapping.json").read_text())["exchanges"]]
for kind in range(8):
    for answer in answers:
        keep("router", kind, len(answer), answer)
    keep("router", kind, *(part for answer in (bytes.fromhex("0081000100000002"), *answers) for part in (len(answer), answer)))
