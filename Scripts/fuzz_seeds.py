#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets into Fuzz/Corpus: the recorded and the malformed conversations of the test
vectors, the examples of RFC 6455, and a few made by hand, each in the form that its target reads."""
import base64
import gzip
import hashlib
import json
import pathlib
import struct
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
