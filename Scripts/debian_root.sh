# Clean Debian roots, for fresh.sh and test_deb.sh, which source this file. Not a program.

fail() {
    printf 'blipchat: %s\n' "$*" >&2
    exit 1
}

# Says what is missing to make roots, for `make $1`.
check_debootstrap() {
    ((EUID == 0)) || fail "root is needed for a root of Debian's (sudo make $1)"
    command -v debootstrap >/dev/null || fail "debootstrap is missing (apt install debootstrap)"
}

# Starts the program once more with its arguments, in a namespace of mounts of its own, which end with it.
own_mounts() {
    local program
    program=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/$(basename "$0")
    [[ -n ${BLIPCHAT_MOUNTS-} ]] || BLIPCHAT_MOUNTS=1 exec unshare --mount --pid --fork --kill-child "$program" "$@"
}

# Makes the archive $1 of a root of the suite $2, unless it is there. What follows are options of debootstrap.
make_archive() {
    local archive=$1 suite=$2 making=$1.making
    shift 2
    [[ ! -f $archive ]] || return 0
    rm -rf "$making"
    debootstrap --variant=minbase "$@" "$suite" "$making" >"$archive.log" 2>&1 || fail "$suite: debootstrap failed, see $archive.log"
    tar -C "$making" -cf "$archive.part" .
    mv "$archive.part" "$archive"
    rm -rf "$making"
}

# Unpacks the archive $1 in the folder $2, with what programs expect in it.
open_root() {
    tar -C "$2" -xf "$1"
    mount -t proc proc "$2/proc"
    mount --rbind /dev "$2/dev"
    cp /etc/resolv.conf /etc/hosts "$2/etc/"
}
