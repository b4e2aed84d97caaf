#!/usr/bin/env bash
# What somebody with a new machine goes through: a clean Debian 12 root with the toolchain, make and git and nothing else, a clone, and
# README's two commands, as an ordinary user with sudo and as root. Needs root, debootstrap and a mirror.
# Usage: fresh.sh SWIFT CACHE [WHO...], with WHO user or root (both, in this order). BLIPCHAT_FRESH names the commands.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

((EUID == 0)) || fail "root is needed for a root of Debian's (sudo make fresh)"
command -v debootstrap >/dev/null || fail "debootstrap is missing (apt install debootstrap)"
swift=$(command -v "$1") || fail "Swift is missing: '$1' was not found in PATH"
# What is above usr/bin/swift.
toolchain=$(realpath "$(dirname "$(realpath "$swift")")/../..")
cache=$2
shift 2
mkdir -p "$cache"
cache=$(realpath "$cache")
(($# > 0)) || set -- user root
IFS=, read -r -a commands <<<"${BLIPCHAT_FRESH:-run ARGS=--version,test}"
# Mounts of our own, which end with us.
if [[ -z ${BLIPCHAT_MOUNTS-} ]]; then
    BLIPCHAT_MOUNTS=1 exec unshare --mount --pid --fork --kill-child "$0" "$swift" "$cache" "$@"
fi

archive=$cache/bookworm.tar
if [[ ! -f $archive ]]; then
    rm -rf "$cache/making"
    debootstrap --variant=minbase --include=ca-certificates,git,make,sudo bookworm "$cache/making" >"$cache/debootstrap.log" 2>&1 ||
        fail "debootstrap failed, see $cache/debootstrap.log"
    tar -C "$cache/making" -cf "$archive.part" .
    mv "$archive.part" "$archive"
    rm -rf "$cache/making"
fi

for who in "$@"; do
    case $who in
        user) name=jo home=/home/jo ;;
        root) name=root home=/root ;;
        *) fail "$who is neither user nor root" ;;
    esac
    root=$cache/$who
    rm -rf "$root"
    mkdir -p "$root"
    tar -C "$root" -xf "$archive"
    mount -t proc proc "$root/proc"
    mount -t sysfs sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mkdir -p "$root$toolchain"
    mount --bind -o ro "$toolchain" "$root$toolchain"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
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
    umount -R "$root/proc" "$root/sys" "$root/dev" "$root$toolchain"
    rm -rf "$root"
done
