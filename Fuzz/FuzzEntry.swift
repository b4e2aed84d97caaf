// What libFuzzer calls. Scripts/fuzz.sh links it with the targets in Tests/BLIPNetTests/Fuzzing; BLIPNET_FUZZ names the
// target, BLIPNET_FUZZ_MILLISECONDS how much processor time one input may take (100 without sanitizers).

import Glibc

private let target: FuzzTarget = {
    let name = getenv("BLIPNET_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        complain("BLIPNET_FUZZ must be one of \(FuzzTarget.all.map(\.name))")
        exit(2)
    }
    return target
}()

private let limit = Duration.milliseconds(
    getenv("BLIPNET_FUZZ_MILLISECONDS").flatMap { Int(String(cString: $0)) } ?? 100)

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
