// What Scripts/check_hops.py compiles: an error of another actor comes back to whoever has called it through a protocol.

enum Failure: Error { case some(String) }

protocol Failing: Sendable {
    func fail() async throws(Failure)
}

actor Other: Failing {
    private var count = 0

    func fail() async throws(Failure) {
        if count == 0 {
            await Task.yield()
            throw .some("reason")
        }
    }
}

let failing: any Failing = Other()
try? await failing.fail()
