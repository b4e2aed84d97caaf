#!/usr/bin/env bash
# Makes sure that the machine can build blipchat: the Debian packages, and a Swift toolchain that is new enough.
# Usage: install_system.sh SWIFT build [test] [package] [bench]. Installs only what is missing; says clearly what it cannot do.
# The packages come first: the toolchain itself does not start without some of them (libncurses6).
set -euo pipefail

swift=$1
shift

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

packages=()
# What only a few tests need, which are skipped without it.
optional=()
for purpose in "$@"; do
    case $purpose in
        build) packages+=(libncurses-dev libsqlite3-dev libssl-dev zlib1g-dev) ;;
        # The shells whose completion is tried, a browser that talks to a room, and what some tests cannot do without: those are
        # skipped else, and listed.
        test) packages+=(tmux screen openssl python3 python3-venv strace e2fsprogs xfsprogs zsh fish libqrencode4 libgdk-pixbuf-2.0-0
            chromium)
            # Two homes behind NAT (Tests/Rigs/nat.sh); miniupnpd is only unpacked there, by `nat.sh setup`.
            optional+=(syncthing-relaysrv syncthing-discosrv nftables iproute2 mandoc desktop-file-utils appstream tshark) ;;
        # Debian packages, tarballs, and clean roots to try them in.
        package) packages+=(dpkg-dev binutils lintian patchelf debootstrap) ;;
        check) packages+=(python3) ;;
        # What the benchmarks compare with; they skip what is not there.
        bench) packages+=(libwebsockets-dev gcc libc6-dev strace openssh-server openssh-client rsync magic-wormhole
            python3-magic-wormhole-mailbox-server weechat-curses irssi profanity) ;;
    esac
done

install_missing() {
    local package missing=() as_root=() install
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    command -v apt-get >/dev/null 2>&1 ||
        fail "these packages are missing: ${missing[*]} (apt-get was not found: install their equivalents, then run make again)"
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
}

# The service of the relay joins a public pool as soon as it is installed: this keeps it out of there (Docs/relay.md).
keep_relay_private() {
    local folder=/etc/systemd/system/syncthing-relaysrv.service.d as_root=()
    [[ " ${optional[*]} " == *" syncthing-relaysrv "* && ! -e $folder/private.conf ]] || return 0
    command -v strelaysrv >/dev/null 2>&1 && return 0
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" mkdir -p "$folder" &&
        printf '[Service]\nEnvironment="STRELAYSRV_OPTS=-pools= -status-srv= -listen=127.0.0.1:22067"\n' |
        "${as_root[@]}" tee "$folder/private.conf" >/dev/null || fail "could not write $folder/private.conf"
}
install_missing "${packages[@]}"
keep_relay_private
(install_missing "${optional[@]}") || printf 'blipchat: going on without %s\n' "${optional[*]}" >&2

command -v "$swift" >/dev/null 2>&1 ||
    fail "Swift is missing: '$swift' was not found in PATH (install Swift 6.2 or newer for Debian 12 from swift.org, then run make again)"
# What the toolchain of swift.org needs on Debian 12; asked for only when it does not run. `swift` itself needs less than
# `swift build` does (libcurl), so both are asked.
toolchain=(binutils libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libpython3-dev libstdc++-12-dev libxml2 libz3-4)
runs() { output=$("$swift" build --version 2>&1) && output=$("$swift" --version 2>&1); }
if ! runs; then
    install_missing "${toolchain[@]}"
    runs ||
        fail "Swift does not run: ${output%%$'\n'*} (install what the toolchain needs, see swift.org/install/linux, then run make again)"
fi
version=$(sed -n 's/.*Swift version \([0-9][0-9]*\)\.\([0-9][0-9]*\).*/\1 \2/p' <<<"$output" | head -n 1)
read -r major minor <<<"${version:-0 0}"
if ((major < 6 || (major == 6 && minor < 2))); then
    fail "Swift is too old: found $major.$minor, blipchat needs 6.2 or newer (install it from swift.org, then run make again)"
fi
