// A notice that the status line shows for a while.

import ChatCore

/// A sentence on the status line.
struct StatusNotice: Sendable, Equatable {
    var text: String
    /// The subject of the sentence, where something asks for it later.
    var subject: Subject?
    var isError: Bool
    /// It waits for an answer: any other key takes it away.
    var isQuestion = false
    /// The same in fewer words, for narrow screens.
    var shorts: [String] = []
    /// Where all of it can be read when it does not fit.
    var place = Place.log
    /// It is the first of several lines.
    var hasMore = false
    var until: Duration

    enum Subject: Sendable, Equatable {
        case contactRequest
        /// A key came before its offer had been in sight for long enough.
        case offer(TransferNumber)
    }

    enum Place: Sendable {
        /// `/log` keeps what was said.
        case log
        /// At the end of the open chat, which is out of sight.
        case chat
    }
}
