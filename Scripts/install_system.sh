#!/usr/bin/env bash
# Makes sure that the machine can build blipchat: a Swift toolchain that is new enough, and the Debian packages.
# Usage: install_system.sh SWIFT build [test] [bench]. Installs only what is missing; says clearly what it cannot do.
set -euo pipefail

swift=$1
shift

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

command -v "$swift" >/dev/null 2>&1 ||
    fail "Swift is missing: '$swift' was not found in PATH (install Swift 6.2 or newer for Debian 12 from swift.org, then run make again)"
output=$("$swift" --version 2>&1) ||
    fail "Swift does not run: ${output%%$'\n'*} (install what the toolchain needs on Debian 12, see swift.org/install/linux, then run make again)"
version=$(sed -n 's/.*Swift version \([0-9][0-9]*\)\.\([0-9][0-9]*\).*/\1 \2/p' <<<"$output" | head -n 1)
read -r major minor <<<"${version:-0 0}"
if ((major < 6 || (major == 6 && minor < 2))); then
    fail "Swift is too old: found $major.$minor, blipchat needs 6.2 or newer (install it from swift.org, then run make again)"
fi

packages=()
for purpose in "$@"; do
    case $purpose in
        build) packages+=(libncurses-dev libsqlite3-dev libssl-dev zlib1g-dev) ;;
        test) packages+=(tmux openssl python3 strace e2fsprogs xfsprogs libqrencode4) ;;
        # What the benchmarks compare with; they skip what is not there.
        bench) packages+=(libwebsockets-dev gcc libc6-dev strace openssh-server openssh-client rsync magic-wormhole
            python3-magic-wormhole-mailbox-server weechat-curses irssi profanity) ;;
    esac
done

missing=()
for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
((${#missing[@]} == 0)) && exit 0

command -v apt-get >/dev/null 2>&1 ||
    fail "these packages are missing: ${missing[*]} (apt-get was not found: install their equivalents, then run make again)"
as_root=()
if ((EUID != 0)); then
    command -v sudo >/dev/null 2>&1 ||
        fail "these packages are missing: ${missing[*]} (run as root: apt-get install ${missing[*]})"
    as_root=(sudo)
fi
printf 'blipchat: installing %s\n' "${missing[*]}" >&2
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}")
# Package lists may be absent or old on a fresh machine: fetch them only when they are needed.
"${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update >&2 && "${install[@]}" >&2; } ||
    fail "could not install ${missing[*]} (the reason stands above; run: apt-get install ${missing[*]})"
