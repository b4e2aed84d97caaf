// How much the fault tests try: a sample in `make test`, everything in the long forms (see Docs/testing.md).

import Glibc

enum FaultSettings {
    /// The value of an environment variable as a number.
    static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    /// Where random choices begin: each run tries other places, and prints this so that it can be repeated.
    static let seed: UInt64 = number("BLIPCHAT_FAULT_SEED").map { UInt64($0) } ?? UInt64(time(nil))

    /// Cut at every so many bytes; 1 in `make cuts`.
    static let cutStride = number("BLIPCHAT_CUT_STRIDE") ?? 797

    /// Pairs of peers that are cut side by side. They mostly wait; `make cuts` keeps both cores busy.
    static let cutWidth = number("BLIPCHAT_CUT_WIDTH").map { max(1, $0) } ?? 3
}
