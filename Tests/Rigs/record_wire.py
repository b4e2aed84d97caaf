#!/usr/bin/env python3
"""record_wire.py PROGRAM FILE: writes what two blipchats of that version say to each other, request by request, to FILE as JSON.

Between them stands this script, which has the keys of both. The test vectors of older versions are made with it
(Tests/ChatCoreTests/Vectors); what is random in them (ids, times, digests) is as it came."""
import json, os, pathlib, re, socket, ssl, struct, subprocess, sys, tempfile, threading, time, zlib

WAIT = 60
MESSAGE, REPLY, ERROR, ACK_MESSAGE = 0, 1, 2, 4


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


class Direction:
    """The bytes of one direction: WebSocket frames, in them frames of BLIP_3, of which messages are put together."""

    def __init__(self, speaker, record):
        self.speaker, self.record = speaker, record
        self.rest, self.isOpen, self.parts = b'', False, {}
        self.inflater = zlib.decompressobj(-15)

    def take(self, data):
        self.rest += data
        if not self.isOpen:
            if b'\r\n\r\n' not in self.rest:
                return
            self.rest, self.isOpen = self.rest.split(b'\r\n\r\n', 1)[1], True
        while len(self.rest) >= 2:
            length, at = self.rest[1] & 127, 2
            if length == 126:
                length, at = struct.unpack('>H', self.rest[2:4].ljust(2, b'\0'))[0], 4
            elif length == 127:
                length, at = struct.unpack('>Q', self.rest[2:10].ljust(8, b'\0'))[0], 10
            mask = b'\0\0\0\0'
            if self.rest[1] & 128:
                mask, at = self.rest[at:at + 4], at + 4
            if len(self.rest) < at + length:
                return
            payload = bytes(byte ^ mask[index & 3] for index, byte in enumerate(self.rest[at:at + length]))
            opcode, self.rest = self.rest[0] & 15, self.rest[at + length:]
            if opcode == 2:
                self.frame(payload)

    def frame(self, data):
        number, at = varint(data, 0)
        flags, at = varint(data, at)
        kind = flags & 7
        if kind >= ACK_MESSAGE:
            return
        body = data[at:-4]
        if flags & 0x08:
            body = self.inflater.decompress(body + b'\0\0\xff\xff')
        first, before = self.parts.pop((number, kind), (flags, b''))
        if flags & 0x40:
            self.parts[number, kind] = (first, before + body)
            return
        whole = before + body
        length, at = varint(whole, 0)
        words = whole[at:at + length].decode().split('\0')[:-1]
        said = {
            'from': self.speaker, 'kind': ['request', 'reply', 'error'][kind], 'number': number, 'urgent': bool(first & 0x10),
            'noReply': bool(first & 0x20), 'properties': dict(zip(words[::2], words[1::2]))}
        content = whole[at + length:]
        # The files themselves are of no interest.
        said |= {'body': content.hex()} if kind == MESSAGE else {'length': len(content)}
        self.record(said)


def between(listener, own_to_caller, target, own_to_called, record):
    """One connection: TLS to both sides, each byte passed on and read."""
    while True:
        raw, _ = listener.accept()
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(own_to_caller)
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
        client.load_cert_chain(own_to_called)
        try:
            caller = server.wrap_socket(raw, server_side=True)
            called = client.wrap_socket(socket.create_connection(target))
        except OSError:
            continue
        for source, sink, speaker in ((caller, called, 'caller'), (called, caller, 'called')):
            def passOn(source=source, sink=sink, direction=Direction(speaker, record)):
                try:
                    while data := source.recv(65536):
                        sink.sendall(data)
                        direction.take(data)
                except OSError:
                    pass
            threading.Thread(target=passOn, daemon=True).start()


def main():
    program, file = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix='record') as folder:
        place = pathlib.Path(folder)
        homes = {name: place / name for name in ('caller', 'called')}

        def run(name, *words, **more):
            environment = {'BLIPCHAT_HOME': str(homes[name] / 'home'), 'HOME': str(homes[name]), 'USER': name, 'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8'}
            homes[name].mkdir(exist_ok=True)
            return subprocess.Popen([program, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

        def done(name, *words):
            process = run(name, *words)
            out, error = process.communicate(timeout=WAIT)
            if process.returncode:
                sys.exit(f'{name}: {words}: {error}')
            return out

        identity = {name: re.search(r'[a-z2-7]{52}', done(name, 'id'))[0] for name in homes}
        many = homes['caller'] / 'many'
        many.mkdir()
        for number in range(3):
            (many / f'{number}.txt').write_text(f'file {number}\n' * 40)
        (many / 'large.txt').write_text('large\n' * 20_000)
        serving = [run(name, 'serve', '--listen', '127.0.0.1:0', '--accept-requests', '--accept-files', '1G') for name in homes]
        port = re.search(r':(\d+)', serving[1].stdout.readline())[1]
        serving[0].stdout.readline()
        listener = socket.create_server(('127.0.0.1', 0))
        records = []
        threading.Thread(daemon=True, target=between, args=(
            listener, homes['called'] / 'home/identity.key', ('127.0.0.1', int(port)), homes['caller'] / 'home/identity.key', records.append)).start()
        done('caller', 'contacts', 'add', f'blip://127.0.0.1:{listener.getsockname()[1]}/{identity["called"]}', '--name', 'called')
        done('caller', 'send', 'called', 'Grüße, ☃', '--timeout', WAIT)
        done('called', 'send', 'caller', 'a line\nand another ' + 'x' * 3000, '--timeout', WAIT)
        done('caller', 'send-file', 'called', many, '-q', '--timeout', WAIT)
        # What only the line mode of that time can say.
        plain = run('called', '--plain', 'caller', stdin=subprocess.PIPE)
        for line in ('/away at lunch', 'a reply follows', '/edit a reply followed', '/react 👍', '/delete', '/back', '/quit'):
            plain.stdin.write(line + '\n')
            plain.stdin.flush()
            time.sleep(1)
        plain.communicate(timeout=WAIT)
        for process in serving:
            process.terminate()
            process.wait(WAIT)
        file.write_text(json.dumps(records, indent=1, ensure_ascii=False) + '\n')
        print(f'{len(records)} messages: ' + ', '.join(sorted({record['properties'].get('Profile', '-') for record in records})))


main()
