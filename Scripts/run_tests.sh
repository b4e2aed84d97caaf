#!/usr/bin/env bash
# Runs a command of tests; when it fails, tells at the very end which tests and why: logs of a thousand tests are cut from the front.
set -uo pipefail
log=$(mktemp -t blipchat-tests.XXXXXX)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if ((status != 0)); then
    echo "--- failed (exit code $status): $*"
    grep -aE '✘|recorded an issue|^ *↳|error:|Fatal error|crashed|unexpected signal' "$log" | tail -n 60
fi
exit "$status"
