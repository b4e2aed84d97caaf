#!/usr/bin/env python3
"""crowd.py COUNT [MESSAGES] [IDLE]: one `blipchat serve` with COUNT contacts linked at once, all of them small clients in this process
(TLS 1.3, WebSocket, BLIP_3), who send MESSAGES each. Memory and processor time for each contact and message, and how it ends."""
import asyncio, base64, contextlib, hashlib, json, os, pathlib, re, resource, signal, ssl, struct, subprocess, sys, tempfile, time, uuid, zlib

BLIPCHAT = os.environ.get('BLIPCHAT', '.build/release/blipchat')
# What stands before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410).
SPKI = bytes.fromhex('302a300506032b6570032100')


def person(folder, number):
    """An identity as blipchat has one: a file with key and certificate, and the peer id."""
    pem = folder / f'{number}.pem'
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=x', '-days', '9000', '-keyout', pem, '-out', f'{pem}.cert'],
                   check=True, stderr=-3)
    certificate = pathlib.Path(f'{pem}.cert').read_text()
    with open(pem, 'a') as file: file.write(certificate)
    der = ssl.PEM_cert_to_DER_cert(certificate)
    at = der.index(SPKI)
    return pem, base64.b32encode(hashlib.sha256(der[at:at + len(SPKI) + 32]).digest()).decode().lower().rstrip('=')


def varint(number):
    out = b''
    while number > 127: out += bytes([number & 127 | 128]); number >>= 7
    return out + bytes([number])


class Client:
    """One contact: says hello, acknowledges what comes, and sends messages."""

    def __init__(self, number, pem):
        self.number, self.pem, self.requests, self.crc, self.waiting, self.sequence = number, pem, 0, 0, {}, 0

    async def connect(self, port):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.load_cert_chain(self.pem)
        self.reader, self.writer = await asyncio.open_connection('127.0.0.1', port, ssl=context)
        self.writer.write(b'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
                          b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: BLIP_3+blipchat_1\r\n\r\n')
        head = await self.reader.readuntil(b'\r\n\r\n')
        if b' 101 ' not in head: raise ConnectionError(head)
        self.online = asyncio.get_running_loop().create_future()
        self.reading = asyncio.create_task(self.read())
        await self.request({'Profile': 'hello', 'Name': f'p{self.number}', 'Client': 'crowd'})
        await self.online

    @property
    def is_linked(self):
        online = getattr(self, 'online', None)
        return bool(online and online.done() and not self.reading.done())

    def frame(self, number, flags, data):
        self.crc = zlib.crc32(data, self.crc)
        body = varint(number) + varint(flags) + data + struct.pack('>I', self.crc)
        size = len(body)
        head = bytes([0x82, 128 | size]) if size < 126 else bytes([0x82, 254]) + struct.pack('>H', size)
        self.writer.write(head + bytes(4) + body)

    def request(self, properties, text=b''):
        self.requests += 1
        listed = b''.join(name.encode() + b'\0' + value.encode() + b'\0' for name, value in properties.items())
        self.frame(self.requests, 0x10, varint(len(listed)) + listed + text)
        answer = self.waiting[self.requests] = asyncio.get_running_loop().create_future()
        return answer

    def say(self, text):
        """An answer to come: True when the message is stored."""
        self.sequence += 1
        return self.request({'Profile': 'message', 'Id': str(uuid.uuid4()), 'Seq': str(self.sequence), 'Sent': str(int(time.time() * 1000))}, text.encode())

    async def read(self):
        inflater = zlib.decompressobj(-15)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                first, second = await self.reader.readexactly(2)
                size = second & 127
                if size == 126: size, = struct.unpack('>H', await self.reader.readexactly(2))
                elif size == 127: size, = struct.unpack('>Q', await self.reader.readexactly(8))
                data = await self.reader.readexactly(size)
                if first & 15 == 9: self.writer.write(bytes([0x8a, 128 | size]) + bytes(4) + data)
                if first & 15 == 8: return
                if first & 15 == 2: self.take(data, inflater)

    def take(self, data, inflater):
        number = shift = at = 0
        while True:
            number |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128: break
        flags, body = data[at], data[at + 1:-4]
        if flags & 7 >= 4: return
        if flags & 8: body = inflater.decompress(body + b'\0\0\xff\xff')
        if flags & 7 == 0:
            if b'hello\0' in body:
                listed = b'Contact\0accepted\0'
                self.frame(number, 0x11, varint(len(listed)) + listed)
                if not self.online.done(): self.online.set_result(True)
            elif not flags & 0x20: self.frame(number, 0x11, b'\0')
        elif (answer := self.waiting.pop(number, None)) and not answer.done(): answer.set_result(flags & 7 == 1)


def usage(pid):
    """Resident KiB and seconds of processor time."""
    fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
    resident = int(re.search(r'VmRSS:\s*(\d+)', open(f'/proc/{pid}/status').read())[1])
    return resident, (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def prepare(folder, count):
    """A home whose contacts they all are; its environment and the clients."""
    people = [person(folder, number) for number in range(count)]
    home = folder / 'home'
    home.mkdir(mode=0o700)
    (home / 'config.toml').write_text(f'[limits]\nknown_connections = {count + 10}\nhandshakes_per_second = 1000\n'
                                      'unknown_connections = 512\nconnections_per_address = 512\n')
    environment = dict(os.environ, BLIPCHAT_HOME=str(home), USER='hub')
    records = [{'v': 1, 'type': 'export', 'program': 'blipchat'}]
    records += [{'v': 1, 'type': 'contact', 'name': f'p{number}', 'peer_id': peer, 'addresses': [], 'trust': 'verified', 'blocked': False,
                 'added': '2026-01-01T00:00:00.000Z'} for number, (_, peer) in enumerate(people)]
    records.append({'v': 1, 'type': 'end', 'messages': 0, 'operations': 0})
    export = folder / 'people.json'
    export.write_text(''.join(json.dumps(record) + '\n' for record in records))
    subprocess.run([BLIPCHAT, 'id'], env=environment, stdout=-3, stderr=-3, check=True)
    subprocess.run([BLIPCHAT, 'import', export], env=environment, stdout=-3, stderr=-3, check=True)
    return environment, [Client(number, pem) for number, (pem, _) in enumerate(people)]


async def join_all(clients, port):
    gate = asyncio.Semaphore(8)

    async def join(client):
        async with gate:
            for _ in range(400):
                try: return await asyncio.wait_for(client.connect(port), 20)
                except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError): await asyncio.sleep(0.3)
    await asyncio.gather(*map(join, clients))


async def measure(count, messages=20, idle=20):
    """What a crowd costs: KiB a contact, share of a core at rest, microseconds of processor a message, seconds to the end."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix='crowd') as place:
        environment, clients = prepare(pathlib.Path(place), count)
        serve = subprocess.Popen([BLIPCHAT, 'serve', '--listen', '127.0.0.1:0'], env=environment, stdout=subprocess.PIPE, stderr=-3)
        try:
            port = int(serve.stdout.readline().split(b':')[-1])
            await asyncio.sleep(3)
            empty, _ = usage(serve.pid)
            await join_all(clients, port)
            await asyncio.sleep(10)
            before, begun = usage(serve.pid), time.monotonic()
            await asyncio.sleep(idle)
            after, took = usage(serve.pid), time.monotonic() - begun
            linked = sum(client.is_linked for client in clients)

            async def talk(client):
                # A contact may send so many a second.
                return sum(await asyncio.gather(*(client.say(f'message {number}, forty bytes of it or so') for number in range(messages))))
            stored = sum(await asyncio.wait_for(asyncio.gather(*map(talk, clients)), 300))
            _, busy = usage(serve.pid)
            serve.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            await asyncio.to_thread(serve.wait, 60)
            return {'linked': linked, 'stored': stored, 'resident': (after[0] - empty) / count, 'rest': 100 * (after[1] - before[1]) / took,
                    'message': (busy - after[1]) / max(1, stored) * 1e6, 'end': time.monotonic() - begun}
        finally:
            serve.kill()
            serve.wait()
            for client in clients:
                if hasattr(client, 'writer'): client.writer.close()


if __name__ == '__main__':
    found = asyncio.run(measure(*map(int, sys.argv[1:])))
    print('{linked} linked, {stored} messages stored; {resident:.0f} KiB a contact, {rest:.1f} % of a core at rest, {message:.0f} us of processor a message, '
          'ends {end:.1f} s after SIGTERM'.format(**found))
