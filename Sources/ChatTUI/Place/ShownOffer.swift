// Files that somebody offers, while a key can answer.

import ChatCore

/// The offer that Alt-y and Alt-n answer. News from peers never changes it while it can be answered.
struct ShownOffer: Sendable, Equatable {
    var number: TransferNumber
    /// Further offers of the same contact that are answered with it: those that waited when the question came up, and those
    /// that came before a key could answer it.
    var others: [TransferNumber] = []
    /// Uptime of the first time that it was in sight.
    var firstSince: Duration?
    /// Uptime since when it is in sight; `nil` while it is not.
    var since: Duration?
}
