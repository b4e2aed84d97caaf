#!/usr/bin/env python3
"""mixed.py OLD NEW: two versions of blipchat (paths of two programs) chat and send each other files, each as the one that calls and
the one that is called. Prints a line for each step; exits 1 at the first that fails."""
import hashlib, json, os, pathlib, re, subprocess, sys, tempfile

WAIT = 120


class Home:
    """A home of one version, in a folder of its own."""

    def __init__(self, program, place, name):
        self.program, self.name, self.place = program, name, place / name
        self.place.mkdir()
        self.environment = {'BLIPCHAT_HOME': str(self.place / 'home'), 'HOME': str(self.place), 'USER': name, 'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8'}
        self.process = None

    def run(self, *words, codes=(0,)):
        done = subprocess.run([self.program, *map(str, words)], env=self.environment, capture_output=True, text=True, timeout=WAIT)
        if done.returncode not in codes:
            sys.exit(f'mixed: {self.name}: blipchat {" ".join(map(str, words))} ended with {done.returncode}: {done.stderr.strip()}')
        return done.stdout

    def serve(self, at='127.0.0.1:0'):
        self.process = subprocess.Popen(
            [self.program, 'serve', '--listen', at, '--accept-requests', '--accept-files', '1G'],
            env=self.environment, stdout=subprocess.PIPE, stderr=open(self.place / 'serve.log', 'ab'), text=True)
        for line in self.process.stdout:
            if found := re.search(r'127\.0\.0\.1:\d+', line):
                self.port = found[0]
                return
        sys.exit(f'mixed: {self.name}: serve has ended: {(self.place / "serve.log").read_text().strip()}')

    def address(self):
        return f'blip://{self.port}/{re.search(r"[a-z2-7]{52}", self.run("id"))[0]}'

    def received(self, name):
        found = [path for path in self.place.rglob(name) if '.blipchat' not in str(path)]
        if len(found) != 1:
            sys.exit(f'mixed: {self.name} has {name} {len(found)} times')
        return found[0]

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(WAIT)


def digest(path):
    """Of a file, or of all files of a folder and their names."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return [(str(file.relative_to(path)), digest(file)) for file in sorted(path.rglob('*')) if file.is_file()]


def make_files(place):
    big, many = place / 'files/big.bin', place / 'files/many'
    for number in range(200):
        file = many / f'd{number % 7}' / f'f{number}.bin'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.urandom(number * 50))
    big.write_bytes(os.urandom(20_000_000))
    return big, many


def meet(place, caller, called):
    """What two people do in their first minutes; `caller` and `called` are programs."""
    a, b = Home(caller, place, 'caller'), Home(called, place, 'called')
    try:
        # Before they start: what a folder can be sent from is settled then.
        things = make_files(place)
        a.serve(); b.serve()
        a.run('contacts', 'add', b.address(), '--name', 'called')
        a.run('send', 'called', 'hello', '--timeout', WAIT)
        b.run('send', 'caller', 'hello yourself ☃', '--timeout', WAIT)
        yield 'lines in both directions'
        for sender, receiver in ((a, b), (b, a)):
            for what in things:
                sender.run('send-file', receiver.name, what, '-q', '--timeout', WAIT)
                if digest(what) != digest(receiver.received(what.name)):
                    sys.exit(f'mixed: what {receiver.name} received of {what.name} differs')
                yield f'{what.name} from {sender.name} to {receiver.name}'
        # What was written while the other one was away arrives by itself.
        b.stop()
        a.run('send', 'called', 'are you there?', '--timeout', '0', codes=(0, 3))
        b.serve(b.port)
        b.run('status', 'caller', '--wait', 'online', '--timeout', WAIT)
        a.run('send', 'called', 'there you are', '--timeout', WAIT)
        told = [json.loads(line) for line in b.run('history', 'caller', '--json').splitlines()]
        texts = [record['text'] for record in told if record.get('text')]
        expected = ['hello', 'hello yourself ☃', 'are you there?', 'there you are']
        if [text for text in texts if text in expected] != expected:
            sys.exit(f'mixed: the history of the called one has {texts}')
        yield 'what waited arrived, once and in order'
    finally:
        a.stop(); b.stop()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    programs = {'old': sys.argv[1], 'new': sys.argv[2]}
    for caller, called in (('old', 'new'), ('new', 'old')):
        with tempfile.TemporaryDirectory(prefix='mixed') as folder:
            for step in meet(pathlib.Path(folder), programs[caller], programs[called]):
                print(f'{caller} calls {called}: {step}', flush=True)


main()
