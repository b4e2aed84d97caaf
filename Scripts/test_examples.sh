#!/usr/bin/env bash
# Builds Examples and the listing of GettingStarted as packages of strangers, which depend on a tagged clone of this
# repository, and runs them: test_examples.sh SWIFT. What is committed counts (HEAD). Only BLIPNet and the examples are
# compiled.
set -euo pipefail
swift=${1:-swift}
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d -t blipchat-examples.XXXXXX)
running=()

clean_up() {
    ((${#running[@]} == 0)) || { kill "${running[@]}" && wait "${running[@]}"; } 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT

fail() {
    echo "test_examples.sh: $1" >&2
    exit 1
}

# Builds one package; both share what is compiled of BLIPNet, and touch no cache of the user.
build() {
    BLIPCHAT_REPOSITORY="file://$folder/blipchat" "$swift" build --disable-index-store --package-path "$1" --scratch-path "$folder/build" \
        --cache-path "$folder/cache" --config-path "$folder/config" --security-path "$folder/security" \
        >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        fail "$2 cannot be built by another package"
    }
}

# Starts a server in the background; the variable `place` becomes the line that it prints when it is ready.
serve() {
    rm -f "$folder/place"
    "$@" >"$folder/place" 2>"$folder/server-log" &
    running+=($!)
    wait_for "$1 to print where it is" grep -q '' "$folder/place"
    read -r -a place <"$folder/place"
}

# Waits a minute at most until a command succeeds.
wait_for() {
    local what=$1 end=$((SECONDS + 60))
    shift
    while ((SECONDS < end)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    [[ ! -s $folder/server-log ]] || cat "$folder/server-log" >&2
    fail "waited in vain for $what"
}

git clone -q "$root" "$folder/blipchat"
git -C "$folder/blipchat" tag -f 0.1.0 >/dev/null
[[ -z $(git -C "$root" status --porcelain -- Examples Sources/BLIPNet Package.swift) ]] ||
    echo "test_examples.sh: there are changes that are not committed; they are not part of this test" >&2

# The listing of the article, word for word, in a package like the one that a reader would write around it.
mkdir -p "$folder/started/Sources/Started"
"$root/Scripts/listing.py" "$folder/blipchat/Sources/BLIPNet/BLIPNet.docc/GettingStarted.md" \
    >"$folder/started/Sources/Started/Greeting.swift"
echo 'print(try await greet("world"))' >"$folder/started/Sources/Started/main.swift"
cat >"$folder/started/Package.swift" <<'MANIFEST'
// swift-tools-version: 6.2
import PackageDescription

let repository = Context.environment["BLIPCHAT_REPOSITORY"] ?? ""
let package = Package(
    name: "Started",
    dependencies: [.package(url: repository, from: "0.1.0")],
    targets: [
        .executableTarget(name: "Started", dependencies: [.product(name: "BLIPNet", package: "blipchat")])
    ]
)
MANIFEST
cp -r "$folder/blipchat/Examples" "$folder/examples"
build "$folder/started" "the listing of GettingStarted.md"
build "$folder/examples" "Examples"
products=$folder/build/debug

greeting=$("$products/Started") || fail "the listing of GettingStarted.md does not run"
[[ $greeting == "Hello, world!" ]] || fail "the listing of GettingStarted.md prints: $greeting"

serve "$products/EchoServer"
echo=$("$products/EchoClient" "${place[@]}" "hello, echo") || fail "EchoClient does not run"
[[ $echo == "hello, echo" ]] || fail "EchoClient prints: $echo"

mkdir "$folder/files"
head -c 5000000 /dev/urandom >"$folder/files/random.bin"
serve "$products/FileServer" "$folder/files"
"$products/FileClient" "${place[@]}" random.bin >"$folder/received" || fail "FileClient does not run"
cmp "$folder/files/random.bin" "$folder/received" || fail "FileClient has written other bytes than those of the file"
for name in missing.bin ../place; do
    ! "$products/FileClient" "${place[@]}" "$name" >/dev/null 2>&1 || fail "FileServer hands out $name"
done

echo "test_examples.sh: the examples and the listing of GettingStarted run"
