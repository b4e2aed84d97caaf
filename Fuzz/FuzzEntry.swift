// What libFuzzer calls. Scripts/fuzz.sh links it with the targets in the folders Fuzzing of the tests; BLIPCHAT_FUZZ names
// the target, BLIPCHAT_FUZZ_SLOWDOWN how many times its limit of processor time one input may take (1 without sanitizers).

import Glibc
import TestSupport

private let targets =
    FuzzTarget.network + FuzzTarget.chat + FuzzTarget.storage + FuzzTarget.screen + FuzzTarget.settings
    + FuzzTarget.host

private let target: FuzzTarget = {
    let name = getenv("BLIPCHAT_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = targets.first(where: { $0.name == name }) else {
        complain("BLIPCHAT_FUZZ must be one of \(targets.map(\.name))")
        exit(2)
    }
    return target
}()

private let limit = target.limit * (getenv("BLIPCHAT_FUZZ_SLOWDOWN").flatMap { Int(String(cString: $0)) } ?? 1)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        let cost = try target.timed(UnsafeRawBufferPointer(start: start, count: count))
        guard cost > limit else { return 0 }
        // Once more: what is slow only the first time is set up only once.
        let again = try target.timed(UnsafeRawBufferPointer(start: start, count: count))
        guard again > limit else { return 0 }
        complain("finding: one input takes \(again)")
    } catch {
        complain("finding: \(error)")
    }
    abort()
}

private func complain(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
