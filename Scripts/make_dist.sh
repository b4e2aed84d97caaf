#!/usr/bin/env bash
# Makes the tarballs of a version, with checksums: the sources of the commit, and a folder with the programs that runs where it is
# unpacked. Both always have the same bytes for the same commit and programs. Usage: make_dist.sh BIN OUT.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$1 out=$2
umask 022
export LC_ALL=C.UTF-8 TZ=UTC

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

command -v patchelf >/dev/null || fail "patchelf is missing (apt install patchelf)"
[[ -z $(git -C "$root" status --porcelain) ]] || printf 'blipchat: the sources in the tarball are those of the last commit, without what has changed since\n' >&2
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
version=$(sed -n 's/.*text = "\(.*\)"$/\1/p' "$root/Sources/ChatHost/Instance/Version.swift")
mkdir -p "$out"
out=$(realpath "$out")

git -C "$root" archive --format=tar --prefix="blipchat-$version/" HEAD | gzip -9n >"$out/blipchat-$version.tar.gz"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=blipchat-$version-linux-$(uname -m)
folder=$work/$name
PREFIX=/ DESTDIR=$folder "$root/Scripts/install_files.sh" install all "$bin"
# A service and a desktop need to know where the program is; a folder that is moved about does not.
rm -rf "$folder/share/systemd" "$folder/share/applications" "$folder/share/metainfo" "$folder/share/icons"
install -d "$folder/lib"
# Everything but glibc, which goes with the kernel's loader; each with its licence.
for program in blipchat blipwire; do
    ldd "$folder/bin/$program" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' |
        while read -r library; do
            cp -L "$library" "$folder/lib/"
            package=$(dpkg-query -S "*/$(basename "$(readlink -f "$library")")" | head -n 1 | cut -d: -f1)
            install -D -m 644 "/usr/share/doc/$package/copyright" "$folder/share/doc/lib/$package"
        done
done
for library in "$folder"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
for program in blipchat blipwire; do patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/$program"; done
cat >"$folder/README" <<README
blipchat $version for Linux with glibc 2.36 or newer (Debian 12, Ubuntu 23.04, Fedora 37 and what came later).

    bin/blipchat          opens the chat
    bin/blipchat demo     lets you try it alone
    man -l share/man/man1/blipchat.1
    share/doc/blipchat/examples            has scripts to start from
    share/blipwire/blip.lua                shows the protocol in Wireshark; its first lines say how

The folder may be anywhere. lib has the libraries of Debian 12 that the programs use; their licences are in share/doc/lib.
README
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" | xz -9 -T1 >"$out/$name.tar.xz"
(cd "$out" && sha256sum "blipchat-$version.tar.gz" "$name.tar.xz" >"blipchat-$version.sha256")
(cd "$out" && ls -l "blipchat-$version.tar.gz" "$name.tar.xz" && cat "blipchat-$version.sha256")
