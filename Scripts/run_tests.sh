#!/usr/bin/env bash
# Runs a command of tests, and says at the very end what is easily overlooked in the log of a thousand tests: which failed
# and why, which were skipped and why, and the ten slowest. With BLIPCHAT_SKIPPED=FILE the skipped ones are added to FILE and
# the times to FILE.times instead, for several runs that make one; `run_tests.sh --skipped FILE` prints them.
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

if [[ ${1:-} == --skipped ]]; then
    [[ -f $2 ]] && list_skipped "$2"
    [[ -f $2.times ]] && list_slowest "$2.times"
    exit 0
fi
log=$(mktemp -t blipchat-tests.XXXXXX)
skipped=$(mktemp -t blipchat-skipped.XXXXXX)
times=$(mktemp -t blipchat-times.XXXXXX)
trap 'rm -f "$log" "$skipped" "$times"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
sed -nE '/^ *(✔|✘|◇|↳)/d; s/^.{0,4} *((Test|Suite) .* (skipped|cancelled)\b.*)$/\1/p' "$log" >"$skipped"
sed -nE 's/^.{0,4} *Test (.*) (passed|failed) after ([0-9.]+) seconds.*$/\3 \1/p' "$log" >"$times"
if [[ -n ${BLIPCHAT_SKIPPED:-} ]]; then
    cat "$skipped" >>"$BLIPCHAT_SKIPPED"
    cat "$times" >>"$BLIPCHAT_SKIPPED.times"
else
    list_skipped "$skipped"
    list_slowest "$times"
fi
if ((status != 0)); then
    echo "--- failed (exit code $status): $*"
    grep -aE '✘|recorded an issue|^ *↳|error:|Fatal error|crashed|unexpected signal' "$log" | tail -n 60
fi
exit "$status"
