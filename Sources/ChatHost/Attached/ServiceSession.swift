// Serves one attached process: its calls come from the control socket, go to the chat, and the replies go back.

import BLIPNet
import ChatCore
import Glibc

/// The end of a session in the process that runs the chat.
struct ServiceSession: Sendable {
    let service: any LocalChat
    let connection: ControlConnection
    let end: ChatEnd
    /// Has the chat call its contacts, where it does not do so by itself.
    let callContacts: @Sendable () async -> Void

    /// Answers a greeting, then serves until the other side hangs up or the task is cancelled. One of another protocol
    /// learns which one this is, and nothing else.
    func run(_ greeting: SessionGreeting) async {
        let own = SessionGreeting(
            chat: RunningChat(
                until: end, process: getpid(), isConfined: Confinement.isInEffect, identity: await service.identity))
        guard await connection.send(own.json), greeting.refusal == nil else { return }
        if greeting.isQuiet != true { await callContacts() }
        // Discarding: of any other group each call would stay in memory until the front end hangs up.
        await withDiscardingTaskGroup { group in
            var streams: [Task<Void, Never>] = []
            while !Task.isCancelled, let value = try? await connection.receive(timeout: nil) {
                switch try? SessionLine(value) {
                case .call(let number, let call):
                    // A hang-up does not end it: the call is carried out.
                    group.addTask { await answer(call, number) }
                case .events(let number):
                    let events = await service.events()
                    await send(.reply(number: number, .record([:])))
                    streams.append(Task { await forward(events, number) })
                default: await refuse(value)
                }
            }
            for stream in streams { stream.cancel() }
            for stream in streams { await stream.value }
        }
    }

    private func answer(_ call: AnyCall, _ number: Int) async {
        do {
            let value = try await perform(call)
            await send(.reply(number: number, try JSONValue(encoding: value)))
        } catch let error as ChatError {
            await send(.failure(number: number, error))
        } catch {
            await send(.failure(number: number, .instanceLost(reason: "its answer cannot be encoded")))
        }
    }

    /// The other process may use files that this one may not.
    private func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        do throws(ChatError) { return try await service.perform(call) } catch {
            if case .backUp(let path) = call, Confinement.isInEffect, error.isRefusedCopy {
                throw .outOfReach(path: path)
            }
            throw error.asConfined
        }
    }

    /// A front end that lags holds up only its own stream.
    private func forward(_ events: AsyncStream<ChatEvent>, _ number: Int) async {
        for await event in events {
            guard let json = try? SessionLine.event(number: number, event).json() else { continue }
            guard await connection.send(inTurn: json) else { return }
        }
    }

    /// A call that this version does not know fails; a line without a number cannot be answered.
    private func refuse(_ value: JSONValue) async {
        guard let number = value["call"]?.integerValue.flatMap({ Int(exactly: $0) }) else { return }
        await send(.failure(number: number, .instanceLost(reason: "it is a different version")))
    }

    @discardableResult
    private func send(_ line: SessionLine) async -> Bool {
        guard let json = try? line.json() else { return false }
        return await connection.send(json)
    }
}
