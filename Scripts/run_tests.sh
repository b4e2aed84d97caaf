#!/usr/bin/env bash
# Runs a command of tests, and says at the very end what is easily overlooked in the log of a thousand tests: which failed
# and why, which were skipped and why, and the ten slowest. With BLIPCHAT_SKIPPED=FILE the skipped ones are added to FILE,
# the times to FILE.times and what failed to FILE.failed, for several runs that make one; `run_tests.sh --skipped FILE` prints
# them.
# With BLIPCHAT_STALL=SECONDS a run that prints nothing for that long is ended, after it was said where it stands: which
# tests had begun and not ended, and what each thread waits for. It is run once more then, so that one hang in a hundred
# runs costs no day, and what hung is repeated at the very end, so that it is not overlooked.
set -uo pipefail

# Each skipped test once, with its reason: the lines of Swift Testing, without its marks.
list_skipped() {
    local count
    count=$(sort -u "$1" | wc -l)
    ((count > 0)) || return 0
    echo "--- skipped ($count):"
    sort -u "$1" | sed 's/^/  /'
}

# The ten tests that took longest. Beside each other they wait for a processor, too.
list_slowest() {
    echo "--- slowest tests, in seconds:"
    sort -rn "$1" | head -n 10 | sed 's/^/  /'
}

# Tests that began and did not end, in the order of the log $1.
list_unfinished() {
    echo "--- began and did not end:"
    sed -nE 's/^.{0,4} *(Test .*) (started|passed after .*|failed after .*)\.$/\2\t\1/p' "$1" |
        sed -E 's/\t(.*) with [0-9]+ test cases$/\t\1/' |
        awk -F'\t' '!/Test case/ { if ($1 == "started") began[++n] = $2; else ended[$2]++ }
            END { for (i = 1; i <= n; i++) if (ended[began[i]]-- <= 0) print "  " began[i] }'
}

# What is in the file $1 of hung runs, if anything.
list_hung() {
    [[ -s $1 ]] || return 0
    echo "--- HUNG, and was run once more (a defect; the stacks are further up):"
    cat "$1"
}

# What each thread of each process beneath $1 waits for: the stacks where gdb is installed, the kernel's word where not.
list_threads() {
    local process thread children
    children=$(pgrep -P "$1")
    if [[ $(readlink "/proc/$1/exe") == *testing-helper* || $(tr '\0' ' ' <"/proc/$1/cmdline") == *.xctest* ]]; then
        echo "--- threads of $1 ($(tr '\0' ' ' <"/proc/$1/cmdline" | cut -c1-100)):"
        if command -v gdb >/dev/null; then
            timeout 120 gdb -p "$1" -batch -ex 'thread apply all bt 14' 2>&1 | grep -E '^(#|Thread)' | cut -c1-200
        else
            for thread in "/proc/$1/task"/*; do
                echo "  $(<"$thread/comm"): $(cut -d' ' -f3,14,15 "$thread/stat"), $(cat "$thread/wchan" 2>/dev/null)"
            done
        fi
    fi
    for process in $children; do list_threads "$process"; done
}

# Ends the process $1 and all beneath it.
kill_tree() {
    local process children
    children=$(pgrep -P "$1")
    kill -KILL "$1" 2>/dev/null
    for process in $children; do kill_tree "$process"; done
}

# Ends the run $1, whose output goes to $2, when nothing has come for BLIPCHAT_STALL seconds.
watch_run() {
    while sleep 10 && kill -0 "$1" 2>/dev/null; do
        (($(date +%s) - $(stat -c %Y "$2") < BLIPCHAT_STALL)) && continue
        echo "--- nothing was printed for $BLIPCHAT_STALL s: this run is ended"
        list_unfinished "$2" | tee -a "$hung"
        list_threads "$1"
        kill_tree "$1"
    done
}

if [[ ${1:-} == --skipped ]]; then
    [[ -f $2 ]] && list_skipped "$2"
    [[ -f $2.times ]] && list_slowest "$2.times"
    list_hung "$2.hung"
    [[ -f $2.failed ]] && cat "$2.failed"
    exit 0
fi
log=$(mktemp -t blipchat-tests.XXXXXX)
skipped=$(mktemp -t blipchat-skipped.XXXXXX)
times=$(mktemp -t blipchat-times.XXXXXX)
hung=$(mktemp -t blipchat-hung.XXXXXX)
run=
finish() {
    # Ctrl-C reaches nothing that a script runs in the background.
    [[ -n $run ]] && kill_tree "$run"
    rm -f "$log" "$skipped" "$times" "$hung"
}
trap finish EXIT

# Runs the command; its output goes to the log, and what is new there to the terminal. Not by a pipe: a process that a test left
# behind may hold that open for ever.
run_command() {
    : >"$log"
    # Line by line: what a run that stalls had printed shall be in the log.
    stdbuf -oL "$@" >>"$log" 2>&1 &
    run=$!
    if [[ -n ${BLIPCHAT_STALL:-} ]]; then watch_run "$run" "$log" & fi
    tail -n +1 -f -s 0.2 --pid="$run" "$log"
    wait "$run"
    status=$?
    run=
}

run_command "$@"
if [[ -s $hung ]]; then run_command "$@"; fi
sed -nE '/^ *(✔|✘|◇|↳)/d; s/^.{0,4} *((Test|Suite) .* (skipped|cancelled)\b.*)$/\1/p' "$log" >"$skipped"
sed -nE 's/^.{0,4} *Test (.*) (passed|failed) after ([0-9.]+) seconds.*$/\3 \1/p' "$log" >"$times"
if [[ -n ${BLIPCHAT_SKIPPED:-} ]]; then
    cat "$skipped" >>"$BLIPCHAT_SKIPPED"
    cat "$times" >>"$BLIPCHAT_SKIPPED.times"
    cat "$hung" >>"$BLIPCHAT_SKIPPED.hung"
else
    list_skipped "$skipped"
    list_slowest "$times"
    list_hung "$hung"
fi
# What failed comes behind everything else, also of several runs that make one: people read a log from its end.
if ((status != 0)); then
    {
        echo "--- failed (exit code $status): $*"
        grep -aE '✘|recorded an issue|^ *↳|error:|Fatal error|crashed|unexpected signal' "$log" | tail -n 60
    } | tee -a ${BLIPCHAT_SKIPPED:+"$BLIPCHAT_SKIPPED.failed"}
fi
exit "$status"
