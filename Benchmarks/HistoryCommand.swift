// `Benchmarks history FOLDER`: makes a home with a generated history, to try the program with.

internal import ChatCore
internal import Glibc
internal import HistoryGenerator
internal import Storage
internal import Workbench

enum HistoryCommand {
    /// Returns the exit code.
    static func run(_ arguments: [String]) async throws -> Int32 {
        var history = GeneratedHistory(messages: 1_000_000, conversations: 200, seed: 1)
        var folder: String?
        var words = arguments[...]
        while let word = words.popFirst() {
            switch word {
            case "--messages", "--conversations", "--seed":
                guard let number = words.popFirst().flatMap({ Int($0) }), number >= 0 else {
                    throw BenchmarkFailure("\(word) needs a number")
                }
                switch word {
                case "--messages": history.messages = number
                case "--conversations": history.conversations = max(1, number)
                default: history.seed = UInt64(number)
                }
            default:
                guard !word.hasPrefix("-"), folder == nil else {
                    throw BenchmarkFailure("`\(word)` is not understood (Benchmarks history [OPTIONS] FOLDER)")
                }
                folder = word
            }
        }
        guard let folder else { throw BenchmarkFailure("which folder? (Benchmarks history FOLDER)") }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemCallFailure("mkdir \(folder)") }
        let path = folder + "/history.sqlite"
        guard access(path, F_OK) != 0 else { throw BenchmarkFailure("\(path) is there already") }
        let clock = ContinuousClock()
        let start = clock.now
        try await fill(path, history) { Report.say("  \($0) messages") }
        Report.say(
            "\(path): \(history.messages) messages in \(history.conversations) conversations in "
                + "\(Figure.tenths((clock.now - start).seconds)) s; use it with blipchat --data-dir \(folder)")
        return 0
    }

    /// Makes the history; `progress` hears of every hundred thousandth message.
    static func fill(_ path: String, _ history: GeneratedHistory, progress: (Int) -> Void = { _ in }) async throws {
        let database = try await HistoryDatabase.open(at: path)
        try await history.fill(database) { count in
            if count % 100_000 == 0 { progress(count) }
        }
        await database.close()
    }
}
