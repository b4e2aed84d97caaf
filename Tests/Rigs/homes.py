"""Homes of blipchat on loopback, for the rigs that run its commands: BLIPCHAT=/path/to/blipchat."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BLIPCHAT = os.path.abspath(os.environ.get("BLIPCHAT", ".build/release/blipchat"))
# How long a condition may take; BLIPCHAT_PATIENCE is a factor for busy machines.
LIMIT = 60 * float(os.environ.get("BLIPCHAT_PATIENCE", "1"))
LIBC = ctypes.CDLL(None)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def wait(what, condition, state=lambda: ""):
    """Until the condition holds; returns its value. Fails with the state after the limit."""
    end = time.monotonic() + LIMIT
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT:.0f} s in vain: {what}: {state()}")
        time.sleep(0.05)


class Process:
    """A program that runs on, with its output in files, so that nothing blocks and nothing is lost."""

    def __init__(self, words, env, folder, name):
        self.words = words
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            # PR_SET_PDEATHSIG: it ends with the rig, however that ends.
                                            preexec_fn=lambda: LIBC.prctl(1, signal.SIGTERM))

    @property
    def output(self):
        return self.out.read_text()

    @property
    def errors(self):
        return self.err.read_text()

    def is_over(self):
        return self.process.poll() is not None

    def wait(self):
        return self.process.wait(LIMIT)

    def stop(self):
        """Ends it in order; returns its exit code."""
        if not self.is_over():
            self.process.terminate()
            try:
                self.process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


class Homes:
    """A folder with homes in it; at the end their processes stop and the folder goes."""

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="blipchat-rig-"))
        self.homes = []
        return self

    def home(self, name, *settings):
        home = Home(self.folder, name)
        self.homes.append(home)
        for key, value in settings:
            home.run("config", "set", key, value)
        return home

    def __exit__(self, kind, *_):
        for home in self.homes:
            for process in reversed(home.processes):
                process.stop()
                if kind:
                    print(f"{home.name}: {' '.join(map(str, process.words[1:]))}: {process.errors[-2000:]}", file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)


class Home:
    """One installation of blipchat; files that its user works with are in `folder`."""

    def __init__(self, parent, name):
        self.name, self.folder = name, parent / name
        self.path = self.folder / "home"
        self.folder.mkdir()
        self.env = {"BLIPCHAT_HOME": str(self.path), "HOME": str(self.folder), "USER": name, "LC_ALL": "C.UTF-8", "TZ": "UTC",
                    "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "BLIPCHAT": BLIPCHAT}
        self.processes = []

    def outcome(self, *words, text=None):
        """Runs a command to its end."""
        return subprocess.run([BLIPCHAT, *map(str, words)], env=self.env, cwd=self.folder, input=text, stdin=None if text else
                              subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT * 4)

    def run(self, *words, code=0, text=None):
        """The same for a command that must end with this code; returns its output."""
        done = self.outcome(*words, text=text)
        if done.returncode != code:
            raise AssertionError(f"{self.name}: {' '.join(map(str, words))}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def records(self, *words):
        return [json.loads(line) for line in self.run(*words, "--json").splitlines()]

    def start(self, *words, program=BLIPCHAT, env=()):
        process = Process([program, *map(str, words)], self.env | dict(env), self.folder, f"process-{len(self.processes)}")
        self.processes.append(process)
        return process

    def serve(self, *words, at="127.0.0.1:0"):
        process = self.start("serve", "--listen", at, *words)
        wait(f"serve of {self.name}", lambda: process.output.startswith("listening ") or process.is_over(), lambda: process.errors)
        assert not process.is_over(), process.errors
        return process

    def address(self):
        return self.run("id").split("\n")[0]

    def texts(self, who):
        done = self.outcome("history", who, "--json")
        return [line["text"] for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "message"]

    def file(self, name, text):
        """Writes a file in the folder of the user; returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path
