#!/usr/bin/env bash
# Runs the units of blipchat under a real `systemd --user` in namespaces of its own: start, reload, stop, the socket, the watchdog.
# Needs root. Usage: systemd.sh PROGRAM; prints what it has seen, and exits 1 at the first thing that is not as it should be.
set -euo pipefail

program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
if [[ -z ${BLIPCHAT_RIG-} ]]; then BLIPCHAT_RIG=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$program"; fi

fail() {
    printf 'systemd.sh: %s\n' "$*" >&2
    systemctl --user status blipchat >&2 || true
    tail -n 20 /run/manager.log >&2 || true
    exit 1
}

# Waits until the rest of the words succeeds, for as many seconds as $1 says.
until_true() {
    local limit=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < limit)) || return 1
        sleep 0.2
    done
}

property() { systemctl --user show blipchat --property "$1" --value; }
is_active() { [[ $(property ActiveState) == active ]]; }
has_restarted() { [[ $(property NRestarts) -gt 0 ]] && is_active; }
no_longer_runs() { [[ $(property ActiveState) == inactive ]]; }

# A machine that systemd has not booted looks like one that it has, for us alone.
umount -l /sys/fs/cgroup
mount -t cgroup2 blipchat /sys/fs/cgroup
group=/sys/fs/cgroup/blipchat-rig-$RANDOM$RANDOM
mkdir "$group"
echo $$ >"$group/cgroup.procs"
trap 'systemctl --user exit 2>/dev/null || true; wait; echo $$ >/sys/fs/cgroup/cgroup.procs; find "$group" -depth -type d -exec rmdir {} + 2>/dev/null' EXIT
mount -t tmpfs -o mode=755 blipchat /run
mkdir -p /run/systemd/system /run/jo/.config/systemd/user/blipchat.service.d /run/prefix/bin
install -d -m 700 /run/user /run/user/0
export HOME=/run/jo XDG_RUNTIME_DIR=/run/user/0 USER=jo LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME BLIPCHAT_HOME
cp "$program" /run/prefix/bin/blipchat
sed 's|@PREFIX@|/run/prefix|' "$root/Packaging/blipchat.service.in" >/run/jo/.config/systemd/user/blipchat.service
cp "$root/Packaging/blipchat.socket" /run/jo/.config/systemd/user/
printf '[Service]\nWatchdogSec=4\nTimeoutStopSec=4\nTimeoutAbortSec=1\nRestartSec=0\n' >/run/jo/.config/systemd/user/blipchat.service.d/quick.conf
# A port that nobody else has.
mkdir -p /run/jo/.config/blipchat
printf 'listen = "127.0.0.1:0"\n' >/run/jo/.config/blipchat/config.toml

# Whether it can confine itself here, without systemd.
BLIPCHAT_HOME=/run/alone /run/prefix/bin/blipchat serve --listen 127.0.0.1:0 >/run/alone.out 2>&1 &
alone=$!
until_true 30 grep -q listening /run/alone.out || fail "serve does not start without systemd: $(cat /run/alone.out)"
confined=$(BLIPCHAT_HOME=/run/alone /run/prefix/bin/blipchat status --json | grep -o '"confined":[a-z]*')
kill "$alone"
wait "$alone"

/usr/lib/systemd/systemd --user --log-target=console >/run/manager.log 2>&1 &
until_true 30 systemctl --user list-units >/dev/null 2>&1 || fail "systemd --user does not start"

# It returns when the service says that it is ready.
systemctl --user start blipchat || fail "blipchat does not start"
[[ $(property StatusText) == listening\ 127.0.0.1:* ]] || fail "its status is '$(property StatusText)'"
echo "started: $(property StatusText)"
/run/prefix/bin/blipchat status --json | grep -q '"running":true' || fail "nobody answers at its socket"
/run/prefix/bin/blipchat status --json | grep -q "$confined" || fail "alone it is $confined, under systemd not"
systemctl --user reload blipchat || fail "it does not reload"
until_true 10 is_active || fail "it is not ready again after the reload"
echo "reloaded"

# One that hangs is started anew.
kill -STOP "$(property MainPID)"
until_true 60 has_restarted || fail "the watchdog has not started it anew"
echo "restarted by the watchdog"
systemctl --user stop blipchat || fail "it does not stop"
[[ $(property Result) == success ]] || fail "it has stopped with $(property Result)"
echo "stopped"

# A command that calls the socket starts it.
systemctl --user start blipchat.socket || fail "the socket cannot be opened"
no_longer_runs || fail "it runs before anybody calls"
/run/prefix/bin/blipchat status --json | grep -q '"running":true' || fail "nobody answers at the socket of systemd"
is_active || fail "the command has not started the service"
systemctl --user stop blipchat.service blipchat.socket
echo "started by its socket"
