#!/usr/bin/env bash
# Runs every fuzz target for SECONDS each: fuzz.sh SECONDS [TARGET]. Findings stay in .build/fuzz/findings, the corpus in
# .build/fuzz/corpus/TARGET. BLIPNet and the targets are compiled into one module, so that internals can be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: fuzz.sh SECONDS [TARGET]}
only=${2:-}

out=.build/fuzz
mkdir -p "$out/corpus" "$out/findings"
mapfile -t sources < <(find Sources/BLIPNet Fuzz -name '*.swift' -not -path 'Sources/BLIPNet/Link/*' | sort)
sources+=(Sources/BLIPNet/Link/LinkError.swift Sources/BLIPNet/Link/Endpoint.swift)
swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 -module-name BLIPNetFuzz \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault \
    -I Sources/CZlib -I Sources/COpenSSL -I Sources/CLinux "${sources[@]}" -o "$out/fuzz"

mapfile -t targets < <(sed -n 's/^ *"\([a-z-]*\)": fuzz.*/\1/p' Fuzz/FuzzEntry.swift)
for target in "${targets[@]}"; do
    [[ -z $only || $only == "$target" ]] || continue
    mkdir -p "$out/corpus/$target"
    printf 'fuzz: %s for %s s\n' "$target" "$seconds"
    log=$out/$target.log
    BLIPCHAT_FUZZ=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
        "$out/fuzz" "$out/corpus/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
        -artifact_prefix="$out/findings/$target-" -print_final_stats=1 -close_fd_mask=1 >"$log" 2>&1 || {
        tail -n 60 "$log" >&2
        printf 'fuzz: %s failed: the input is in %s/findings\n' "$target" "$out" >&2
        exit 1
    }
    sed -n 's/^stat::number_of_executed_units: */    inputs: /p' "$log"
done
printf 'fuzz: no findings\n'
