// Waiting for a condition, generously; no test depends on how fast the machine is.

import Testing

/// Polls `condition` until it holds; records an issue with the present `state` and throws after `limit`.
func eventually(
    _ what: String, within limit: Duration = .seconds(60), state: () -> String = { "" },
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("did not happen within \(limit): \(what)\n\(state())", sourceLocation: sourceLocation)
            throw NeverHappened(what: what)
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

struct NeverHappened: Error { var what: String }
