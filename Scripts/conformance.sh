#!/bin/bash
# conformance.sh [CASES]: the Autobahn WebSocket test suite against our server (ws-echo) and our client (ws-conformance), in
# strict mode: every case must be OK, NON-STRICT counts as bad. CASES is a JSON list of patterns (default '["*"]').
# The suite is for CPython 2.7 and comes from PyPI; it is kept in AUTOBAHN_HOME (default ~/.cache/blipchat-autobahn).
# BLIPWIRE names another program than the release build.
set -u
cd "$(dirname "$0")/.." || exit 1
rig=$PWD/Tests/Autobahn
cases=${1:-'["*"]'}
export STRICT=1 AUTOBAHN_HOME=${AUTOBAHN_HOME:-$HOME/.cache/blipchat-autobahn}
# The suite is on this machine: no proxy for it.
export NO_PROXY='*' no_proxy='*'

python27=${PYTHON27:-$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/2.7*/bin/python2.7 2>/dev/null | tail -1)}
python27=$(command -v "${python27:-python2.7}")
if [ -z "$python27" ] || ! "$python27" -c 'import platform, sys; sys.exit(platform.python_implementation() != "CPython")'; then
    echo "conformance: skipped, because the Autobahn suite needs a CPython 2.7 (pyenv install 2.7.18, or PYTHON27=PATH)"
    exit 0
fi
PYTHON27=$python27 "$rig/setup.sh" || { echo "conformance: the Autobahn suite cannot be set up"; exit 1; }

blipwire=${BLIPWIRE:-$(swift build -c release --static-swift-stdlib --show-bin-path)/blipwire}
[ -x "$blipwire" ] || { echo "conformance: there is no $blipwire (make conformance builds it)"; exit 1; }

work=$(mktemp -d)
children=()
finish() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null; done
    rm -rf "$work"
}
trap finish EXIT

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for WHAT COMMAND...: until COMMAND succeeds, at most a minute.
wait_for() {
    local what=$1; shift
    for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done
    echo "conformance: $what did not start"; exit 1
}

echo "== our server (blipwire ws-echo --deflate)"
"$blipwire" ws-echo --listen 127.0.0.1:0 --deflate >"$work/echo.log" 2>&1 &
children+=($!)
wait_for "ws-echo" grep -q '^listening on ' "$work/echo.log"
address=$(sed -n 's/^listening on //p' "$work/echo.log")
"$rig/run_server_suite.sh" "ws://$address" blipwire "$cases"
server=$?

echo "== our client (blipwire ws-conformance)"
port=$(free_port)
out=$AUTOBAHN_HOME/out/clients/blipwire
rm -rf "$out"; mkdir -p "$out"
"$rig/run_fuzzing_server.sh" "$port" "$out" "$cases" &
children+=($!)
wait_for "the fuzzing server" bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null
"$blipwire" ws-conformance "ws://127.0.0.1:$port" --agent blipwire
client=$?
[ $client -eq 0 ] && python3 "$rig/summarize.py" "$out" blipwire
client=$((client | $?))

[ $server -eq 0 ] && [ $client -eq 0 ] && { echo "conformance: every case is OK in both directions"; exit 0; }
echo "conformance: FAILED (reports in $AUTOBAHN_HOME/out)"
exit 1
