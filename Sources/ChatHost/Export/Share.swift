// How far a long task is, for a front end to show.

import Synchronization

/// How far something is, from 0 to 1; `nil` where nobody knows.
package final class Share: Sendable {
    private let state = Mutex<Double?>(nil)

    package init() {}

    package var value: Double? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
