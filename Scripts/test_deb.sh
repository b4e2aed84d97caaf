#!/usr/bin/env bash
# Installs the packages in clean Debian roots, has two people talk there, upgrades and purges. Needs root, debootstrap and a mirror.
# Usage: test_deb.sh DEBS UPGRADE CACHE SUITE..., with DEBS and UPGRADE folders of packages of two revisions, and CACHE one for the
# roots.
set -euo pipefail

debs=$(realpath "$1") upgrade=$(realpath "$2") cache=$3
shift 3
mkdir -p "$cache"
cache=$(realpath "$cache")

. "$(dirname "$0")/debian_root.sh"
check_debootstrap deb-test
own_mounts "$debs" "$upgrade" "$cache" "$@"

# What a person does, in the root $1, as a user who is not root.
talk() {
    chroot "$1" /bin/su - jo -c '
        set -eu
        export LC_ALL=C.UTF-8
        test -z "$(command -v swift)"
        blipchat --version
        BLIPCHAT_HOME=/tmp/alice blipchat serve --listen 127.0.0.1:4986 --accept-requests --accept-files 10M >/tmp/alice.out 2>&1 &
        alice=$!
        BLIPCHAT_HOME=/tmp/jo blipchat serve --listen 127.0.0.1:4987 >/tmp/jo.out 2>&1 &
        jo=$!
        for n in $(seq 100); do grep -q listening /tmp/alice.out && grep -q listening /tmp/jo.out && break; sleep 0.2; done
        export BLIPCHAT_HOME=/tmp/jo
        blipchat contacts list --names | grep -qx alice ||
            blipchat contacts add "$(BLIPCHAT_HOME=/tmp/alice blipchat id | head -n 1)" --name alice
        blipchat send alice --timeout 60 "hello from a package $1"
        blipchat send-file alice /usr/share/doc/blipchat/protocol.md --timeout 60
        kill $alice $jo
        wait
        BLIPCHAT_HOME=/tmp/alice blipchat history jo | grep "hello from a package $1"
        find /tmp/alice -name "protocol.md*" -exec cmp {} /usr/share/doc/blipchat/protocol.md \;
        rm -rf /tmp/copies
        /usr/share/doc/blipchat/examples/backup.sh /tmp/copies
        test -s /tmp/copies/blipchat-*.sqlite
    ' sh "$2" || fail "$1: they could not talk"
}

for suite in "$@"; do
    began=$SECONDS
    archive=$cache/$suite.tar
    make_archive "$archive" "$suite"
    root=$cache/root
    rm -rf "$root"
    mkdir -p "$root"
    # What is unpacked is on no disk: quick, and gone afterwards.
    mount -t tmpfs -o size=2G blipchat "$root"
    open_root "$archive" "$root"
    mkdir "$root/debs" "$root/upgrade"
    cp "$debs"/*.deb "$root/debs/"
    cp "$upgrade"/*.deb "$root/upgrade/"
    run() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
    run apt-get update >/dev/null
    run sh -c 'apt-get install -y --no-install-recommends /debs/*.deb' >"$cache/$suite.install.log" 2>&1 ||
        fail "$suite: the packages cannot be installed, see $cache/$suite.install.log"
    run useradd -m jo
    talk "$root" first
    run blipwire --help >/dev/null
    for script in backup.sh drop_folder.py echo_bot.py notify.py post-receive.sh; do
        run test -x "/usr/share/doc/blipchat/examples/$script" || fail "$suite: the example $script is not there as a program"
    done
    run test -s /usr/share/blipwire/blip.lua || fail "$suite: the dissector is not there"
    run dpkg --verify blipchat blipwire
    first=$(run dpkg-query -W -f '${Version}' blipchat)
    run sh -c 'apt-get install -y --no-install-recommends /upgrade/*.deb' >>"$cache/$suite.install.log" 2>&1 ||
        fail "$suite: the packages cannot be upgraded, see $cache/$suite.install.log"
    second=$(run dpkg-query -W -f '${Version}' blipchat)
    [[ $first != "$second" ]] || fail "$suite: still $first after the upgrade"
    talk "$root" second
    files=$(run dpkg -L blipchat blipwire | sort -u)
    run apt-get purge -y blipchat blipwire >>"$cache/$suite.install.log" 2>&1 || fail "$suite: the packages cannot be purged"
    while read -r file; do
        [[ -d $root$file && $file != *blip* ]] || [[ ! -e $root$file ]] || fail "$suite: $file is still there after the purge"
    done <<<"$files"
    [[ -z $(run find / -xdev -name '*blip*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/debs/*' -not -path '/upgrade/*') ]] ||
        fail "$suite: something is left behind"
    umount -R "$root"
    printf '%s: installed %s, talked, upgraded to %s, talked, purged: %s seconds\n' "$suite" "$first" "$second" $((SECONDS - began))
done
