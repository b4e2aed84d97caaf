// Operations that go on until somebody ends them: `blipchat watch`, `transfers watch`, `receive`.

import ChatCore
import ChatTUI
import ChatWords
import Synchronization

extension CommandRunner {
    func watch() async throws(CommandError) -> ExitCode {
        var name: String?
        if let who = arguments.operands.first { name = try await contacts(try paths()).find(who).name }
        let lines = EventLines(usesColor: streams.usesColor)
        return try await follow(.events, asJSON: isJSON, about: name) { record throws(CommandError) in
            // It may run for days.
            SystemZone.lookAgain()
            for line in lines.lines(of: record) { try streams.line(line) }
        }
    }

    /// Carries out an operation in the running instance, else in one of our own that takes calls, and prints its records
    /// until it ends, a signal comes, or nobody reads them any more. `only` names the types of records to be printed, all
    /// when `nil`; `about` the contact that they must concern. `then` is called with each record and our own instance.
    ///
    /// A signal ends our own instance in order: what is unfinished goes on the next time.
    func follow(
        _ operation: ControlOperation, asJSON: Bool, only types: Set<String>? = nil, about name: String? = nil,
        print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void,
        then: @escaping @Sendable (JSONValue, ChatInstance?) async -> Void = { _, _ in }
    ) async throws(CommandError) -> ExitCode {
        try await openKeyToStart(try paths())
        let printer = RecordPrinter(isJSON: asJSON, streams: streams, print: print)
        let signals = try await TerminationSignals.take()
        let current = CurrentPerformer(try await follower())
        let (failures, failed) = AsyncStream<Void>.makeStream()
        let result = await withTaskGroup(of: ControlResult?.self) { group in
            group.addTask {
                await follow(operation, by: current) { record in
                    guard types?.contains(record["type"]?.stringValue ?? "") ?? true else { return }
                    guard name == nil || [record["conversation"], record["name"]].contains(name.map(JSONValue.string))
                    else { return }
                    await printer.take(record)
                    if await printer.failure != nil { failed.yield() }
                    await then(record, current.value.instance)
                }
            }
            group.addTask { await signals.wait().map { .done($0) } }
            group.addTask {
                for await _ in failures { return .done(.brokenPipe) }
                return nil
            }
            let first = await group.next() ?? nil
            failed.finish()
            group.cancelAll()
            return first
        }
        await current.value.finish()
        // What nobody reads any more is no failure of whoever was asked to end.
        if case .done(let code)? = result, code == .interrupted || code == .terminated { return code }
        if let failure = await printer.failure { throw failure }
        switch result {
        case .done(let code)?: return code
        case .failed(let error)?: throw error
        case nil, .again?: return .done
        }
    }

    /// Goes on where the process ends that has run the chat so far; `nil` when the task is cancelled.
    private func follow(
        _ operation: ControlOperation, by current: CurrentPerformer, _ records: @escaping RecordSink
    ) async -> ControlResult? {
        let begin = ContinuousClock.now
        var limit = begin + .seconds(10)
        let hasReceived = Mutex(false)
        var listening: String?
        while true {
            // Beside the operation, which nothing shall hold up.
            async let place = listeningPlace(of: current.value)
            let asked = ContinuousClock.now
            let rest = operation.rest(after: asked - begin, hasReceived: hasReceived.withLock { $0 })
            let result = await current.value.perform(rest, patience: .seconds(604_800)) { record in
                if record["type"] == "file", record["state"] != "offered" { hasReceived.withLock { $0 = true } }
                await records(record)
            }
            guard result == .again else { return result }
            listening = await place ?? listening
            // It ends, or is there for something else: then it is to be waited for.
            do {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                return nil
            }
            do throws(CommandError) {
                // Who has carried it out for a while has ended, and is not waited for.
                if operation == .events || ContinuousClock.now - asked > .seconds(1) { limit = .now + .seconds(10) }
                guard ContinuousClock.now < limit else {
                    let lock = try paths().lock
                    throw CommandError.alreadyRunning(lock, process: InstanceLock.holder(path: lock) ?? 0)
                }
                current.value = try await follower(afterEnd: true, at: listening)
            } catch {
                return .failed(error)
            }
        }
    }

    /// Where the process takes calls that runs the chat, in words; `nil` for our own and where it does not say.
    private func listeningPlace(of performer: OperationPerformer) async -> String? {
        guard case .running = performer, let status = try? await runningStatus(try paths()) else { return nil }
        return status["listening"]?.stringValue
    }

    private func follower(
        afterEnd: Bool = false, at listening: String? = nil
    ) async throws(CommandError) -> OperationPerformer {
        let performer = try await performer(listens: true, at: listening, afterEnd: afterEnd)
        if case .running = performer, !afterEnd, let place = arguments.text("--listen") {
            streams.note(
                "blipchat: --listen \(place): ignored, the running blipchat keeps its own address")
        }
        if let own = performer.instance, let listening = await own.client.identity.listening {
            streams.note("listening \(listening)")
        }
        return performer
    }
}

/// Whoever carries out an operation that goes on, now.
private final class CurrentPerformer: Sendable {
    private let state: Mutex<OperationPerformer>

    init(_ performer: OperationPerformer) { state = Mutex(performer) }

    var value: OperationPerformer {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
