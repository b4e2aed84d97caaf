#!/usr/bin/env bash
# What somebody with a new machine goes through: a clean Debian 12 root with the toolchain, make and git and nothing else, a clone, and
# README's two commands, as an ordinary user with sudo and as root. Needs root, debootstrap and a mirror.
# Usage: fresh.sh SWIFT CACHE [WHO...], with WHO user or root (both, in this order). BLIPCHAT_FRESH names the commands.
set -euo pipefail
cd "$(dirname "$0")/.."

. Scripts/debian_root.sh
check_debootstrap fresh
swift=$(command -v "$1") || fail "Swift is missing: '$1' was not found in PATH"
# What is above usr/bin/swift.
toolchain=$(realpath "$(dirname "$(realpath "$swift")")/../..")
cache=$2
shift 2
mkdir -p "$cache"
cache=$(realpath "$cache")
(($# > 0)) || set -- user root
IFS=, read -r -a commands <<<"${BLIPCHAT_FRESH:-run ARGS=--version,test}"
own_mounts "$swift" "$cache" "$@"

archive=$cache/bookworm.tar
make_archive "$archive" bookworm --include=ca-certificates,git,make,sudo

for who in "$@"; do
    case $who in
        user) name=jo home=/home/jo ;;
        root) name=root home=/root ;;
        *) fail "$who is neither user nor root" ;;
    esac
    root=$cache/$who
    rm -rf "$root"
    mkdir -p "$root"
    open_root "$archive" "$root"
    mount -t sysfs sys "$root/sys"
    mkdir -p "$root$toolchain"
    mount --bind -o ro "$toolchain" "$root$toolchain"
    if [[ $name != root ]]; then
        chroot "$root" useradd -m -s /bin/bash "$name"
        printf '%s ALL=(ALL) NOPASSWD: ALL\n' "$name" >"$root/etc/sudoers.d/$name"
    fi
    git clone --quiet --no-hardlinks "$PWD" "$root$home/blipchat"
    chroot "$root" chown -R "$name:" "$home/blipchat"
    for command in "${commands[@]}"; do
        log=$cache/$who-${command%% *}.log began=$SECONDS
        chroot "$root" /bin/su - "$name" -c "
            export PATH=$toolchain/usr/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8
            cd blipchat && make $command" >"$log" 2>&1 || {
            tail -n 30 "$log" >&2
            fail "$who: make $command failed after $((SECONDS - began)) seconds, see $log"
        }
        printf '%s: make %s: %s seconds; %s\n' "$who" "$command" $((SECONDS - began)) "$(grep -vE '^(---|  )' "$log" | tail -n 1)"
    done
    # Lazily: a daemon that the tests have left behind may still hold a device.
    umount -R -l "$root/proc" "$root/sys" "$root/dev" "$root$toolchain"
    rm -rf "$root"
done
