// The tasks of one client.

/// Begins tasks on the client and knows which of them run. Belongs to the client.
final class ClientTasks {
    private struct Running {
        let task: Task<Void, Never>
        /// Not cancelled before its link has ended: what it has submitted would be withdrawn.
        let endsWithLink: Bool
    }

    private(set) weak var client: ChatClient?
    private let clock: ChatClock
    private var running: [Int: Running] = [:]
    private var lastNumber = 0

    init(clock: ChatClock) { self.clock = clock }

    /// To be called once, before anything else.
    func belong(to client: ChatClient) { self.client = client }

    /// Runs `operation` on the client until it ends; `stop` cancels it, unless it `endsWithLink`, and waits for it. Tasks
    /// begin in the order in which they are made.
    @discardableResult func spawn(
        endsWithLink: Bool = false, _ operation: @escaping @Sendable (isolated ChatClient) async -> Void
    ) -> Task<Void, Never> {
        // The caller is a part of the client, and runs on it.
        guard let client else { return Task {} }
        lastNumber += 1
        let number = lastNumber
        let (task, isStopped) = client.assumeIsolated { client in
            let task = Task {
                await operation(client)
                client.core.tasks.running[number] = nil
            }
            return (task, client.core.phase == .stopped)
        }
        running[number] = Running(task: task, endsWithLink: endsWithLink)
        if !endsWithLink, isStopped { task.cancel() }
        return task
    }

    /// Runs `operation` after `delay`, unless the client stops before.
    func spawn(after delay: Duration, _ operation: @escaping @Sendable (isolated ChatClient) async -> Void) {
        spawn { [clock] client in
            do { try await clock.wait(delay) } catch { return }
            await operation(client)
        }
    }

    /// Cancels what runs, and waits until it has ended.
    func stop() async {
        for running in running.values where !running.endsWithLink { running.task.cancel() }
        while let running = running.values.first { await running.task.value }
    }
}
