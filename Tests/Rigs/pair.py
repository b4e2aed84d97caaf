#!/usr/bin/env python3
"""Two blipchats on a Path of net.py, and rivals that copy files over the same one; Session is a client of the control socket
(Docs/scripting.md). BLIPCHAT=/path/to/blipchat, RIGS=/folder/of/net.py (needed by Pair, SSH and Wormhole only)."""
import json, os, pathlib, queue, re, shutil, socket, subprocess, sys, tempfile, threading, time, uuid

sys.path.insert(0, os.environ.get('RIGS', os.path.dirname(os.path.abspath(__file__))))
try:
    import net
except ImportError:
    net = None

BLIPCHAT = os.environ.get('BLIPCHAT', '.build/release/blipchat')


def switches(pid):
    """How often each thread has gone to sleep so far."""
    found = {}
    for thread in os.listdir(f'/proc/{pid}/task'):
        try:
            status = open(f'/proc/{pid}/task/{thread}/status').read()
        except OSError:
            continue
        found[thread] = sum(map(int, re.findall(r'\nvoluntary_ctxt_switches:\s*(\d+)', status)))
    return found


def wakes(pid, seconds, ended=None):
    """How often threads were switched within `seconds`, or until `ended` is set: wake-ups at rest. Threads come and go meanwhile, so it looks often."""
    total, before, end, ended = 0, switches(pid), time.monotonic() + seconds, ended or threading.Event()
    while time.monotonic() < end and not ended.wait(0.5):
        now = switches(pid)
        total += sum(count - before.get(thread, 0) for thread, count in now.items())
        before = now
    return total


class Home:
    """One blipchat home in the namespace of `side`."""

    def __init__(self, path, side, name, folder):
        self.path, self.side, self.name = path, side, name
        self.home = pathlib.Path(folder) / name
        self.env = {'BLIPCHAT_HOME': str(self.home), 'HOME': str(folder), 'USER': name, 'PATH': '/usr/bin:/bin:/usr/sbin:/sbin', 'LC_ALL': 'C.UTF-8'}
        self.home.mkdir(parents=True, exist_ok=True)
        self.process = None
        if os.environ.get('BLIPCONF'):      # lines of config.toml, "\\n" between them
            (self.home / 'config.toml').write_text(os.environ['BLIPCONF'].replace('\\n', '\n') + '\n')

    def serve(self, *more, port=4985):
        self.process = self.path.popen(
            self.side, [BLIPCHAT, 'serve', '--listen', f'{self.path.addr[self.side]}:{port}', '--accept-requests', '--accept-files', '900G', *more],
            env=self.env, stdout=subprocess.PIPE, stderr=open(self.home / 'serve.err', 'ab'))
        assert b'listening' in self.process.stdout.readline()
        # `ip netns exec` replaces itself, so this is the program.
        self.pid = self.process.pid

    def run(self, *args, check=True, **kw):
        return self.path.run(self.side, [BLIPCHAT, *args], env=self.env, check=check, **kw)

    def out(self, *args):
        return self.run(*args, stdout=subprocess.PIPE).stdout.decode()

    def address(self):
        return self.out('id').split('\n')[0].strip()

    def session(self):
        return Session(self.home / 'blipchat.sock')

    def call(self, name, **members):
        """One call on a connection of its own; returns its value."""
        with self.session() as session:
            return session.call(name, **members)

    def send(self, to, text, timeout=None):
        """Sends a message; yields (time, state): when it is stored, and with a timeout until it is delivered."""
        with self.session() as session:
            yield from session.send(to, text, timeout)

    def events(self):
        """A queue of (time, name, payload) of everything that happens."""
        q = queue.Queue()
        session = self.session()
        session.subscribe()

        def follow():
            try:
                for item in session.events():
                    q.put(item)
            except OSError:
                pass
        threading.Thread(target=follow, daemon=True).start()
        return q

    def cpu(self):
        f = open(f'/proc/{self.pid}/stat').read().rsplit(')', 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf('SC_CLK_TCK')

    def wakes(self, seconds):
        return wakes(self.pid, seconds)

    def rss(self):
        return int(re.search(r'VmRSS:\s*(\d+)', open(f'/proc/{self.pid}/status').read())[1])

    def stop(self):
        if self.process:
            net.stop(self.process); self.process = None


class Session:
    """A connection to the process that runs a chat: calls and events as JSON lines."""
    PROTOCOL = int(re.search(r'static let currentProtocol = (\d+)', (
        pathlib.Path(__file__).parents[2] / 'Sources/ChatHost/Attached/SessionGreeting.swift').read_text())[1])

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.rest, self.number, self.news = b'', 0, []
        self.say(hello={'protocol': self.PROTOCOL})
        self.chat = self.hear()['hello']
        if self.chat['protocol'] != self.PROTOCOL:
            raise RuntimeError(f"it speaks protocol {self.chat['protocol']}, not {self.PROTOCOL}")

    def __enter__(self): return self
    def __exit__(self, *_): self.socket.close()

    def say(self, **line):
        self.socket.sendall((json.dumps(line) + '\n').encode())

    def hear(self):
        while b'\n' not in self.rest:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError('the process has ended')
            self.rest += data
        line, self.rest = self.rest.split(b'\n', 1)
        return json.loads(line)

    def answer(self):
        """The answer to the newest call; events that come before it are kept for `events`."""
        while True:
            line = self.hear()
            if line.get('reply') == self.number:
                if 'error' in line:
                    raise RuntimeError(line['error'])
                return line['value']
            if 'bye' in line:
                raise ConnectionError('the process ends')
            if 'event' in line:
                self.news.append((time.monotonic(), line['what']))

    def call(self, name, **members):
        self.number += 1
        self.say(call=self.number, what={name: members})
        return self.answer()

    def subscribe(self):
        self.number += 1
        self.say(events=self.number)
        self.answer()

    def events(self):
        """Yields (time, name, payload) until the process ends."""
        while True:
            while self.news:
                moment, what = self.news.pop(0)
                for name, payload in what.items():
                    yield moment, name, payload
            line = self.hear()
            if 'bye' in line:
                return
            if 'event' in line:
                self.news.append((time.monotonic(), line['what']))

    def contact(self, name):
        return next(c['peer']['id'] for c in self.call('conversations') if c['peer']['name'] == name)

    def send(self, to, text, timeout=None):
        """Yields (time, state) when the message is stored, and with a timeout when it is delivered."""
        contact, identifier = self.contact(to), str(uuid.uuid4())
        if timeout is not None:
            self.subscribe()
        self.call('sendOnce', contact=contact, text=text, id=identifier)
        yield time.monotonic(), 'pending'
        if timeout is None:
            return
        self.socket.settimeout(timeout)
        for moment, name, payload in self.events():
            if name == 'messageChanged' and payload['id'] == identifier and payload['contact'] == contact:
                state = payload['state'] if isinstance(payload['state'], str) else next(iter(payload['state']))
                if state in ('delivered', 'read', 'failed'):
                    yield moment, state
                    return


class Pair:
    """alice in namespace a (she sends), bob in b; linked."""

    def __init__(self, path, link=True):
        self.path = path
        self.folder = tempfile.mkdtemp(prefix='pair', dir=os.environ.get('RIGDIR', '/tmp'))
        self.a, self.b = Home(path, 'a', 'alice', self.folder), Home(path, 'b', 'bob', self.folder)
        self.a.serve(); self.b.serve()
        self.a.run('contacts', 'add', self.b.address(), '--name', 'bob', stdout=subprocess.DEVNULL)
        if link:
            self.a.run('send', 'bob', 'ready?', '--timeout', '60', stdout=subprocess.DEVNULL)

    def close(self):
        self.a.stop(); self.b.stop(); shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self): return self
    def __exit__(self, *_): self.close()

    def send_file(self, file, name, timeout=3600):
        begun = time.monotonic()
        named = [] if pathlib.Path(file).is_dir() else ['--name', name]
        r = self.a.run('send-file', 'bob', file, *named, '-q', '--timeout', '60', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=timeout)
        took = time.monotonic() - begun
        if r.returncode:
            print('send-file:', r.returncode, r.stderr.decode()[-300:], file=sys.stderr)
        return took if not r.returncode else None


class SSH:
    """sshd in b without anything of the system's; scp and rsync from a."""

    def __init__(self, path):
        self.path = path
        d = self.d = pathlib.Path(tempfile.mkdtemp(prefix='ssh', dir='/root')); d.chmod(0o700)
        for k in ('host', 'user'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', d / k], check=True)
        shutil.copy(d / 'user.pub', d / 'authorized'); (d / 'authorized').chmod(0o600)
        (d / 'sshd.conf').write_text(f'Port 2222\nListenAddress {path.addr["b"]}\nHostKey {d}/host\nAuthorizedKeysFile {d}/authorized\nUsePAM no\nPidFile none\n'
                                     f'StrictModes no\nPermitRootLogin yes\nSubsystem sftp internal-sftp\nMaxStartups 50\n')
        (d / 'ssh.conf').write_text(f'Host b\n HostName {path.addr["b"]}\n Port 2222\n User root\n IdentityFile {d}/user\n StrictHostKeyChecking no\n'
                                    f' UserKnownHostsFile /dev/null\n LogLevel ERROR\n')
        pathlib.Path('/run/sshd').mkdir(exist_ok=True)
        self.p = path.popen('b', ['/usr/sbin/sshd', '-D', '-f', d / 'sshd.conf'], stderr=subprocess.DEVNULL)
        time.sleep(0.5)

    def time(self, cmd, **kw):
        begun = time.monotonic()
        self.path.run('a', cmd, stdout=subprocess.DEVNULL, **kw)
        return time.monotonic() - begun

    def scp(self, src, dst): return self.time(['scp', '-q', '-r', '-F', self.d / 'ssh.conf', src, f'b:{dst}'])
    def rsync(self, src, dst): return self.time(['rsync', '-a', '--fsync', '-e', f'ssh -F {self.d}/ssh.conf', src, f'b:{dst}'])
    def tar(self, src, dst): return self.time(['sh', '-c', f'tar c -C {os.path.dirname(src)} {os.path.basename(src)} | ssh -F {self.d}/ssh.conf b "mkdir -p {dst} && tar x -C {dst} && sync -f {dst}"'])

    def close(self):
        net.stop(self.p); shutil.rmtree(self.d, ignore_errors=True)


class Wormhole:
    """magic-wormhole from a to b; the mailbox server is in b. VENV=/path with both packages."""

    def __init__(self, path, venv=os.environ.get('VENV', os.path.join(__import__('tempfile').gettempdir(), 'net-venv'))):
        self.path, self.bin, self.n = path, venv + '/bin/', 0
        self.d = tempfile.mkdtemp(prefix='wh')
        self.p = path.popen('b', [self.bin + 'twist', 'wormhole-mailbox', '--port', f'tcp:4000:interface={path.addr["b"]}', '--channel-db', self.d + '/c.sqlite', '--usage-db', self.d + '/u.sqlite'],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.d)
        for _ in range(100):
            time.sleep(0.2)
            try:
                with path.inside('b'):
                    socket.create_connection((path.addr['b'], 4000), timeout=5).close()
                break
            except OSError:
                pass

    def send(self, src, dst):
        self.n += 1
        code = f'{self.n}-a-b'; relay = ['--relay-url', f'ws://{self.path.addr["b"]}:4000/v1', '--transit-helper', '']
        out = tempfile.mkdtemp(prefix='whr', dir='/tmp')
        begun = time.monotonic()
        r = subprocess.Popen(self.path.wrap('b', [self.bin + 'wormhole', *relay, 'receive', '--accept-file', '--hide-progress', '-o', dst, code]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=out)
        s = subprocess.Popen(self.path.wrap('a', [self.bin + 'wormhole', *relay, 'send', '--hide-progress', '--code', code, src]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        codes = s.wait(), r.wait()
        took = time.monotonic() - begun
        shutil.rmtree(out, ignore_errors=True)
        if any(codes):
            print('wormhole', codes, s.stderr.read()[-300:], r.stderr.read()[-300:], file=sys.stderr); return None
        return took

    def close(self):
        net.stop(self.p); shutil.rmtree(self.d, ignore_errors=True)
