#!/bin/sh
# Copies the history into a folder and keeps the newest copies, for cron or a timer: backup.sh FOLDER [COPIES].
set -eu

folder=${1:?usage: backup.sh FOLDER [COPIES]}
copies=${2:-7}
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
umask 077
mkdir -p "$folder"

# `blipchat backup` returns when the copy is complete and checked: only then it gets its name.
part=$folder/.part.$$
trap 'rm -f "$part"' EXIT
trap 'exit 1' HUP INT TERM
blipchat --quiet backup "$part" >/dev/null
mv "$part" "$folder/blipchat-$(date -u +%Y-%m-%dT%H%M%SZ).sqlite"

# The names sort by time; an old copy goes only when a new one is there.
set -- "$folder"/blipchat-*.sqlite
while [ $# -gt "$copies" ]; do
    rm "$1"
    shift
done
