// How long somebody who leaves within the first moments waits for the terminal's answers.

import ChatWords

/// Until when answers to the questions of the start may come before the terminal is given back.
struct ReportPatience: Equatable {
    typealias Instant = ContinuousClock.Instant

    /// Since the questions: for a terminal that has answered in an earlier run, over however slow a line.
    var afterQuestion = Duration.seconds(1)
    /// Since the key that leaves: for a terminal of which nobody knows whether it answers at all. One that answers has
    /// mostly done so by then: its answers come before the keys that were pressed after the question.
    var afterLeaving = Duration.milliseconds(60)

    /// The end of the wait; in the past where there is nothing to wait for.
    func end(askedAt question: Instant, leavingAt leaving: Instant, hasAnsweredBefore: Bool) -> Instant {
        let latest = question + afterQuestion
        return hasAnsweredBefore ? latest : min(latest, leaving + afterLeaving)
    }
}
