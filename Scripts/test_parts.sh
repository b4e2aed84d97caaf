#!/usr/bin/env bash
# Runs every test of a tree that is built, in parts, two lanes of them beside each other: test_parts.sh SWIFT [OPTION...],
# with options of `swift test`. Each part runs, whatever became of the one before: one run shows everything that fails. What is
# skipped in any of them is listed once, behind the last. A run that prints nothing for long is ended, and says where it stood.
set -uo pipefail
cd "$(dirname "$0")/.."
swift=$1
test=("$@" --skip-build --ignore-lock)

# What computes for seconds (simulations of the network) starves the timers of what talks over real sockets beside it, so
# BLIPNetTests run one after the other, and so does what drives pseudo-terminals; beside them FaultTests, which wait for disks. EndToEndTests
# wait for processes of their own most of the time: three at a time. What Swift Testing runs in a process of its own hangs while any other
# child of the tests has ended and nobody has asked how (its waitid takes the first one, again and again), so it has no others beside it.
alone=InOwnProcess
serial='BLIPNetTests|ChatTUITests\.RealTerminals'
apart="$serial|EndToEndTests|FaultTests|$alone"

skipped=.build/skipped
log=.build/second-lane.log
rm -f "$skipped" "$skipped".*
part() { # [NAME=VALUE...] COMMAND...
    env BLIPCHAT_SKIPPED="$skipped" "$@" || status=1
}
tests() { # ARGUMENT...
    part BLIPCHAT_STALL=600 Scripts/run_tests.sh "${test[@]}" "$@"
}

# What runs beside the first lane; what it says is shown behind that.
begin_second_lane() { # FUNCTION
    (status=0; "$1"; exit "$status") >"$log" 2>&1 &
    second=$!
}
end_second_lane() {
    wait "$second" || status=1
    second=
    cat "$log"
}
# Packages of strangers are compiled while the first lane has something to wait for.
strangers_and_processes() {
    part nice -n 19 Scripts/run_tests.sh Scripts/test_examples.sh "$swift"
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=3 tests --filter EndToEndTests
}
faults() {
    tests --no-parallel --filter FaultTests
}

status=0
second=
# Ctrl-C does not reach what a script runs in the background.
trap '[[ -z $second ]] || kill "$second" $(pgrep -P "$second"); exit 130' INT TERM
begin_second_lane strangers_and_processes
tests --skip "$apart"
end_second_lane
begin_second_lane faults
tests --no-parallel --filter "$serial" --skip "$alone"
end_second_lane
tests --no-parallel --filter "$alone"
BLIPWIRE="$("$swift" build --show-bin-path)/blipwire" part Scripts/run_tests.sh Tests/Rigs/dissector.py
Scripts/run_tests.sh --skipped "$skipped"
exit "$status"
