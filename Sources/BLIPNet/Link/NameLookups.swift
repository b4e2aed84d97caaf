// Look-ups of host names on threads of their own: the system's resolver blocks for as long as a name server is silent,
// and nobody else may wait for that.

internal import Glibc
internal import Synchronization

/// Asks a blocking resolver, a few names at a time. Nobody waits longer than `patience`, whatever the resolver does;
/// requests for a name that is already being looked up share one look-up.
final class NameLookups: Sendable {
    typealias Answer = Result<[SocketAddress], NetError>

    private struct Question {
        let number: UInt64
        let port: UInt16
        let timer: LoopTimer
        let completion: @Sendable (Answer) -> Void
    }

    private struct State {
        /// The questions that wait for each name.
        var questions: [String: [Question]] = [:]
        /// The names that no thread has taken yet, the first one first.
        var waiting: [String] = []
        var threadCount = 0
        var lastNumber: UInt64 = 0
    }

    /// The resolver of the system.
    static let system = NameLookups { NameResolver.ask($0, port: 0, flags: 0) }

    private let maxThreads: Int
    private let patience: Duration
    private let ask: @Sendable (String) -> Answer
    private let loop = EventLoop.next()
    private let state = Mutex(State())

    /// `ask` may block for any time. As many names as there are threads may be stuck in it; further ones wait.
    init(maxThreads: Int = 16, patience: Duration = .seconds(10), ask: @escaping @Sendable (String) -> Answer) {
        self.maxThreads = maxThreads
        self.patience = patience
        self.ask = ask
    }

    /// Looks `host` up and calls `completion` once, on a thread that must not be blocked. Returns at once.
    func resolve(host: String, port: UInt16, completion: @escaping @Sendable (Answer) -> Void) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = loop.schedule(at: .now() + patience) { [weak self] in self?.giveUp(host, number) }
        let question = Question(number: number, port: port, timer: timer, completion: completion)
        let startsThread = state.withLock { state in
            if state.questions[host] == nil { state.waiting.append(host) }
            state.questions[host, default: []].append(question)
            guard !state.waiting.isEmpty, state.threadCount < maxThreads else { return false }
            state.threadCount += 1
            return true
        }
        guard startsThread, !LoopThread.begin(name: "resolver", { self.work() }) else { return }
        state.withLock { $0.threadCount -= 1 }
        finish(host, .failure(.dns(host: host, reason: "no thread for the look-up")))
    }

    /// A thread: one name after the other, until none waits.
    private func work() {
        while let host = nextHost() { finish(host, ask(host)) }
    }

    private func nextHost() -> String? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.threadCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func finish(_ host: String, _ answer: Answer) {
        let questions = state.withLock { state in
            state.waiting.removeAll { $0 == host }
            return state.questions.removeValue(forKey: host) ?? []
        }
        for question in questions {
            question.timer.cancel()
            question.completion(answer.map { $0.map { $0.withPort(question.port) } })
        }
    }

    /// The time of one who waits is over. The name stays with its thread, which nothing can interrupt.
    private func giveUp(_ host: String, _ number: UInt64) {
        let question = state.withLock { state -> Question? in
            guard let index = state.questions[host]?.firstIndex(where: { $0.number == number }) else { return nil }
            let question = state.questions[host]?.remove(at: index)
            // Nobody wants it any more, and no thread has begun.
            if state.questions[host]?.isEmpty == true, state.waiting.contains(host) {
                state.waiting.removeAll { $0 == host }
                state.questions[host] = nil
            }
            return question
        }
        question?.completion(.failure(.dns(host: host, reason: "the name server did not answer in time")))
    }
}
