#!/usr/bin/env python3
"""bench_net.py [ROW...] [--write DOCUMENT]: what the chat does on paths that are not loopback, beside bare TCP and tar over ssh.

Two blipchats in two network namespaces, between them netpath.c, which delays, limits and loses packets (net.PROFILES). As root, no
internet; BLIPCHAT=/path/to/blipchat. Ratios are within one run. Rows whose names begin with one of ROW; all by default (14 minutes)."""
import asyncio, base64, contextlib, json, os, pathlib, queue, re, shutil, statistics, subprocess, sys, tempfile, threading, time, uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import crowd, net, pair

BEGIN, END = '<!-- bench-net begins -->', '<!-- bench-net ends -->'
os.environ.setdefault('RIGDIR', '/dev/shm')


def shares(profile, size):
    """How fast a file of `size` bytes goes, as a share of bare TCP over the same path."""
    with net.Path(profile) as path, pair.Pair(path) as chat, tempfile.NamedTemporaryFile(dir='/dev/shm') as file:
        file.write(os.urandom(size)); file.flush()
        bare = net.bare(path, size)
        ours = chat.send_file(file.name, 'file.bin')
        return f'{100 * bare / ours:.0f} % of bare TCP ({size * 8 / ours / 1e6:.2f} Mbit/s)'


def ticks(chat, label, count, gap):
    """Milliseconds from the moment that a line is entered to its delivery mark."""
    found = []
    with chat.a.session() as session:
        contact = session.contact('bob')
        session.subscribe()
        events = session.events()
        session.socket.settimeout(120)
        for number in range(count):
            identifier, begun = str(uuid.uuid4()), time.monotonic()
            session.call('sendOnce', contact=contact, text=f'{label} {number}', id=identifier)
            for moment, name, payload in events:
                if name != 'messageChanged' or payload['id'] != identifier: continue
                state = payload['state'] if isinstance(payload['state'], str) else next(iter(payload['state']))
                if state in ('delivered', 'read'): break
            found.append((moment - begun) * 1e3)
            time.sleep(gap * (0.5 + (number * 0.618) % 1))
    return found


def beside_file(path, chat, count, settle, gap):
    """The ticks of lines beside a file on the same way, the counters of that way, and the seconds that it took."""
    with tempfile.NamedTemporaryFile(dir='/dev/shm') as file:
        file.truncate(2 << 30)
        sender = path.popen('a', [pair.BLIPCHAT, 'send-file', 'bob', file.name, '-q', '--timeout', '100'], env=chat.a.env, stdout=-3, stderr=-3)
        time.sleep(settle)
        path.ctl('zero'); begun = time.monotonic()
        found = ticks(chat, 'beside', count, gap)
        way, took = path.stat()['ab'], time.monotonic() - begun
        net.stop(sender)
    return found, way, took


def lossy(profile, count, settle=8, gap=0.3):
    """Nine of ten lines beside a file on a path that loses packets, in round trips."""
    with net.Path(profile) as path, pair.Pair(path) as chat:
        found, way, took = beside_file(path, chat, count, settle, gap)
        slow, trip = sorted(found)[(9 * count - 1) // 10], 2 * path.keys['delay']
        return (f'{slow / trip:.1f} round trips ({slow:.0f} ms, median {statistics.median(found):.0f}), '
                f'the file {way["payload"] * 8 / took / 1e6:.1f} Mbit/s')


def beside(profile, count, settle, gap):
    """A line alone and beside a file on the same way, and what the file has of the line meanwhile."""
    with net.Path(profile) as path, pair.Pair(path) as chat:
        alone = statistics.median(ticks(chat, 'alone', count, gap))
        found, way, took = beside_file(path, chat, count, settle, gap)
        both = statistics.median(found)
        rate = path.keys.get('rate_ab') or path.keys['rate']
        return (f'{both / alone:.1f} times ({alone:.0f} and {both:.0f} ms), the file has '
                f'{way["payload"] * 8 / took / rate / 1e4:.0f} % of the line, queue {way["meanq_ms"]:.0f} ms')


def vanished(how):
    """A line that is sent right after the path has changed: how long until it is on the other screen."""
    with net.Path('home') as path, pair.Pair(path) as chat:
        time.sleep(2)
        news = chat.b.events()
        if how == 'address':
            path.run('a', ['ip', 'addr', 'del', '10.77.0.1/24', 'dev', 'n0'])
            path.run('a', ['ip', 'addr', 'add', '10.77.0.3/24', 'dev', 'n0'])
        else:
            path.ctl('forget')
        begun = time.monotonic()
        for _ in chat.a.send('bob', 'still there?'): pass
        try:
            while True:
                moment, name, payload = news.get(timeout=60)
                if name == 'messageAdded' and payload.get('content', {}).get('text') == 'still there?':
                    return f'{moment - begun:.2f} s'
        except queue.Empty:
            return 'not within 60 s'


def folder(profile, count):
    """Files of 4 KiB in one folder, beside tar over ssh."""
    if not all(map(shutil.which, ('ssh', 'sshd', 'ssh-keygen'))):
        return 'left out: no OpenSSH here (apt-get install openssh-server)'
    with net.Path(profile) as path:
        place = pathlib.Path(tempfile.mkdtemp(prefix='many', dir='/dev/shm'))
        source = place / 'many'
        for number in range(count):
            below = source / f'd{number % 100:02}'
            below.mkdir(parents=True, exist_ok=True)
            (below / f'f{number:05}.bin').write_bytes(os.urandom(4096))
        ssh = pair.SSH(path)
        tar = ssh.tar(str(source), place / 'out')
        ssh.close()
        with pair.Pair(path) as chat:
            ours = chat.send_file(source, 'many')
        shutil.rmtree(place, ignore_errors=True)
        return f'{ours / tar:.1f} times tar ({ours:.1f} and {tar:.1f} s)' if ours else 'not all of them came'


class Rest:
    """What one process that has nothing to say costs with `count` contacts who are online, or who have been gone for months: wake-ups and
    bytes. It settles while other rows are measured: how long somebody has been quiet or away decides what they cost."""

    def __init__(self, count, are_there, settle):
        self.count, self.are_there, self.settle = count, are_there, settle

    def begin(self):
        self.close = contextlib.ExitStack()
        self.path = self.close.enter_context(net.Path('lan100'))
        folder = self.close.enter_context(tempfile.TemporaryDirectory())
        self.alice = pair.Home(self.path, 'a', 'alice', folder)
        self.close.callback(self.alice.stop)
        if not self.are_there: self.alice.run('import', self.gone(folder), stdout=-3)
        self.alice.serve()
        if self.are_there:
            mine = self.alice.address()
            for number in range(self.count):
                home = pair.Home(self.path, 'b', f'p{number}', folder)
                self.close.callback(home.stop)
                home.serve(port=6000 + number)
                home.run('contacts', 'add', mine, '--name', 'alice', stdout=-3, stderr=-3)
        self.began, self.ended = time.monotonic(), threading.Event()
        self.watching = threading.Thread(target=self.watch, daemon=True)
        self.watching.start()

    def gone(self, folder):
        """An export of people at addresses where nothing answers."""
        records = [{'v': 1, 'type': 'export', 'program': 'blipchat'}]
        for number in range(self.count):
            key = base64.b32encode(os.urandom(32)).decode().lower().rstrip('=')
            records.append({'v': 1, 'type': 'contact', 'name': f'p{number}', 'peer_id': key, 'addresses': [f'10.77.0.200:{6000 + number}'],
                            'trust': 'verified', 'blocked': False, 'added': '2026-01-01T00:00:00.000Z'})
        records.append({'v': 1, 'type': 'end', 'messages': 0, 'operations': 0})
        file = pathlib.Path(folder) / 'people.json'
        file.write_text(''.join(json.dumps(record) + '\n' for record in records))
        return file

    def watch(self):
        time.sleep(self.settle)
        self.path.ctl('zero')
        self.since = time.monotonic()
        self.wakes = pair.wakes(self.alice.pid, float('inf'), self.ended)

    def __call__(self, least=300):
        with self.close:
            time.sleep(max(0, self.began + self.settle + least - time.monotonic()))
            self.ended.set()
            self.watching.join()
            took, way = time.monotonic() - self.since, self.path.stat()
            return (f'{self.wakes / took:.2f} wake-ups/s, {(way["ab"]["bytes"] + way["ba"]["bytes"]) * 3600 / took / 1e6:.2f} MB/h '
                    f'over {took:.0f} s, after {self.settle} s at rest')


def away(seconds=60):
    """Nothing passes for so long, while lines wait: how long until the first one is there once the path is back."""
    with net.Path('home') as path, pair.Pair(path) as chat:
        time.sleep(2)
        news = chat.b.events()
        path.ctl('down=1')
        for number in range(20):
            for _ in chat.a.send('bob', f'waits {number}'): pass
        time.sleep(seconds)
        path.ctl('down=0'); back = time.monotonic()
        while True:
            moment, name, payload = news.get(timeout=200)
            if name == 'messageAdded' and payload.get('content', {}).get('text') == 'waits 19':
                return f'{moment - back:.1f} s (all of 20 lines)'


def resume(size=1_000_000_000):
    """The receiver is killed at 90 % and started again: when the file continues, and how much comes twice."""
    with net.Path('lan100') as path, pair.Pair(path) as chat, tempfile.NamedTemporaryFile(dir='/dev/shm') as file:
        file.truncate(size)
        path.ctl('zero')
        sender = path.popen('a', [pair.BLIPCHAT, 'send-file', 'bob', file.name, '--name', 'big', '-q', '--timeout', '100'], env=chat.a.env, stdout=-3, stderr=-3)
        while max([part.stat().st_size for part in (chat.b.home / 'downloads').glob('.*part')] or [0]) < size * 0.9: time.sleep(0.05)
        os.kill(chat.b.pid, 9); chat.b.process.wait()
        time.sleep(1)
        sent = path.stat()['ab']['payload']
        path.ctl('zero'); begun, first = time.monotonic(), None
        chat.b.serve()
        while sender.poll() is None:
            if first is None and path.stat()['ab']['payload'] > 300_000: first = time.monotonic() - begun
            time.sleep(0.02)
        more = path.stat()['ab']['payload']
        # A connection adds 0.3 % for frames and records.
        return f'{first or time.monotonic() - begun:.1f} s with the start of the program, {max(0, (sent + more) / 1.004 - size) / 1e6:.1f} MB twice'


def cold(rounds=5):
    """`blipchat send` while no chat runs here: round trips until the line is on the peer's disk."""
    with net.Path('far') as path, pair.Pair(path) as chat:
        trip, found = net.rtt(path, 10)[0], []
        for number in range(rounds):
            chat.a.stop(); time.sleep(1)
            begun = time.monotonic()
            chat.a.run('send', 'bob', f'cold {number}', '--timeout', '30', stdout=-3, stderr=-3)
            found.append((time.monotonic() - begun) * 1e3)
        return f'{statistics.median(found) / trip:.1f} round trips'


def processor(size=40_000_000, rounds=2):
    """Processor time of both ends of a file, beside scp."""
    if not all(map(shutil.which, ('ssh', 'sshd', 'ssh-keygen'))):
        return 'left out: no OpenSSH here (apt-get install openssh-server)'
    import resource
    with net.Path('home') as path, pair.Pair(path) as chat, tempfile.NamedTemporaryFile(dir='/dev/shm') as file:
        file.write(os.urandom(size)); file.flush()
        ssh, ours, theirs = pair.SSH(path), [], []

        def children():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        def ended(pid):
            fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
            return (int(fields[13]) + int(fields[14])) / os.sysconf('SC_CLK_TCK')
        for number in range(rounds):
            before = chat.a.cpu(), chat.b.cpu()
            chat.send_file(file.name, f'f{number}')
            ours.append((chat.a.cpu() - before[0], chat.b.cpu() - before[1]))
            before = children(), ended(ssh.p.pid)
            ssh.scp(file.name, file.name + '.out')
            time.sleep(0.5)
            theirs.append((children() - before[0], ended(ssh.p.pid) - before[1]))
            os.unlink(file.name + '.out')
        ssh.close()
        share = [100 * statistics.median(a[end] for a in ours) / max(0.01, statistics.median(b[end] for b in theirs)) for end in (0, 1)]
        return f'{share[0]:.0f} % of scp at the sender, {share[1]:.0f} % at the receiver'


def disk(count=20):
    """Syncs and pages of the disk for one line, over both ends, with the search indexes that follow."""
    if not shutil.which('strace'): return 'left out: no strace here (apt-get install strace)'
    with net.Path('lan100') as path, pair.Pair(path) as chat, tempfile.TemporaryDirectory() as place:
        time.sleep(2)
        tracers = [subprocess.Popen(['strace', '-f', '-q', '-e', 'trace=fsync,fdatasync,pwrite64', '-o', f'{place}/{home.name}', '-p', str(home.pid)],
                                    stderr=subprocess.DEVNULL) for home in (chat.a, chat.b)]
        time.sleep(2)
        ticks(chat, 'line', count, 0.7)
        for tracer in tracers: tracer.terminate(); tracer.wait()

        def each(pattern):
            return [sum(bool(re.search(pattern, line)) for line in open(f'{place}/{home.name}')) / count for home in (chat.a, chat.b)]
        # Both calls may be cut in two lines by another thread: the line with which one begins is counted.
        (a, b), (c, d) = each(r' f(data)?sync\('), each(r' pwrite64\(.*, 4096, ')
        return f'{a:.1f} and {b:.1f} syncs at sender and receiver, {c:.1f} and {d:.1f} pages'


def switched(count=40, gap=0.5):
    """How often threads go to sleep for one delivered line, at both ends; what they do at rest is taken off."""
    with net.Path('lan100') as path, pair.Pair(path) as chat:
        homes = (chat.a, chat.b)

        def meanwhile(act):
            before, begun = [pair.switches(home.pid) for home in homes], time.monotonic()
            act()
            took = time.monotonic() - begun
            return [sum(after - earlier.get(thread, 0) for thread, after in pair.switches(home.pid).items()) / took
                    for home, earlier in zip(homes, before)], took
        ticks(chat, 'before', 5, gap)
        time.sleep(5)
        rest, _ = meanwhile(lambda: time.sleep(20))
        busy, took = meanwhile(lambda: ticks(chat, 'line', count, gap))
        of = [(each - still) * took / count for each, still in zip(busy, rest)]
        return f'{of[0]:.0f} at the sender, {of[1]:.0f} at the receiver'


def crowded(count=1000, few=50):
    """One chat with many contacts who are online, and what a message costs there beside one with few."""
    if not shutil.which('openssl'): return 'left out: no openssl here (apt-get install openssl)'
    many, some = (asyncio.run(crowd.measure(each)) for each in (count, few))
    if many['linked'] < count: return f"only {many['linked']} of them got in"
    return (f"{many['resident']:.0f} KiB each, {many['rest']:.1f} % of a core at rest, {many['message'] / some['message']:.1f} times the processor a message "
            f"of {few} contacts ({many['message']:.0f} us), ends in {many['end']:.1f} s")


def small(size=1_000_000, rounds=3):
    """How much longer a small file takes than bare TCP on a far path, in round trips."""
    with net.Path('far') as path, pair.Pair(path) as chat, tempfile.NamedTemporaryFile(dir='/dev/shm') as file:
        file.write(os.urandom(size)); file.flush()
        trip = net.rtt(path, 10)[0]
        more = [(chat.send_file(file.name, f'f{number}') - net.bare(path, size)) * 1e3 / trip for number in range(rounds)]
        return f'{statistics.median(more):.1f} round trips more'


ROWS = [
    # name, what, what the program of 2026-11-20 did, goal, how
    ('file-satellite', '40 MB over 600 ms at 20 Mbit/s', '10 %', '>= 90 %', lambda: shares('satellite', 40_000_000)),
    ('file-far', '60 MB over 150 ms at 100 Mbit/s', '95 %', '>= 90 %', lambda: shares('far', 60_000_000)),
    ('file-small', '1 MB over 150 ms, beside bare TCP', 'not measured', '<= 1.5 round trips more', lambda: small()),
    ('file-home', '40 MB over 20 ms at 50 Mbit/s', '99 %', '>= 90 %', lambda: shares('home', 40_000_000)),
    ('file-wifi', '40 MB over Wi-Fi that stalls', '102 %', '>= 90 %', lambda: shares('wifi', 40_000_000)),
    ('file-mobile', '5 MB over a mobile path', 'not measured', '>= 90 %', lambda: shares('mobile', 5_000_000)),
    ('file-loss', '10 MB at 1 % loss', '85 %', '>= 300 %', lambda: shares('loss1', 10_000_000)),
    ('file-loss5', '4 MB at 5 % loss', '85 %', '>= 300 %', lambda: shares('loss5', 4_000_000)),
    ('line-loss', 'a line beside a file at 1 % loss, p90', '8 round trips', '<= 2', lambda: lossy('loss1', 40)),
    ('line-loss5', 'the same at 5 % loss', '13 round trips', '<= 2', lambda: lossy('loss5', 40)),
    ('line-1M', 'a line beside a file, 1 Mbit/s, queue of 1 s', '13 times', '<= 2 times', lambda: beside('bloat', 12, 8, 0.7)),
    ('line-10M', 'the same, 10 Mbit/s', '20 times', '<= 2 times', lambda: beside('bloat10', 12, 8, 0.7)),
    ('line-home', 'the same, 50 Mbit/s at home', '4.6 times', '<= 2 times', lambda: beside('home', 12, 8, 0.7)),
    ('line-short', 'the same, 1 Mbit/s, queue of 250 ms', '13 times', '<= 2 times', lambda: beside('slow1', 12, 8, 0.7)),
    ('line-modem', 'the same, 64 kbit/s modem', '40 times', '<= 4 times', lambda: beside('modem', 8, 20, 2)),
    ('gone-address', 'first line after our address has changed', '21 s', '<= 0.6 s', lambda: vanished('address')),
    ('gone-nat', 'first line after the NAT has lost its mapping', '21 s', '<= 0.6 s', lambda: vanished('nat')),
    ('gone-away', 'lines that wait while nothing passes for 60 s', 'up to 26.5 s', '<= 2 s', lambda: away()),
    ('folder-lan', '1,000 files of 4 KiB over a LAN', '50 times', '<= 1.5 times', lambda: folder('lan100', 1000)),
    ('folder-many', '10,000 files of 4 KiB over a LAN', '75 times, and a false failure', '<= 1.5 times', lambda: folder('lan100', 10_000)),
    ('folder-far', '2,000 files of 4 KiB over 150 ms', 'not measured', '<= 1.5 times', lambda: folder('far', 2000)),
    ('resume', '1 GB, the receiver killed at 90 %', '1.7 s a GB, 20-43 MB twice', '<= 1.3 s, <= 1 MB', lambda: resume()),
    ('cold', '`send` while no chat runs, 150 ms', '6.4 round trips', '<= 4', lambda: cold()),
    ('processor', '40 MB at 50 Mbit/s, processor time', '135 % of scp', '<= 100 %', lambda: processor()),
    ('disk', 'syncs and pages of the disk for one delivered line', '4 + 2, 19 + 13', '3 and 6', lambda: disk()),
    ('switches', 'thread switches for one delivered line', '46 + 19', '<= 25', lambda: switched()),
    ('crowd', '1,000 contacts online in one chat', '91 KiB each, 1.7 times, no end (3,000)', '<= 64 KiB, 1 %, 1.1 times, 2 s', lambda: crowded()),
    ('rest-50', '50 contacts online, at rest', '27 wake-ups/s, 3.5 MB/h', '<= 1/s, 0.4 MB/h', Rest(50, are_there=True, settle=300)),
    ('rest-gone', '50 contacts who have been gone for months, at rest', '13 wake-ups/s, 2.0 MB/h', '<= 0.1/s, 0.05 MB/h', Rest(50, are_there=False, settle=480)),
]


def main():
    words = sys.argv[1:]
    document = None
    if '--write' in words:
        at = words.index('--write')
        document = pathlib.Path(words[at + 1])
        del words[at:at + 2]
    if os.geteuid() != 0:
        print('bench-net: left out, network namespaces need root (sudo make bench-net)')
        return 0
    if not shutil.which('cc') or not shutil.which('ip'):
        print('bench-net: left out, it needs a C compiler and ip (apt-get install gcc iproute2)')
        return 0
    lines = ['| | without | goal | reached |', '|---|---|---|---|']
    rows = [row for row in ROWS if not words or any(row[0].startswith(word) for word in words)]
    for *_, measure in rows:
        if isinstance(measure, Rest): measure.begin()
    for name, what, without, goal, measure in rows:
        begun = time.monotonic()
        reached = measure()
        print(f'{name:14} {what}: {reached} (goal {goal}, without {without}) [{time.monotonic() - begun:.0f} s]', flush=True)
        lines.append(f'| {what} | {without} | {goal} | {reached} |')
    if document and not words:
        text = document.read_text()
        before, _, rest_of = text.partition(BEGIN)
        _, found, after = rest_of.partition(END)
        if not found: sys.exit(f'bench-net: {document} has no place for the table ({BEGIN} ... {END})')
        document.write_text(before + BEGIN + '\n' + '\n'.join(lines) + '\n' + END + after)
    return 0


if __name__ == '__main__':
    sys.exit(main())
