#!/usr/bin/env bash
# Builds the Debian packages blipchat and blipwire from built programs, without a network and always to the same bytes: times come
# from the commit (SOURCE_DATE_EPOCH). Usage: make_deb.sh BIN OUT, with BIN the folder of the programs; REVISION (1) is Debian's.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$1 out=$2
revision=${REVISION:-1}
umask 022
export LC_ALL=C.UTF-8 TZ=UTC

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

for tool in dpkg-deb dpkg-shlibdeps strip gzip; do
    command -v "$tool" >/dev/null || fail "$tool is missing (apt install dpkg-dev binutils)"
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
version=$(sed -n 's/.*text = "\(.*\)"$/\1/p' "$root/Sources/ChatHost/Instance/Version.swift")-$revision
maintainer=${MAINTAINER:-blipchat authors <blipchat@packages.debian.org>}
architecture=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/debian"
# What dpkg-shlibdeps reads of a source package.
printf 'Source: blipchat\n\nPackage: blipchat\nArchitecture: any\n' >"$work/debian/control"

control() {
    local package=$1 depends=$2 size=$3
    cat <<CONTROL
Package: $package
Source: blipchat
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $depends
Section: net
Priority: optional
CONTROL
    case $package in
        blipchat)
            cat <<'CONTROL'
Recommends: libgdk-pixbuf-2.0-0, libqrencode4
Suggests: blipwire, hunspell, libnotify-bin
Description: terminal messenger for two people and no server
 The two programs talk directly to each other over TLS 1.3. A chat line
 overtakes the large file that is on its way over the same connection; files
 resume after any interruption, and everything that was ever said can be read
 and searched, also offline.
 .
 It has a full screen, a line mode for screen readers and pipes, commands for
 scripts with JSON output, and a systemd user service.
CONTROL
            ;;
        blipwire)
            cat <<'CONTROL'
Suggests: tshark | wireshark
Description: workbench for the protocols of blipchat
 For those who write or test another implementation of BLIP over WebSocket:
 it serves and calls, with and without TLS, checks the other side, measures it,
 and stands between two sides as a proxy with faults. A dissector shows what
 they say in Wireshark and tshark.
CONTROL
            ;;
    esac
}

for package in blipchat blipwire; do
    stage=$work/$package
    PREFIX=/usr DESTDIR=$stage "$root/Scripts/install_files.sh" install "$package" "$bin"
    doc=$stage/usr/share/doc/$package
    printf 'blipchat (%s) unstable; urgency=low\n\n  * See /usr/share/doc/blipchat/changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
    gzip -9n <"$root/CHANGELOG.md" >"$doc/changelog.gz"
    find "$stage/usr/share/man" -type f -exec gzip -9n {} +
    if [[ -f $root/Packaging/$package.lintian-overrides ]]; then
        install -D -m 644 "$root/Packaging/$package.lintian-overrides" "$stage/usr/share/lintian/overrides/$package"
    fi
    depends=$(cd "$work" && dpkg-shlibdeps -O -e"$package/usr/bin/$package" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    # The linker packs relocations (Package.swift), which glibc reads since then.
    depends=$(sed 's/libc6 (>= [0-9.]*)/libc6 (>= 2.36)/' <<<"$depends")
    [[ -n $depends ]] || fail "$package: dpkg-shlibdeps finds no libraries"
    mkdir -p "$stage/DEBIAN"
    (cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    control "$package" "$depends" "$(du -k --apparent-size -s "$stage/usr" | cut -f1)" >"$stage/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz --build "$stage" "$out/${package}_${version}_$architecture.deb" >/dev/null
    printf '%s: %s bytes, %s KiB installed\n' "$out/${package}_${version}_$architecture.deb" \
        "$(stat -c %s "$out/${package}_${version}_$architecture.deb")" "$(sed -n 's/^Installed-Size: //p' "$stage/DEBIAN/control")"
done
