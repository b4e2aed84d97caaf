// Waiting in tests: for a condition, never for a guess.

/// A condition that did not become true in time.
package struct ConditionNotMet: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// How long tests wait for something that must happen. Generous: only a test that fails waits so long.
package let patience = Duration.seconds(60)

/// Returns once `condition` is true; looks every 20 ms.
///
/// Throws `ConditionNotMet` with `what` and the present `state` when `timeout` has passed.
package func eventually(
    _ what: String, timeout: Duration = patience, state: () async -> String = { "" },
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + timeout
    while try await !condition() {
        guard ContinuousClock.now < end else {
            let state = await state()
            throw ConditionNotMet("not within \(timeout): \(what)" + (state.isEmpty ? "" : "\n\(state)"))
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Returns the first value that `value` gives; looks every 20 ms.
package func eventuallyGet<Value>(
    _ what: String, timeout: Duration = patience, state: () async -> String = { "" },
    _ value: () async throws -> Value?
) async throws -> Value {
    var found: Value?
    try await eventually(what, timeout: timeout, state: state) {
        found = try await value()
        return found != nil
    }
    guard let found else { throw ConditionNotMet(what) }
    return found
}
