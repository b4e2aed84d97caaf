// What libFuzzer calls. Compiled into one module with BLIPNet by Scripts/fuzz.sh; BLIPCHAT_FUZZ names the target.

import Glibc

/// A decoder under attack: takes any bytes and must neither trap nor hang.
typealias FuzzTarget = @Sendable (UnsafeRawBufferPointer) -> Void

/// All targets by name; Scripts/fuzz.sh reads the names from here.
let fuzzTargets: [String: FuzzTarget] = [
    "http-head": fuzzHTTPHead,
    "websocket": fuzzWebSocket,
    "blip-frames": fuzzBLIPFrames,
    "blip-operations": fuzzBLIPOperations,
]

private let chosenTarget: FuzzTarget = {
    let name = getenv("BLIPCHAT_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets[name] else {
        let complaint = "BLIPCHAT_FUZZ must be one of \(fuzzTargets.keys.sorted())\n"
        _ = complaint.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(2)
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosenTarget(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Cuts fuzz input into numbers and pieces; at its end everything is zero or empty.
struct FuzzInput {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// A piece whose length (0...65,535) stands in front of it; shorter at the end of the input.
    mutating func piece() -> UnsafeRawBufferPointer {
        let wanted = Int(byte()) | Int(byte()) << 8
        let count = min(wanted, rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}
