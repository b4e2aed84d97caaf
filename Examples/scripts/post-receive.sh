#!/bin/sh
# A hook for git that tells a contact or a room what was pushed: hooks/post-receive in a repository.
#
#     git config blipchat.to WHO
#
# It never fails a push: what cannot go out now waits in blipchat, and other faults go to standard error.

who=$(git config blipchat.to) || exit 0
name=$(git rev-parse --absolute-git-dir | sed 's|/\.git$||')
name=$(basename "$name" .git)
longest=10

tell() {
    # On standard input, because a subject may look like an option.
    blipchat send --queue --quiet -- "$who" - >/dev/null || echo "blipchat: $who has not heard of this push" >&2
}

zero=$(git hash-object --stdin </dev/null | tr 0-9a-f '[0*]')
while read -r old new ref; do
    branch=${ref#refs/heads/}
    if [ "$new" = "$zero" ]; then
        echo "$name: $branch was deleted" | tell
        continue
    fi
    # Of a new branch only what no other one has.
    if [ "$old" = "$zero" ]; then set -- "$new" --not --exclude="$ref" --all; else set -- "$old..$new"; fi
    {
        echo "$name: $(git rev-list --count "$@" --) new in $branch"
        git log --format='%h %an: %s' --max-count="$longest" "$@" --
    } | tell
done
exit 0
