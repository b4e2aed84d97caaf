#!/usr/bin/env bash
# Two machines in one network, as network namespaces of this one, each with a message bus and an avahi-daemon of its own.
# Usage: nearby_room.sh FOLDER: runs FOLDER/a and FOLDER/b (programs of bash) in them, side by side; 0 when both end well.
# Needs root, iproute2, dbus-daemon and avahi-daemon; leaves nothing behind. What the two print is in FOLDER/a.out and b.out.
set -euo pipefail

folder=$1
room=bn$$
export PATH=$PATH:/usr/sbin:/sbin

clean() {
    local node
    for node in a b; do
        [[ -f $folder/$node.pid ]] && kill -TERM -- "-$(<"$folder/$node.pid")" 2>/dev/null
        ip netns del "$room-$node" 2>/dev/null
    done
    return 0
}
trap clean EXIT

ip link add "$room-qa" type veth peer name "$room-qb"
number=1
for node in a b; do
    ip netns add "$room-$node"
    ip link set "$room-q$node" netns "$room-$node"
    ip -n "$room-$node" link set "$room-q$node" name eth0
    ip -n "$room-$node" addr add "10.0.9.$number/24" dev eth0
    ip -n "$room-$node" link set lo up
    ip -n "$room-$node" link set eth0 up
    number=$((number + 1))
    printf '[server]\nhost-name=room%s\nallow-interfaces=eth0\n[publish]\npublish-workstation=no\npublish-hinfo=no\n' "$node" \
        >"$folder/$node.conf"
done

# Both daemons have fixed places beneath /run: each machine has a /run of its own.
inside='
mount -t tmpfs none /run
mkdir -p /run/dbus /run/avahi-daemon
chown avahi: /run/avahi-daemon
dbus-daemon --system --nopidfile --nofork >"$0/$1.bus" 2>&1 &
until [[ -S /run/dbus/system_bus_socket ]]; do sleep 0.1; done
avahi-daemon -f "$0/$1.conf" --no-drop-root --no-chroot --no-rlimits >"$0/$1.avahi" 2>&1 &
until grep -q "startup complete" "$0/$1.avahi"; do sleep 0.1; done
bash "$0/$1" >"$0/$1.out" 2>&1
'
runs=()
for node in a b; do
    ip netns exec "$room-$node" setsid --wait unshare -m bash -c "echo \$\$ >'$folder/$node.pid'; $inside" "$folder" "$node" &
    runs+=($!)
done
status=0
for run in "${runs[@]}"; do wait "$run" || status=1; done
exit $status
