// A line that says only yes or no, while the program has asked something or did so a moment ago: people answer that way,
// and mean the program. It is never sent to somebody else unasked.

import ChatCore
import ChatWords

/// Yes or no, as a whole line.
enum YesOrNo: Sendable, Equatable {
    case yes, no

    init?(_ line: String) {
        switch line.trimmedBlanks.lowercased() {
        case "y", "yes": self = .yes
        case "n", "no": self = .no
        default: return nil
        }
    }
}

/// The last question of a command, and what has become of it. Without a clock: times are uptime, and passed in.
struct LineQuestion: Sendable, Equatable {
    enum Decision: Sendable, Equatable {
        /// It answers nothing: a message like any other.
        case send
        /// Yes: the command is entered once more, which is how it is confirmed.
        case runAgain(String)
        /// No: nothing is done.
        case withdraw
        /// It may be meant for the program or for the chat: Enter once more sends it.
        case hold
    }

    /// An answer that comes later may be one to something else.
    private static let patience = Duration.seconds(30)
    /// For so long after a question has gone by itself an answer may still be one to it.
    private static let reaction = Duration.seconds(10)

    private var line: String?
    private var asked = Duration.zero
    /// The newest message that could be read when the command was entered.
    private var newest: HistoryPosition?
    /// When something that could be answered went away without an answer.
    private var closed: Duration?
    private var held: String?

    /// A command was entered, which may ask.
    mutating func note(command line: String, newest: HistoryPosition?, at now: Duration) {
        self = LineQuestion()
        self.line = line
        self.newest = newest
        asked = now
    }

    /// Anything else was entered.
    mutating func forget() { self = LineQuestion() }

    /// A question went away by itself: the offer was taken back, somebody else has answered.
    mutating func noteClosed(at now: Duration) { closed = now }

    /// `isOpen`: the command has asked, and waits; `hasOther`: there is something else that is answered with keys, or was
    /// until a moment ago; `newest`: the newest message that can be read now.
    mutating func decide(
        _ answer: YesOrNo, _ text: String, isOpen: Bool, hasOther: Bool, newest: HistoryPosition?, at now: Duration
    ) -> Decision {
        if held == text {
            forget()
            return .send
        }
        if isOpen, let line {
            // The line may answer a message that came meanwhile.
            guard now - asked < Self.patience, newest == self.newest else {
                forget()
                held = text
                return .hold
            }
            forget()
            return answer == .yes ? .runAgain(line) : .withdraw
        }
        let isRecent = closed.map { now - $0 < Self.reaction } ?? false
        forget()
        guard isRecent || hasOther else { return .send }
        held = text
        return .hold
    }
}
