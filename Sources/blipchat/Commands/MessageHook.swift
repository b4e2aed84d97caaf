// `serve --on-message`: a program that is run for each message that comes (Docs/scripting.md).

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Dispatch
import Glibc

/// Runs the program: those of one conversation one after the other, so that they see its messages in their order, and a few
/// conversations beside each other.
actor MessageHook {
    static let mostAtOnce = 4
    static let mostWaiting = 1000
    static let timeLimit = Duration.seconds(60)
    /// A thread for each program that runs.
    private static let queue = DispatchQueue(label: "blipchat.on-message", attributes: .concurrent)

    private let program: String
    private let timeLimit: Duration
    /// The record of a message as one line; `nil`: the chat has ended.
    private let record: @Sendable (ChatMessage) async -> String?
    private let log: @Sendable (LogLine) -> Void
    private var waiting: [ChatMessage] = []
    private var running: Set<ContactID> = []
    /// How many came while too many waited.
    private var dropped = 0

    init(
        _ program: String, timeLimit: Duration = MessageHook.timeLimit,
        record: @escaping @Sendable (ChatMessage) async -> String?, log: @escaping @Sendable (LogLine) -> Void
    ) {
        self.program = program
        self.timeLimit = timeLimit
        self.record = record
        self.log = log
    }

    /// The program, as it can be started: a path, or a name in a folder of PATH. It gets no arguments. Throws 2 where it is none.
    static func found(_ program: String) throws(CommandError) -> String {
        let places =
            program.contains("/")
            ? [""] : (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map { $0 + "/" }
        for place in places where access(place + program, X_OK) == 0 && !SmallFile.isFolder(place + program) {
            return place + program
        }
        throw CommandError(
            .usage, program, "is no program that can be run",
            advice: "--on-message takes a program without arguments, by its path or from PATH")
    }

    /// Takes the events of a chat until that ends. Runs of the program that have begun by then finish by themselves.
    func follow(_ events: AsyncStream<ChatEvent>) async {
        for await event in events {
            if case .messageAdded(let message) = event, message.direction == .incoming { add(message) }
        }
        waiting = []
    }

    private func add(_ message: ChatMessage) {
        guard waiting.count < Self.mostWaiting else {
            if dropped == 0 {
                log(LogLine(level: .error, text: "\(program) is too slow: it is not run for messages that come now"))
            }
            dropped += 1
            return
        }
        waiting.append(message)
        begin()
    }

    private func begin() {
        while running.count < Self.mostAtOnce, let index = waiting.firstIndex(where: { !running.contains($0.contact) })
        {
            let message = waiting.remove(at: index)
            running.insert(message.contact)
            Task {
                await run(message)
                running.remove(message.contact)
                if dropped > 0, waiting.isEmpty {
                    log(LogLine(level: .error, text: "\(program) was not run for \(dropped) messages"))
                    dropped = 0
                }
                begin()
            }
        }
    }

    private func run(_ message: ChatMessage) async {
        guard let line = await record(message) else { return }
        let outcome = await FilterProgram(words: [program], timeLimit: timeLimit)
            .run(Array((line + "\n").utf8), on: Self.queue)
        if let problem = problem(outcome) { log(LogLine(level: .error, text: "\(program) \(problem)")) }
    }

    private func problem(_ outcome: FilterProgram.Outcome) -> String? {
        switch outcome {
        case .ended(0, _, _): return nil
        case .ended(let status, _, let errors):
            let last = errors.split(whereSeparator: \.isNewline).last.map { ": " + SafeText.line(String($0)) } ?? ""
            // A signal in the low bits, else a code above them (wait(2)).
            return
                (status & 0x7F == 0 ? "failed with code \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)")
                + last
        case .notStarted(let code): return "cannot be started: \(SystemError(code: code).words)"
        case .tookTooLong: return "took longer than \(timeLimit.components.seconds) s and was ended"
        }
    }
}
