#!/usr/bin/env python3
"""Shows that Tools/wireshark/blip.lua reads BLIP in all its dialects: dissector.py [BLIPWIRE] (or BLIPWIRE=/path/to/blipwire).

1. The vectors of Tests/BLIPNetTests/Vectors, as links on the wire: each message comes out with its properties and its body,
   and each malformed frame with what is wrong with it.
2. Captures of `blipwire client` and `blipwire serve` (Tests/Rigs/captures), so that what tshark shows is always the same.
3. The same two programs, captured now in every dialect (needs the right to capture; else it is skipped).

Exits 1 when something differs, and says what. What this machine lacks makes a part skipped, in the words of Swift Testing.
dissector.py --record [BLIPWIRE] writes the captures of part 2 again."""
import gzip, hashlib, json, os, pathlib, re, shutil, socket, struct, subprocess, sys, tempfile, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DISSECTOR = ROOT / 'Tools/wireshark/blip.lua'
VECTORS = ROOT / 'Tests/BLIPNetTests/Vectors'
CAPTURES = pathlib.Path(__file__).resolve().parent / 'captures'
# How long something may take that takes a moment on an idle machine.
WAIT = 300
DIALECTS = {'blip3': 'BLIP_3', 'blip2': 'BLIP 2.0', 'blip': 'BLIP of 2013'}
OLDER = {'blip2': ['-o', 'blipnet.older:BLIP 2.0'], 'blip': ['-o', 'blipnet.older:2013'], 'blip3': []}
# A capture that is stored ends where the server has sent so many bytes: within its first long answer. The client's long body is
# of zeros, which gzip makes small.
STORED = 20_000
faults = []


def expect(is_true, what):
    if not is_true:
        faults.append(what)


# ---------------------------------------------------------------------------------------------------------------------
# Captures: files in the format of libpcap, packets as they are on the loopback device.

def write_capture(path, packets):
    """Packets are (seconds, bytes from the Ethernet header on)."""
    opened = gzip.GzipFile(path, 'wb', mtime=0) if str(path).endswith('.gz') else open(path, 'wb')
    with opened as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262_144, 1))
        for when, packet in packets:
            file.write(struct.pack('<IIII', int(when), int(when % 1 * 1_000_000), len(packet), len(packet)) + packet)


def read_capture(path):
    """The packets of a file that write_capture has made."""
    with (gzip.open(path) if str(path).endswith('.gz') else open(path, 'rb')) as file:
        data = file.read()
    at, packets = 24, []
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        packets.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return packets


class Talk:
    """A TCP connection that nobody has made, from a port of its own: the packets that there would have been."""

    def __init__(self, port=50_000):
        self.ports, self.sent, self.packets = {'c2s': (port, 4985), 's2c': (4985, port)}, {'c2s': 1, 's2c': 1}, []

    def send(self, way, data):
        for at in range(0, len(data), 60_000):
            piece = data[at:at + 60_000]
            other = 's2c' if way == 'c2s' else 'c2s'
            tcp = struct.pack('>HHIIBBHHH', *self.ports[way], self.sent[way], self.sent[other], 0x50, 0x18, 65_535, 0, 0)
            ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40 + len(piece), 0, 0x4000, 64, 6, 0, b'\x7f\0\0\1', b'\x7f\0\0\1')
            self.packets.append((1_700_000_000 + len(self.packets) / 1000, bytes(12) + b'\x08\0' + ip + tcp + piece))
            self.sent[way] += len(piece)

    def handshake(self, subprotocol, target='/'):
        named = f'Sec-WebSocket-Protocol: {subprotocol}\r\n' if subprotocol else ''
        self.send('c2s', (f'GET {target} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
                          f'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{named}\r\n').encode())
        self.send('s2c', ('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                          f'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n{named}\r\n').encode())

    @staticmethod
    def message(way, frame):
        """One binary WebSocket message."""
        mask = 0x80 if way == 'c2s' else 0
        length = len(frame)
        head = bytes([0x82, mask | length]) if length < 126 else struct.pack('>BBH', 0x82, mask | 126, length)
        if not mask:
            return head + frame
        key = b'\x11\x22\x33\x44'
        repeated = int.from_bytes((key * (length // 4 + 1))[:length], 'big')
        return head + key + (int.from_bytes(frame, 'big') ^ repeated).to_bytes(length, 'big')

    def frame(self, way, frame):
        self.send(way, self.message(way, frame))


class Recorder:
    """Packets of one TCP port of the loopback device, from the moment when this is made; needs CAP_NET_RAW."""

    def __init__(self, port):
        self.port, self.packets, self.ends = port, [], set()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        # The programs wait for nobody: SO_RCVBUFFORCE, or as much as others may have.
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 256 << 20)
        self.socket.bind(('lo', 0))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            packet, (_, _, kind, _, _) = self.socket.recvfrom(262_144)
            # Each packet of the loopback device passes twice, once on its way out.
            if kind == socket.PACKET_OUTGOING or packet[12:14] != b'\x08\0' or packet[23] != 6:
                continue
            tcp = 14 + (packet[14] & 15) * 4
            ports = struct.unpack('>HH', packet[tcp:tcp + 4])
            if self.port in ports:
                self.packets.append((time.time(), packet))
                if packet[tcp + 13] & 5:
                    self.ends.add(ports)

    def wait(self):
        """Until both sides have ended their direction."""
        wait_for(lambda: len({ports[0] == self.port for ports in self.ends}) == 2, 'the end of the connection in the capture')
        return list(self.packets)


def wait_for(condition, what):
    end = time.monotonic() + WAIT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f'waited {WAIT} s for {what}')
        time.sleep(0.02)


# ---------------------------------------------------------------------------------------------------------------------
# What tshark says of a capture.

def tshark(path, *options):
    """Runs tshark with the dissector; returns what it prints."""
    command = ['tshark', '-X', f'lua_script:{DISSECTOR}', '-r', str(path), '-o', 'tcp.check_checksum:FALSE', *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    complaints = [line for line in result.stderr.splitlines() if not line.startswith('Running as user') and line.strip()]
    expect(result.returncode == 0 and not complaints, f'tshark {path}: exit code {result.returncode}, {complaints[:3]}')
    return result.stdout


def nodes(tree, name):
    """Every value of that name in the tree that tshark prints as JSON, in order."""
    found = []
    for key, value in tree.items():
        for one in value if isinstance(value, list) else [value]:
            if key == name:
                found.append(one)
            elif isinstance(one, dict):
                found += nodes(one, name)
    return found


def frames_of(path, *options):
    """The BLIP frames of a capture, in order; each knows its packet, which way it goes, and what tshark shows of it."""
    text = tshark(path, '-2', '-Y', 'blipnet', '-T', 'json', '--no-duplicate-keys', '-J', 'blipnet frame', *options)
    ports = [struct.unpack('>HH', packet[34:38]) for packet in read_capture(path)]
    # A client sends the first packet of a connection.
    server = ports[0][1]
    frames = []
    for packet in json.loads(text or '[]'):
        layers = packet['_source']['layers']
        number = int(layers['frame']['frame.number'])
        for tree in layers['blipnet'] if isinstance(layers['blipnet'], list) else [layers['blipnet']]:
            source, destination = ports[number - 1]
            way, client = ('c2s', source) if destination == server else ('s2c', destination)
            frames.append(Frame(number, way, client, tree))
    return frames


class Frame:
    """What tshark shows of one BLIP frame."""

    def __init__(self, packet, way, client, tree):
        self.packet, self.way, self.client, self.tree = packet, way, client, tree

    def one(self, name):
        """The first value of that name; None: there is none."""
        found = nodes(self.tree, 'blipnet.' + name)
        return found[0] if found else None

    def number(self, name):
        value = self.one(name)
        return None if value is None else int(value, 0)

    def is_set(self, flag):
        return self.one('flags.' + flag) in ('1', 'True')

    @property
    def experts(self):
        return nodes(self.tree, '_ws.expert.message')

    @property
    def key(self):
        """What names the message: who sends the request, its number, and whether this is the request."""
        is_request = self.number('flags.type') == 0
        return (self.way if is_request else {'c2s': 's2c', 's2c': 'c2s'}[self.way], self.number('number'), is_request)

    @property
    def is_last(self):
        return self.one('message.frames') is not None and self.one('message.index') == self.one('message.frames')

    def message(self):
        """Properties and body of the message that this frame ends."""
        tree = self.tree.get('blipnet.message_tree', self.tree)
        names, values = nodes(tree, 'blipnet.property.name'), nodes(tree, 'blipnet.property.value')
        body = nodes(tree, 'blipnet.body')
        return [list(pair) for pair in zip(names, values)], bytes.fromhex(body[0].replace(':', '')) if body else None

    def line(self):
        """The frame in one line, for comparison."""
        words = [str(self.packet), self.way, f"type {self.one('flags.type')}", f"number {self.one('number')}",
                 f"flags {self.number('flags'):x}"]
        for name in ('ack.bytes', 'checksum.status', 'message.index', 'request_in', 'response_in'):
            if self.one(name) is not None:
                words.append(f'{name} {self.one(name)}')
        if self.is_last:
            properties, body = self.message()
            words += [f'{name}={value}' for name, value in properties]
            words.append(f'body {len(body)} {hashlib.sha256(body).hexdigest()[:16]}' if body is not None else 'no body')
        return ' '.join(words + self.experts)


# ---------------------------------------------------------------------------------------------------------------------
# 1. Vectors

# What the tree says of the first frame of a malformed case; what is not here is in order.
MALFORMED = {
    'one byte': 'a frame without number and flags',
    'two checksum bytes only': 'a frame of fewer than 4 bytes after the header',
    'wrong checksum': 'Wrong checksum',
    'first request has number 2': 'request 2, where 1 is the next',
    'request number 0': 'request 0, where 1 is the next',
    'request number varint of 11 bytes': 'a frame without number and flags',
    'request number varint cut off': 'a frame without number and flags',
    'unknown message type 3 with a right checksum, then a request': 'Unknown type',
    'unknown message type 7 with a right checksum, then a request': 'Unknown type',
    'error reply to a request never sent': 'a response that no request waits for',
    'property length longer than the message': 'the properties are longer than the message',
    'properties without final NUL': 'the properties end within a string',
    'property name twice': 'a property that repeats a name',
    'invalid UTF-8 in a property': 'a property that is not UTF-8',
    'property length 2^62': 'no length of the properties',
    'property length varint of 11 bytes': 'no length of the properties',
    'compressed frame, wrong checksum': 'Wrong checksum',
    'compressed frame with no data bytes (only the checksum)': 'no length of the properties',
}
# BLIP 2.0 has no vectors: the frames that Docs/protocol.md shows, and one body as a gzip member.
BLIP2 = [
    ('c2s', '0140070100 6563686f 00 61'), ('c2s', '0100 62'), ('s2c', '0101 00 6162'),
    ('c2s', '0208 0b01006563686f0004000500 1f8b08000000000000ffab562a49ad2851b252ca48cdc9c95718258921956a010771055337010000'),
    ('s2c', '0202 0d 0300424c495000 02003430340 0'), ('c2s', '0410 0701006563686f00'), ('c2s', '0534 e8ff03'),
    ('c2s', '038001 06010042796500'), ('s2c', '0301 00'),
]


def lay(connections, *options):
    """Puts connections on the wire, (name, subprotocol, frames, how they are sent); returns the frames that are found in each.
    Each must have as many as were sent."""
    packets = []
    for port, (_, subprotocol, frames, send) in enumerate(connections, 50_000):
        talk = Talk(port)
        talk.handshake(subprotocol)
        send(talk, frames)
        packets += talk.packets
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'wire.pcap'
        write_capture(path, packets)
        found = frames_of(path, *options)
    result = [[frame for frame in found if frame.client == port] for port in range(50_000, 50_000 + len(connections))]
    for (name, _, frames, _), own in zip(connections, result):
        expect(len(own) == len(frames), f'{name}: {len(own)} frames are found of {len(frames)}')
    return result


def single(talk, frames):
    """One packet for each frame."""
    for way, frame in frames:
        talk.frame(way, frame)


def pieces(size):
    """Frames that go the same way join, and are cut at every `size` bytes."""
    def send(talk, frames):
        joined = []
        for way, frame in frames:
            if joined and joined[-1][0] == way:
                joined[-1][1] += Talk.message(way, frame)
            else:
                joined.append([way, Talk.message(way, frame)])
        for way, data in joined:
            for at in range(0, len(data), size):
                talk.send(way, data[at:at + size])
    return send


def check_vectors():
    files = sorted(file for file in VECTORS.glob('blip*/*.json') if file.name != '90_malformed.json')
    expect(len(files) > 20, f'only {len(files)} vectors in {VECTORS}')
    vectors = [(str(file.relative_to(VECTORS)), json.loads(file.read_text())) for file in files]
    connections, wanted = [], []
    for how, send in (('a packet each', single), ('joined', pieces(40_000)), ('cut', pieces(1_448))):
        for name, vector in vectors:
            frames = [(frame['dir'], bytes.fromhex(frame['hex'])) for frame in vector['frames']]
            connections.append((f'{name} ({how})', vector['subprotocol'] or 'BLIP', frames, send))
            wanted.append(vector)
    for (name, *_), vector, frames in zip(connections, wanted, lay(connections, *OLDER['blip'])):
        check_vector(name, vector, frames)


def check_vector(name, vector, found):
    dialect = DIALECTS['blip3' if vector['dialect'] == 'BLIP_3' else 'blip']
    for index, (frame, wanted) in enumerate(zip(found, vector['frames'])):
        place = f'{name} frame {index}'
        expect(frame.one('dialect') == dialect, f"{place}: {frame.one('dialect')}")
        expect(frame.way == wanted['dir'], f'{place}: goes the wrong way')
        expect(frame.number('number') == wanted['number'], f"{place}: number {frame.one('number')}")
        expect(frame.number('flags') == wanted['flags'], f"{place}: flags {frame.one('flags')}")
        expect(frame.number('ack.bytes') == wanted.get('acked'), f"{place}: ACK of {frame.one('ack.bytes')}")
        if 'crc' in wanted:
            expect(frame.number('checksum') == int(wanted['crc'], 16), f"{place}: checksum {frame.one('checksum')}")
            expect(frame.number('checksum.status') == 1, f"{place}: checksum status {frame.one('checksum.status')}")
        # This one can be read only by itself: no link begins with request 300.
        allowed = ['request 300, where 1 is the next'] if name.startswith('blip/12_number_300') else []
        wrong = [text for text in frame.experts if frame.one('error.code') is None and text not in allowed]
        expect(not wrong, f'{place}: {wrong}')
    delivered = [frame for frame in found if frame.is_last]
    expect(len(delivered) == len(vector['messages']), f"{name}: {len(delivered)} of {len(vector['messages'])} messages")
    by_key = {(frame.way, frame.number('flags.type'), frame.number('number')): frame for frame in delivered}
    for wanted in vector['messages']:
        key = (wanted['dir'], {'MSG': 0, 'RPY': 1, 'ERR': 2}[wanted['type']], wanted['number'])
        place = f'{name} message {key}'
        if key not in by_key:
            faults.append(f'{place}: is missing')
            continue
        properties, body = by_key[key].message()
        expect([[shown(text) for text in pair] for pair in wanted['properties']] == properties, f'{place}: {properties}')
        digest = hashlib.sha256(body or b'').hexdigest()
        expect(digest == wanted['body']['sha256'], f'{place}: a body of {len(body or b"")} bytes, not {wanted["body"]["length"]}')


def shown(text):
    """A property as the tree shows it."""
    return re.sub(r'[\0-\x1f\x7f]', lambda byte: f'\\x{ord(byte[0]):02x}', text)


def check_malformed():
    cases = json.loads((VECTORS / 'blip3/90_malformed.json').read_text())['cases']
    faults.extend(f'90_malformed.json: has no case {name}' for name in MALFORMED.keys() - {case['name'] for case in cases})
    connections = [(case['name'], 'BLIP_3+blipchat_1', [('c2s', bytes.fromhex(frame)) for frame in case['frames']], single)
                   for case in cases if '' not in case['frames']]
    for (name, *_), frames in zip(connections, lay(connections)):
        wanted = MALFORMED.get(name)
        if wanted:
            expect(frames and any(wanted in text for text in frames[0].experts),
                   f'{name}: {frames and frames[0].experts}, without "{wanted}"')
            continue
        wrong = [text for frame in frames for text in frame.experts]
        expect(not wrong, f'{name}: {wrong}')


def check_blip2():
    frames = [(way, bytes.fromhex(text.replace(' ', ''))) for way, text in BLIP2]

    def send(talk, frames):
        talk.packets.clear()
        talk.handshake('BLIP', '/?dialect=2.0')
        single(talk, frames)

    found, = lay([('BLIP 2.0', 'BLIP', frames, send)], *OLDER['blip'])
    messages = [frame.message() for frame in found if frame.is_last]
    text = json.loads((VECTORS / 'blip/08_gzip_body.json').read_text())['messages'][0]['body']['hex']
    wanted = [
        ([['Profile', 'echo']], b'ab'), ([], b'ab'), ([['Profile', 'echo'], ['Content-Type', 'application/json']], bytes.fromhex(text)),
        ([['Error-Domain', 'BLIP'], ['Error-Code', '404']], b''), ([['Profile', 'echo']], b''), ([['Profile', 'Bye']], b''), ([], b''),
    ]
    expect([(properties, body or b'') for properties, body in messages] == wanted, f'BLIP 2.0: {messages}')
    expect({frame.one('dialect') for frame in found} == {'BLIP 2.0'}, 'BLIP 2.0: the query dialect=2.0 does not count')
    expect([frame.is_set('meta') for frame in found] == [False] * 7 + [True, False], 'BLIP 2.0: meta is not found')
    expect([frame.one('ack.bytes') for frame in found][6] == '65512', 'BLIP 2.0: no ACK')
    expect(found[5].experts == ['request 4, where 3 is the next'], f'BLIP 2.0: {found[5].experts}')


def check_gaps():
    """A capture that lacks frames says so and continues; other protocols are left alone."""
    vector = json.loads((VECTORS / 'blip3/08_compressed_small.json').read_text())
    frames = [(frame['dir'], bytes.fromhex(frame['hex'])) for frame in vector['frames']][2:]
    found, = lay([('a gap', 'BLIP_3+blipchat_1', frames, single)])
    # After the gap each frame's checksum is taken as right for what follows.
    status = [frame.number('checksum.status') for frame in found]
    expect(status == [0, 0, 1, 1, 1, 1], f'a gap: the checksums are {status}')
    expect(found and 'request 2, where 1 is the next' in found[0].experts, f'a gap: {found and found[0].experts}')
    # The capture began after the handshake: the frames are there, what they need of others is not.
    talk = Talk()
    single(talk, frames)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'wire.pcap'
        write_capture(path, talk.packets)
        late = frames_of(path, '-d', 'tcp.port==4985,websocket', '-o', 'blipnet.ports:4985')
    expect([frame.number('number') for frame in late] == [2, 2, 3, 3, 4, 4], 'a late capture: lacks frames')
    expect([frame.number('checksum.status') for frame in late] == [2] * 6, 'a late capture: checks what it cannot')
    expect(all(any('not in the capture' in text for text in frame.experts) for frame in late), 'a late capture: says nothing')
    for subprotocol in ('chat', 'XBLIP_3+a', None):
        packets = Talk()
        packets.handshake(subprotocol)
        single(packets, frames)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'wire.pcap'
            write_capture(path, packets.packets)
            expect(not frames_of(path), f'the subprotocol {subprotocol}: was taken for BLIP')
            if subprotocol is None:
                taken = frames_of(path, '-o', 'blipnet.ports:4000-5000', '-o', 'blipnet.ports_dialect:BLIP_3', *OLDER['blip2'])
                expect({frame.one('dialect') for frame in taken} == {'BLIP 2.0'}, 'a listed port: no dialect of older links')


# ---------------------------------------------------------------------------------------------------------------------
# 2 and 3. blipwire

def record(blipwire, dialect, *options):
    """The packets of one `blipwire client`."""
    command = [blipwire, 'serve', '--insecure', '--json', '--listen', '127.0.0.1:0', '--dialect', dialect]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = json.loads(server.stdout.readline())['url']
            recorder = Recorder(int(re.search(r':(\d+)/', url)[1]))
            client = subprocess.run([blipwire, 'client', '--dialect', dialect, *options, url], capture_output=True, text=True, timeout=WAIT)
            expect(client.returncode == 0, f'blipwire client --dialect {dialect}: {client.stdout}{client.stderr}')
            return recorder.wait()
        finally:
            server.terminate()


def check_session(place, frames, dialect, is_whole):
    """What holds for every session of blipwire, and, where the capture has it whole, what happens in it."""
    expect({frame.one('dialect') for frame in frames} == {DIALECTS[dialect]}, f'{place}: not all frames are of {DIALECTS[dialect]}')
    acks = [frame for frame in frames if frame.one('ack.bytes')]
    expect(bool(acks) == (dialect != 'blip'), f'{place}: {len(acks)} ACKs')
    wrong = [(frame.packet, text) for frame in frames for text in frame.experts if frame.one('error.code') is None]
    expect(not wrong, f'{place}: {wrong[:3]}')
    if dialect == 'blip3':
        bad = [frame.packet for frame in frames if not frame.one('ack.bytes') and frame.number('checksum.status') != 1]
        expect(not bad, f'{place}: checksums that are not right in the packets {bad[:9]}')
    messages = {frame.key: frame for frame in frames if frame.is_last}
    echoes = 0
    for key, request in messages.items():
        way, number, is_request = key
        if not is_request or request.is_set('noreply'):
            continue
        response = messages.get((way, number, False))
        if response is None:
            expect(not is_whole, f'{place}: request {number} {way} has no response')
            continue
        expect(response.one('request_in') and request.one('response_in'),
               f'{place}: request {number} {way} and its response do not refer to each other')
        if request.one('profile') == 'echo':
            echoes += 1
            expect(response.message()[1] == request.message()[1], f'{place}: echo {number} {way} has another body')
    expect(echoes >= (100 if is_whole else 3), f'{place}: only {echoes} echoes')
    if not is_whole:
        return
    profiles = {frame.one('profile') for frame in messages.values()} - {None}
    wanted = {'echo', 'noreply-count', 'discard', 'source', 'error', 'there is no such profile', 'sink', 'reverse', 'sleep', 'rusage'}
    wanted |= {'Bye'} if dialect != 'blip3' else set()
    expect(profiles == wanted, f'{place}: the profiles {sorted(profiles ^ wanted)}')
    failures = {(frame.one('error.domain'), frame.one('error.code')) for frame in messages.values()} - {(None, None)}
    expect(failures == {('Test', '-17'), ('BLIP', '403'), ('Größe', '2147483647'), ('BLIP', '404')}, f'{place}: {failures}')
    flags = {flag for flag in ('urgent', 'compressed', 'noreply', 'more') for frame in frames if frame.is_set(flag)}
    expect(len(flags) == 4, f'{place}: only the flags {sorted(flags)}')


def check_captures():
    for dialect in DIALECTS:
        capture = CAPTURES / f'{dialect}.pcap.gz'
        frames = frames_of(capture, *OLDER[dialect])
        check_session(capture.name, frames, dialect, is_whole=False)
        # The list of packets names every BLIP frame, also of packets with several, and nothing else of these packets.
        listed = tshark(capture, '-2', '-Y', 'blipnet', *OLDER[dialect])
        expect('WebSocket' not in listed, f'{capture.name}: the list of packets is not only about BLIP')
        names = len(re.findall(r'(?:request|response) \d+', listed))
        expect(names == len(frames), f'{capture.name}: the list of packets names {names} frames of {len(frames)}')
        wanted, lines = (CAPTURES / f'{dialect}.txt').read_text().splitlines(), [frame.line() for frame in frames]
        expect(len(lines) == len(wanted), f'{capture.name}: {len(lines)} frames, not {len(wanted)}')
        for line, right in [pair for pair in zip(lines, wanted) if pair[0] != pair[1]][:3]:
            faults.append(f'{capture.name}: is     {line}\n{capture.name}: not    {right}')


def check_live(blipwire):
    for dialect in DIALECTS:
        packets = record(blipwire, dialect, '--big', '200000', '--concurrency', '10')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'live.pcap'
            write_capture(path, packets)
            check_session(f'blipwire --dialect {dialect}', frames_of(path, *OLDER[dialect]), dialect, is_whole=True)


def record_captures(blipwire):
    CAPTURES.mkdir(exist_ok=True)
    for dialect in DIALECTS:
        packets, length = [], 0
        for when, packet in record(blipwire, dialect, '--big', '0', '--concurrency', '1'):
            # All at the same time of day: a capture says nothing about the machine that made it.
            packets.append((1_700_000_000 + len(packets) / 10_000, packet))
            # Packets of the server come from the port that the first packet goes to.
            length += len(packet) if packet[34:36] == packets[0][1][36:38] else 0
            if length > STORED:
                break
        write_capture(CAPTURES / f'{dialect}.pcap.gz', packets)
        lines = [frame.line() for frame in frames_of(CAPTURES / f'{dialect}.pcap.gz', *OLDER[dialect])]
        (CAPTURES / f'{dialect}.txt').write_text('\n'.join(lines) + '\n')


def why_no_capture(blipwire):
    """Why no packets can be captured here; None: they can."""
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)).close()
    except OSError as error:
        return f'packets of the loopback device cannot be captured here: {error.strerror}'
    # One that was named and is not there makes the test fail.
    is_named = len(sys.argv) > 1 or 'BLIPWIRE' in os.environ
    return None if is_named or os.access(blipwire, os.X_OK) else f'there is no program {blipwire}'


def run(name, check, reason=None):
    """One test, in the words of Swift Testing: Scripts/run_tests.sh makes its lists of them."""
    if reason:
        print(f'Test "{name}" skipped: "{reason}"', flush=True)
        return
    start, before = time.monotonic(), len(faults)
    try:
        check()
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
        faults.append(f'{name}: {type(error).__name__}: {error}')
    for fault in faults[before:before + 20]:
        print(f'error: {fault}')
    print(f'Test "{name}" {"failed" if len(faults) > before else "passed"} after {time.monotonic() - start:.3f} seconds.', flush=True)


def main():
    is_recording = '--record' in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != '--record']
    blipwire = arguments[0] if arguments else os.environ.get('BLIPWIRE', str(ROOT / '.build/debug/blipwire'))
    reason = None if shutil.which('tshark') else 'tshark is missing (apt install tshark)'
    if is_recording:
        if reason := reason or why_no_capture(blipwire):
            sys.exit(f'dissector.py: {reason}')
        record_captures(blipwire)
    run('dissector: vectors', check_vectors, reason)
    run('dissector: malformed frames', check_malformed, reason)
    run('dissector: BLIP 2.0', check_blip2, reason)
    run('dissector: gaps and other protocols', check_gaps, reason)
    run('dissector: captures', check_captures, reason)
    run('dissector: blipwire now', lambda: check_live(blipwire), reason or why_no_capture(blipwire))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
