#!/usr/bin/env bash
# Puts everything of Packaging/files.txt below DESTDIR and PREFIX, or takes exactly that away again.
# Usage: install_files.sh install|uninstall|list PACKAGE|all BIN, with BIN the folder of the built programs; PREFIX (/usr/local) and
# DESTDIR come from the environment. Programs are stripped unless STRIP is empty.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
action=$1 wanted=$2 bin=${3-}
prefix=${PREFIX-/usr/local}
destination=${DESTDIR-}
strip=${STRIP-strip}

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

[[ $prefix == /* ]] || fail "PREFIX is '$prefix': give a path that begins with /"
version=$(sed -n 's/.*text = "\(.*\)"$/\1/p' "$root/Sources/ChatHost/Instance/Version.swift")
date=$(sed -n 's/.*date = "\(.*\)"$/\1/p' "$root/Sources/Arguments/ManualSource.swift")
[[ -n $version && -n $date ]] || fail "the version or its date is not where it should be"
# The system's own packages have places of their own for these.
units=share/systemd/user zsh=share/zsh/site-functions
if [[ $prefix == /usr ]]; then units=lib/systemd/user zsh=share/zsh/vendor-completions; fi

fill_in() { sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" -e "s|@DATE@|$date|g" "$1"; }

temporary=
put() {
    local mode=$1 place=$2 kind=$3 source=$4
    install -d "$(dirname "$place")"
    temporary=$(mktemp "$place.XXXXXX")
    # A program that runs is replaced, not written over; what fails leaves nothing behind.
    case $kind in
        build)
            cp "$bin/$source" "$temporary"
            [[ -z $strip ]] || "$strip" --remove-section=.comment "$temporary"
            ;;
        run) "$bin/${source%% *}" ${source#* } >"$temporary" ;;
        file) fill_in "$root/$source" >"$temporary" ;;
        *) fail "Packaging/files.txt: '$kind' is none of build, run and file" ;;
    esac
    chmod "$mode" "$temporary"
    mv -f "$temporary" "$place"
    temporary=
}
trap '[[ -z $temporary ]] || rm -f "$temporary"' EXIT

while read -r package mode place kind source; do
    [[ $package != '#'* && -n $package ]] || continue
    [[ $wanted == all || $wanted == "$package" ]] || continue
    place=${place/@UNITS@/$units}
    place=$destination$prefix/${place/@ZSH@/$zsh}
    case $action in
        install) put "$mode" "$place" "$kind" "$source" ;;
        uninstall)
            rm -f "$place"
            # Folders of our own only: the others may be anybody's.
            folder=$(dirname "$place")
            shared=$destination$prefix/share
            while [[ $folder == "$shared"/doc/blip* || $folder == "$shared"/blip* ]] && rmdir "$folder" 2>/dev/null; do
                folder=$(dirname "$folder")
            done
            ;;
        list) printf '%s\n' "$place" ;;
        *) fail "'$action' is none of install, uninstall and list" ;;
    esac
done <"$root/Packaging/files.txt"
