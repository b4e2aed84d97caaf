// Runs a spell checker of the user's: the text on its standard input, the words that it does not know on its standard
// output, one a line, as `aspell list` and `hunspell -l` do it.

import ChatWords
import Dispatch
import Glibc

/// One run of a checker.
struct SpellProgram: Sendable {
    private static let queue = DispatchQueue(label: "blipchat.spelling")

    /// The program, found by PATH, and its arguments.
    var words: [String]
    /// It is ended when it takes longer.
    var timeLimit = Duration.seconds(5)

    /// Waits for the checker on a thread of its own.
    func check(_ text: String) async -> SpellOutcome {
        let program = FilterProgram(words: words, timeLimit: timeLimit)
        switch await program.run(Array(text.utf8) + [0x0A], on: Self.queue) {
        case .notStarted(let errno): return .failed("it does not start: \(String(cString: strerror(errno)))")
        case .tookTooLong: return .failed("it took longer than \(timeLimit.components.seconds) s")
        case .ended(0, let output, _): return .unknown(output.split(whereSeparator: \.isWhitespace).map(String.init))
        case .ended(_, _, let errors):
            let words = errors.split(whereSeparator: \.isNewline).first.map(String.init)
            return .failed(words ?? "it exited with an error")
        }
    }
}
