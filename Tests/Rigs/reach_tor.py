#!/usr/bin/env python3
"""Two chats find each other by Tor alone (REACH 7): the scenarios of `make reach-tor`, in a whole Tor network of this machine
(tor.sh), in a network namespace of its own where it may make one (root): there a counter sees what does not stay on loopback.
BLIPCHAT=/path/to/blipchat; arguments: scenarios, none: all; --short: the few that `make test` runs."""
import json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
BLIPCHAT = os.path.abspath(os.environ.get('BLIPCHAT', '.build/release/blipchat'))
PATH = '/usr/bin:/bin:/usr/sbin:/sbin'
PATIENCE = int(os.environ.get('REACH_PATIENCE', '1'))
SCENARIOS = {}


def scenario(short=False):
    def add(function):
        SCENARIOS[function.__name__] = (short, function)
        return function
    return add


def wait(what, limit, condition, step=0.2):
    """Until it holds; how long that took, in seconds."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < limit * PATIENCE, f'{what}: not within {limit * PATIENCE} s'
        time.sleep(step)
    return time.monotonic() - start


class Home:
    """A blipchat of this machine."""

    def __init__(self, folder, name, *settings):
        self.name, self.path = name, folder / name
        self.path.mkdir()
        self.env = {'BLIPCHAT_HOME': str(self.path / 'home'), 'HOME': str(self.path), 'USER': name, 'LC_ALL': 'C.UTF-8', 'PATH': PATH}
        self.process = None
        for key, value in settings:
            self.run('config', 'set', key, value)
        tor = self.path / 'home' / 'tor'
        tor.mkdir(mode=0o700, parents=True)
        # The one line that is other than with everybody: which network it is.
        shutil.copy(os.environ['REACH_TORRC'], tor / 'torrc')

    def run(self, *words, check=True, timeout=240):
        done = subprocess.run([BLIPCHAT, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)
        if check and done.returncode:
            raise AssertionError(f'{self.name}: {" ".join(words)}: {done.returncode} {done.stdout}{done.stderr}')
        return done.stdout

    def refused(self, *words):
        """What is said of something that does not work."""
        done = subprocess.run([BLIPCHAT, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240)
        assert done.returncode, f'{self.name}: {" ".join(words)} works: {done.stdout}'
        return done.stderr

    def json(self, *words):
        return [json.loads(line) for line in self.run(*words, '--json').splitlines()]

    def serve(self):
        self.errors = open(self.path / 'serve.err', 'ab')
        self.process = subprocess.Popen([BLIPCHAT, 'serve', '--listen', '127.0.0.1:0', '--accept-files', '1G'], env=self.env,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)
        return self

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(30)

    def onion(self):
        done = subprocess.run([BLIPCHAT, 'reach', '--json'], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return (json.loads(done.stdout).get('onion') or {}) if done.returncode == 0 and done.stdout else {}

    def announced(self):
        seen = []
        def look():
            state = self.onion()
            if state and (not seen or seen[-1] != state):
                seen.append(state)
            return state.get('state') == 'announced'
        try:
            return wait(f'{self.name} is announced', 240, look)
        except AssertionError:
            print(self.name, seen, (self.path / 'serve.err').read_text(), self.log())
            raise

    def log(self):
        log = self.path / 'home' / 'tor' / 'log'
        return log.read_text()[-2000:] if log.exists() else 'no log of tor'

    def in_use(self, who):
        return next((route['class'] for route in self.json('routes', 'list', who) if route['standing'] == 'in-use'), None)

    def texts(self, who):
        return [line['text'] for line in self.json('history', who) if line.get('text')]

    def tor(self):
        """The process ids of its tor."""
        return [int(entry) for entry in os.listdir('/proc') if entry.isdigit() and self.is_tor(entry)]

    def is_tor(self, pid):
        try:
            words = pathlib.Path(f'/proc/{pid}/cmdline').read_bytes().split(b'\0')
        except OSError:
            return False
        return words[0].endswith(b'/tor') and f'{self.path}/home/tor'.encode() in words


def pair(folder, setting, *settings):
    """Two homes that know each other by onion services."""
    homes = [Home(folder, name, ('reach.tor', setting), *settings).serve() for name in ('alice', 'bob')]
    times = [home.announced() for home in homes]
    alice, bob = homes
    link = alice.json('invite')[0]['address']
    onion = f'{alice.onion()["host"]}:4985'
    assert onion in link, link
    id = link.split('/')[3].split('?')[0]
    once = link.split('once=')[1]
    start = time.monotonic()
    bob.run('join', f'blip://{onion}/{id}?once={once}', '--name', 'alice')
    bob.run('send', 'alice', 'good morning', '--timeout', '200')
    print(f'      announced after {max(times):.1f} s, first message after {time.monotonic() - start:.1f} s')
    wait('it is there', 60, lambda: alice.texts('bob') == ['good morning'])
    assert bob.in_use('alice') == 'onion', bob.json('routes', 'list', 'alice')
    return alice, bob


@scenario(short=True)
def first(folder):
    """The first message by Tor alone, a file, and tors that end with their chats."""
    alice, bob = pair(folder, 'on')
    file = folder / 'file'
    file.write_bytes(os.urandom(1 << 20))
    start = time.monotonic()
    bob.run('send-file', 'alice', str(file))
    wait('the file is there', 240, lambda: any(path.read_bytes() == file.read_bytes() for path in (alice.path / 'home').glob('downloads/*')))
    print(f'      1 MiB after {time.monotonic() - start:.1f} s')
    [tor] = alice.tor()
    for line in alice.run('reach').splitlines():
        print('     ', line)
    os.kill(tor, signal.SIGKILL)
    wait('tor is started again', 30, lambda: alice.tor() not in ([], [tor]))
    print(f'      another tor, announced after {alice.announced():.1f} s')
    alice.run('send', 'bob', 'and to you', '--timeout', '10', check=False)
    print(f'      back after {wait("the answer", 240, lambda: "and to you" in bob.texts("alice")):.1f} s')
    alice.stop()
    wait('its tor ends with it', 15, lambda: not alice.tor())
    bob.stop(signal.SIGKILL)
    print(f'      after kill -9 of its chat tor is gone within {wait("tor ends when its chat is killed", 40, lambda: not bob.tor()):.1f} s')
    return alice, bob


@scenario(short=True)
def words(folder):
    """Strangers meet by four spoken words with nothing but Tor: not by wrong ones, and once."""
    alice, bob, carol = homes = [Home(folder, name, ('reach.tor', 'only')).serve() for name in ('alice', 'bob', 'carol')]
    for home in homes:
        home.announced()
    start = time.monotonic()
    invitation = alice.json('invite')[0]
    assert invitation['words'] and invitation['relay'] is None and not invitation['nearby'], invitation
    assert invitation['onion'] in ('ready', 'announced'), invitation
    if invitation['onion'] == 'ready':
        # Told before they work, which the invitation says: a busy machine.
        assert 'reason' in invitation, invitation
        time.sleep(30 * PATIENCE)
    print(f'      words work after {time.monotonic() - start:.1f} s')
    said = bob.refused('join', 'zoo-zoo-zoo-zoo')
    assert 'nobody waits with these words' in said, said
    start = time.monotonic()
    wait('they meet', 240, lambda: bob.run('join', *invitation['words'].split('-'), check=False))
    print(f'      met after {time.monotonic() - start:.1f} s')
    bob.run('send', 'alice', 'good morning', '--timeout', '200')
    wait('it is there', 60, lambda: alice.texts('bob') == ['good morning'])
    assert bob.in_use('alice') == 'onion', bob.json('routes', 'list', 'alice')
    assert alice.json('contacts', 'show', 'bob')[0].get('met'), alice.json('contacts', 'show', 'bob')
    wait('who comes later hears it', 240, lambda: 'this invitation has been used' in carol.refused('join', invitation['words']))
    # The link continues when the service of the words has gone: they know each other's own ones.
    alice.stop()
    alice.serve()
    alice.announced()
    alice.run('send', 'bob', 'and to you', '--timeout', '10', check=False)
    wait('the answer', 240, lambda: 'and to you' in bob.texts('alice'))
    return homes


def left():
    """Packets that have left, or would have if this namespace led anywhere."""
    rules = json.loads(subprocess.run(['nft', '-j', 'list', 'counter', 'inet', 'rig', 'left'], stdout=subprocess.PIPE, check=True).stdout)
    return next(item['counter']['packets'] for item in rules['nftables'] if 'counter' in item)


@scenario(short=True)
def only(folder):
    """Nothing but tor's packets leaves: those of this network stay on loopback, so the counter sees all others."""
    if not os.environ.get('REACH_COUNTS'):
        return print('      skipped: needs root for a namespace with a counter') or ()
    settings = [('reach.map', 'on'), ('reach.relay', 'relay://198.51.100.7:22067 relay://relay.example.org:22067')]
    before = left()
    alice, bob = pair(folder, 'only', *settings)
    report = alice.json('reach')[0]
    assert report['listening'] is None and report['onion']['only'], report
    for route in ('198.51.100.8:4985', 'bob.example.org:4985'):
        alice.run('routes', 'add', 'bob', route)
    bob.run('join', 'http://198.51.100.9/room', check=False)
    time.sleep(5)
    inet = sockets(alice.process.pid) + sockets(bob.process.pid)
    assert not inet, inet
    assert left() == before, f'{left() - before} packets have left'
    print(f'      {left() - before} packets left, and the chats have no socket but UNIX ones')
    # The counter counts: the same with all ways.
    alice.stop(), bob.stop()
    alice.run('config', 'set', 'reach.tor', 'off')
    alice.serve()
    wait('with all ways packets leave', 30, lambda: left() > before)
    return alice, bob


def sockets(pid):
    """Sockets of the internet that a process has."""
    inodes = set()
    for name in ('tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'):
        try:
            for line in pathlib.Path(f'/proc/{pid}/net/{name}').read_text().splitlines()[1:]:
                inodes.add(line.split()[9])
        except FileNotFoundError:
            pass
    mine = [os.readlink(entry) for entry in pathlib.Path(f'/proc/{pid}/fd').iterdir()]
    return [link for link in mine if link.startswith('socket:[') and link[8:-1] in inodes]


def inside(names):
    folder = pathlib.Path(tempfile.mkdtemp(prefix='bt-'))
    failed = 0
    for name in names:
        place = folder / name
        place.mkdir()
        homes = []
        made = Home.serve
        def serve(home, *words):
            homes.append(home)
            return made(home, *words)
        Home.serve = serve
        start = time.monotonic()
        try:
            SCENARIOS[name][1](place)
            print(f'ok    {name}: {time.monotonic() - start:.0f} s', flush=True)
        except Exception as error:
            failed += 1
            print(f'WRONG {name}: {type(error).__name__} {error}', flush=True)
            for home in homes:
                print(home.name, home.log(), (home.path / 'serve.err').read_text())
        finally:
            Home.serve = made
            for home in homes:
                home.stop(signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    return failed


def main(words):
    names = [word for word in words if not word.startswith('--')]
    names = names or [name for name, (short, _) in SCENARIOS.items() if short or '--short' not in words]
    if '--inside' in words:
        return inside(names)
    if '--apart' in words:
        # A network that leads nowhere, and looks as if it did.
        for line in ('ip link set lo up', 'ip link add left type veth peer name right', 'ip addr add 203.0.113.9/24 dev left',
                     'ip link set left up', 'ip link set right up',
                     'ip route add default via 203.0.113.1 dev left', 'ip neigh add 203.0.113.1 lladdr 02:00:00:00:00:01 dev left',
                     'nft add table inet rig', 'nft add counter inet rig left',
                     'nft add chain inet rig out { type filter hook output priority 0 ; }',
                     'nft add rule inet rig out oifname "left" meta l4proto != ipv6-icmp counter name left'):
            subprocess.run(line.split(), check=True)
        os.environ['REACH_COUNTS'] = '1'
    elif os.geteuid() == 0 and all(shutil.which(name, path=PATH) for name in ('nft', 'ip', 'unshare')):
        return subprocess.run(['unshare', '-n', 'python3', os.path.abspath(__file__), '--apart', *names]).returncode
    return subprocess.run(['bash', f'{HERE}/tor.sh', 'run', '--relays', '3', 'python3', os.path.abspath(__file__), '--inside', *names]).returncode


if __name__ == '__main__':
    os.environ['PATH'] = PATH
    sys.exit(main(sys.argv[1:]))
