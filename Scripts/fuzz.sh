#!/usr/bin/env bash
# Runs every fuzz target for SECONDS, as many at a time as there are processors: fuzz.sh SECONDS [TARGET...].
# It begins with the corpora of Fuzz/Corpus; what it learns beyond them stays in .build/fuzz/corpus, findings in
# .build/fuzz/findings. fuzz.sh --keep [TARGET...] takes what was learned over into Fuzz/Corpus, as few inputs as will do.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: fuzz.sh SECONDS|--keep [TARGET...]}
shift
out=.build/fuzz
mkdir -p "$out/corpus" "$out/findings"
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(find Fuzz/Corpus -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)

# Modules as in the tests: the targets reach the internals of all of them by @testable import.
swift=(swiftc -O -wmo -g -use-ld=lld -parse-as-library -swift-version 6 -enable-testing -package-name blipchat
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault
    -I Sources/CZlib -I Sources/COpenSSL -I Sources/CLinux -I Sources/CSQLite -I Sources/CNcurses)
module() { # NAME FILE...
    local name=$1
    shift
    # What stands on another module knows the sizes of its values.
    if [[ -f $to/$name.o && -z $(find "$@" Scripts/fuzz.sh "${built[@]}" -newer "$to/$name.o" -print -quit) ]]; then
        built+=("$to/$name.o")
        return
    fi
    "${swift[@]}" "-sanitize=$sanitizers" -I "$to" -module-name "$name" -emit-module \
        -emit-module-path "$to/$name.swiftmodule" -c "$@" -o "$to/$name.o"
    built+=("$to/$name.o")
    rm -f "$to/fuzz"
}
mapfile -t bodies < <(find Fuzz Tests/*/Fuzzing Tests/BLIPNetTests/Simulation Tests/BLIPNetTests/Link/StackPair.swift \
    Tests/BLIPNetTests/WebSocket/WebSocketFixtures.swift Tests/ChatCoreTests/Simulation/SimulatedNetwork.swift \
    Tests/ChatCoreTests/Simulation/SimulatedRouter.swift Tests/ChatCoreTests/Simulation/VirtualClock.swift \
    -name '*.swift' -not -name '*Tests.swift' -not -path 'Tests/TestSupport/*' | sort)
build() { # FOLDER SANITIZERS
    local to=$1 sanitizers=$2
    local built=() name sources
    mkdir -p "$to"
    for name in BLIPNet ChatCore Storage ChatWords ChatTUI ChatSettings ChatHost; do
        mapfile -t sources < <(find "Sources/$name" -name '*.swift' | sort)
        module "$name" "${sources[@]}"
    done
    module TestSupport Tests/TestSupport/{SeededGenerator,TemporaryDirectory,TestFile}.swift Tests/TestSupport/Fuzzing/*.swift
    module BlipchatFuzz "${bodies[@]}"
    [[ -f $to/fuzz ]] || "${swift[@]}" "-sanitize=$sanitizers" "${built[@]}" -o "$to/fuzz"
}
build "$out" fuzzer,address

# Leaks of the last input are none; sanitizers cost up to ten times the processor time.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 BLIPCHAT_FUZZ_SLOWDOWN=10
options=(-timeout=20 -rss_limit_mb=1024 -max_len=16384 -close_fd_mask=1)

if [[ $seconds == --keep ]]; then
    for target in "${targets[@]}"; do
        fewest=$out/fewest/$target
        rm -rf "$fewest"
        mkdir -p "$fewest" "$out/corpus/$target"
        BLIPCHAT_FUZZ=$target "$out/fuzz" "${options[@]}" -max_len=4096 -set_cover_merge=1 \
            "$fewest" "Fuzz/Corpus/$target" "$out/corpus/$target" >"$out/$target.log" 2>&1
        rm -rf "Fuzz/Corpus/$target"
        mv "$fewest" "Fuzz/Corpus/$target"
        printf 'fuzz: %s has %s inputs\n' "$target" "$(find "Fuzz/Corpus/$target" -type f | wc -l)"
    done
    exit 0
fi

run() { # TARGET
    local target=$1 log=$out/$1.log
    mkdir -p "$out/corpus/$target"
    BLIPCHAT_FUZZ=$target "$out/fuzz" "$out/corpus/$target" "Fuzz/Corpus/$target" "${options[@]}" \
        -max_total_time="$seconds" -artifact_prefix="$out/findings/$target-" -print_final_stats=1 >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        printf 'fuzz: %s failed: the input is in %s/findings\n' "$target" "$out" >&2
        return 1
    }
    # Edges of the last line that libFuzzer wrote of its coverage.
    printf 'fuzz: %s, %s inputs, %s edges\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | tr -dc 0-9)"
}
printf 'fuzz: %s targets, %s s each\n' "${#targets[@]}" "$seconds"
failed=0
running=0
for target in "${targets[@]}"; do
    if ((running >= $(nproc))); then
        wait -n || failed=1
        running=$((running - 1))
    fi
    run "$target" &
    running=$((running + 1))
done
while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
done
((failed == 0)) || exit 1

# Once more over everything that was kept or learned, as fast as users have it: no input may take longer than its target
# allows (100 ms, or more where a passphrase makes a key).
build "$out/plain" fuzzer
export BLIPCHAT_FUZZ_SLOWDOWN=1
for target in "${targets[@]}"; do
    BLIPCHAT_FUZZ=$target "$out/plain/fuzz" "$out/corpus/$target" "Fuzz/Corpus/$target" "${options[@]}" -runs=0 \
        -artifact_prefix="$out/findings/$target-slow-" >"$out/$target-plain.log" 2>&1 || {
        tail -n 40 "$out/$target-plain.log" >&2
        printf 'fuzz: %s takes too long for an input in %s/findings\n' "$target" "$out" >&2
        failed=1
    }
done
((failed == 0)) || exit 1
printf 'fuzz: no findings, and no input took too long\n'
