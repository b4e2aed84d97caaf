#!/usr/bin/env bash
# Runs a command of tests, and says at the very end what is easily overlooked in the log of a thousand tests: which failed
# and why, and which were skipped and why. With BLIPCHAT_SKIPPED=FILE the skipped ones are added to FILE instead, for
# several runs that make one; `run_tests.sh --skipped FILE` prints them.
set -uo pipefail

# Each skipped test once, with its reason: the lines of Swift Testing, without its marks.
list_skipped() {
    local count
    count=$(sort -u "$1" | wc -l)
    ((count > 0)) || return 0
    echo "--- skipped ($count):"
    sort -u "$1" | sed 's/^/  /'
}

if [[ ${1:-} == --skipped ]]; then
    [[ -f $2 ]] && list_skipped "$2"
    exit 0
fi
log=$(mktemp -t blipchat-tests.XXXXXX)
skipped=$(mktemp -t blipchat-skipped.XXXXXX)
trap 'rm -f "$log" "$skipped"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
sed -nE '/^ *(✔|✘|◇|↳)/d; s/^.{0,4} *((Test|Suite) .* (skipped|cancelled)\b.*)$/\1/p' "$log" >"$skipped"
if [[ -n ${BLIPCHAT_SKIPPED:-} ]]; then cat "$skipped" >>"$BLIPCHAT_SKIPPED"; else list_skipped "$skipped"; fi
if ((status != 0)); then
    echo "--- failed (exit code $status): $*"
    grep -aE '✘|recorded an issue|^ *↳|error:|Fatal error|crashed|unexpected signal' "$log" | tail -n 60
fi
exit "$status"
