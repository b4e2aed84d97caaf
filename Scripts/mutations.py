#!/usr/bin/env python3
"""Breaks the source on purpose, one place after the other, and demands that a test fails each time: a line that can be
broken without a failing test is a line that nothing holds (RELIABILITY 5). The list is Tests/Mutations/mutations.toml.

mutations.py [--list | --check] [--together N] [--jobs N] [NAME...]: all mutations, or those whose names begin with NAME.
Works in a copy of the tree as it is at the start, under .build/mutations; exits 1 unless every mutation was killed."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
data = root / "Tests/Mutations/mutations.toml"
copy = root / ".build/mutations/tree"
logs = root / ".build/mutations/logs"
swift = os.environ.get("SWIFT", "swift")
environment = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4"} | os.environ

KILLED, SURVIVED, HUNG = "killed", "SURVIVED", "TIMED OUT"
NO_BUILD, NO_FIT, NO_TEST, NOT_GREEN = "does not build", "does not apply", "no such test", "fails unbroken"


@dataclasses.dataclass
class Mutation:
    name: str
    breaks: str
    file: str
    old: str
    new: str
    tests: str
    seconds: int = 120
    # The broken program waits for ever, so that the time-out is what notices it.
    hangs: bool = False


def mutations():
    return [Mutation(**entry) for entry in tomllib.loads(data.read_text())["mutation"]]


def misfit(mutation):
    """Why a mutation cannot be applied to the tree; None when it can."""
    path = root / mutation.file
    if not path.is_file():
        return f"there is no {mutation.file}"
    count = path.read_text().count(mutation.old)
    if count != 1:
        return f"its old text stands {count} times in {mutation.file}"
    return None if mutation.old != mutation.new else "it changes nothing"


def suites():
    """The names that an expression for tests may have: those of suites and of test targets."""
    text = "\n".join(path.read_text() for path in (root / "Tests").rglob("*.swift"))
    return set(re.findall(r"\b(?:struct|class|enum|actor|extension) (\w+)", text)) | set(os.listdir(root / "Tests"))


def faults():
    """What is wrong with the list, as sentences."""
    listed = mutations()
    found = [f"mutation {entry.name}: {reason}" for entry in listed if (reason := misfit(entry))]
    known = suites()
    found += [f"mutation {entry.name}: there is no suite {name}" for entry in listed
              for name in re.findall(r"\b\w+Tests\b", entry.tests) if name not in known]
    names = [entry.name for entry in listed]
    return found + [f"mutation {name} is listed twice" for name in sorted({n for n in names if names.count(n) > 1})]


def mirror():
    """Makes the copy like the tree; files that are alike keep their times, so that little is built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    wanted = {name for name in listed if name and (root / name).is_file()}
    for folder, folders, files in os.walk(copy):
        folders[:] = [name for name in folders if name != ".build"]
        for name in files:
            path = pathlib.Path(folder, name)
            if str(path.relative_to(copy)) not in wanted:
                path.unlink()
    for name in wanted:
        source, target = root / name, copy / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def descendants(process):
    """The processes beneath one, as long as it lives."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
    found, new = [], {process}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        found += new
    return found


def run(command, log, seconds=None):
    """Runs a command in the copy; its exit code, None after a time-out, and what it said."""
    with open(log, "w+", errors="replace") as output:
        process = subprocess.Popen(command, cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            # Also what the tests have left: they start processes of their own, in groups of their own.
            for each in [*descendants(process.pid), process.pid]:
                try:
                    os.killpg(os.getpgid(each), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
        output.seek(0)
        return code, output.read()


def build(log):
    return run([swift, "build", "--build-tests"], log)[0] == 0


def test(filters, log, seconds=None):
    chosen = [word for expression in filters for word in ("--filter", expression)]
    # Nothing is built here, so that several may run at once.
    return run([swift, "test", "--disable-xctest", "--skip-build", "--ignore-lock", "--no-parallel", *chosen], log, seconds)


def verdict(mutation):
    """Runs the tests of a mutation that is in the build."""
    code, text = test([mutation.tests], logs / f"{mutation.name}.test.log", mutation.seconds)
    failed = re.findall(r"✘ Test (.+?) (?:failed|recorded)", text)
    # A test that has failed has noticed it, however long the others take.
    if code is None and failed:
        return KILLED, failed[0]
    if code is None:
        return (KILLED, "hangs") if mutation.hangs else (HUNG, f"{mutation.seconds} s")
    if code == 0:
        return SURVIVED, ""
    return KILLED, failed[0] if failed else "crash"


def write(path, text):
    """Changes a file of the copy. SwiftPM does not look at the headers of C modules: what imports one is touched."""
    path.write_text(text)
    if path.suffix == ".h":
        wanted = re.compile(rf"^(?:\w+ )?import {path.parent.name}$", re.M)
        for other in copy.glob("*/**/*.swift"):
            if ".build" not in other.parts[len(copy.parts):] and wanted.search(other.read_text()):
                other.touch()


def judge(entries, jobs):
    """Builds with these mutations and gives what the tests of each say, as they end. Of several that do not build each half
    is tried by itself."""
    unbroken = {copy / entry.file: (copy / entry.file).read_text() for entry in entries}
    for entry in entries:
        path = copy / entry.file
        write(path, path.read_text().replace(entry.old, entry.new))
    try:
        if build(logs / f"{entries[0].name}.build.log"):
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                running = {pool.submit(verdict, entry): entry for entry in entries}
                for ended in concurrent.futures.as_completed(running):
                    yield running[ended], *ended.result()
            return
        if len(entries) == 1:
            yield entries[0], NO_BUILD, f"see {logs}/{entries[0].name}.build.log"
            return
    finally:
        for path, text in unbroken.items():
            write(path, text)
    half = len(entries) // 2
    yield from judge(entries[:half], jobs)
    yield from judge(entries[half:], jobs)


def batches(entries, size):
    """At most `size` mutations at a time, no two of which are in the same file or for the same suite of tests."""
    gathered = []
    for entry in entries:
        marks = {entry.file} | set(re.findall(r"\w+Tests\b", re.sub(r"\w+Tests\.", "", entry.tests)))
        place = next((batch for batch in gathered if len(batch[0]) < size and not batch[1] & marks), None)
        if place is None:
            gathered.append(([entry], marks))
        else:
            place[0].append(entry)
            place[1].update(marks)
    return [batch for batch, _ in gathered]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument("--check", action="store_true", help="only say whether each still applies")
    parser.add_argument("--together", type=int, default=1, metavar="N",
                        help="put N into one build: quicker, but one may kill what another would have survived")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="run the tests of N mutations of one build at once: quicker, but they share the processors")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    chosen = [entry for entry in mutations()
              if not arguments.names or any(entry.name.startswith(name) for name in arguments.names)]
    if arguments.list:
        for entry in chosen:
            print(f"{entry.name:32} {entry.breaks}")
        return 0
    if arguments.check:
        found = faults()
        print("\n".join(found + [f"{len(mutations())} mutations, {len(found)} faults"]))
        return 1 if found else 0
    if not chosen:
        sys.exit("mutations: no mutation has such a name")

    results = []

    def note(entry, outcome, detail):
        results.append((entry, outcome))
        print(f"{time.strftime('%H:%M:%S')} {outcome:14} {entry.name:32} {detail[:90]}", flush=True)

    logs.mkdir(parents=True, exist_ok=True)
    mirror()
    print("building the tree unbroken", flush=True)
    if not build(logs / "unbroken.build.log"):
        sys.exit(f"mutations: the tree does not build: {logs}/unbroken.build.log")
    known = run([swift, "test", "list", "--disable-xctest", "--skip-build"], logs / "list.log")[1].split("\n")
    ready = []
    for entry in chosen:
        if reason := misfit(entry):
            note(entry, NO_FIT, reason)
        elif not any(re.search(entry.tests, name) for name in known):
            note(entry, NO_TEST, entry.tests)
        else:
            ready.append(entry)
    # What fails without a mutation says nothing about one.
    if ready and test([entry.tests for entry in ready], logs / "unbroken.test.log")[0] != 0:
        for entry in list(ready):
            if test([entry.tests], logs / f"{entry.name}.test.log", entry.seconds)[0] != 0:
                note(entry, NOT_GREEN, f"see {logs}/{entry.name}.test.log")
                ready.remove(entry)
    for batch in batches(ready, arguments.together):
        for result in judge(batch, arguments.jobs):
            note(*result)

    counts = {outcome: sum(1 for _, each in results if each == outcome) for _, outcome in results}
    print("\n" + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    for entry, outcome in results:
        if outcome != KILLED:
            print(f"{outcome}: {entry.name} ({entry.breaks}), {entry.file}")
    return 0 if set(counts) == {KILLED} else 1


if __name__ == "__main__":
    sys.exit(main())
