#!/usr/bin/env bash
# Runs every test of a tree that is built, in parts: test_parts.sh SWIFT [OPTION...], with options of `swift test`. Each part
# runs, whatever became of the one before: one run shows everything that fails. What is skipped in any of them is listed once,
# behind the last. A run that prints nothing for long is ended, and says where it stood.
set -uo pipefail
cd "$(dirname "$0")/.."
swift=$1
test=("$@" --skip-build)

# What computes for seconds (simulations of the network) starves the timers of what talks over real sockets beside it, so
# BLIPNetTests run one after the other, and so does what drives pseudo-terminals. EndToEndTests wait for processes of their own
# most of the time: three at a time, beside those. What Swift Testing runs in a process of its own hangs while any other child of
# the tests has ended and nobody has asked how (its waitid takes the first one, again and again), so it has no others beside it.
alone=InOwnProcess
serial='BLIPNetTests|ChatTUITests\.RealTerminals'

skipped=.build/skipped
rm -f "$skipped" "$skipped".*
status=0
part() { # [NAME=VALUE...] COMMAND...
    env BLIPCHAT_SKIPPED="$skipped" "$@" || status=1
}
tests() { # ARGUMENT...
    part BLIPCHAT_STALL=600 Scripts/run_tests.sh "${test[@]}" "$@"
}

# Starts a part beside the next one; what it says is printed when `join` waits for it.
beside= log=
begin() { # NAME COMMAND...
    log=.build/$1.log
    shift
    env BLIPCHAT_SKIPPED="$skipped" "$@" >"$log" 2>&1 &
    beside=$!
}
join() {
    wait "$beside" || status=1
    beside=
    cat "$log"
}
# Ctrl-C does not reach what a script runs in the background.
trap '[[ -n $beside ]] && kill "$beside" 2>/dev/null; exit 130' INT TERM

# Packages of strangers are compiled while the tests have something to wait for.
begin examples nice -n 19 Scripts/run_tests.sh Scripts/test_examples.sh "$swift"
tests --skip "$serial|EndToEndTests|FaultTests|$alone"
join
begin end-to-end BLIPCHAT_STALL=600 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=3 \
    Scripts/run_tests.sh "${test[@]}" --ignore-lock --filter EndToEndTests
tests --ignore-lock --no-parallel --filter "$serial" --skip "$alone"
join
tests --no-parallel --filter "$alone"
tests --no-parallel --filter FaultTests
BLIPWIRE="$("$swift" build --show-bin-path)/blipwire" part Scripts/run_tests.sh Tests/Rigs/dissector.py
Scripts/run_tests.sh --skipped "$skipped"
exit "$status"
