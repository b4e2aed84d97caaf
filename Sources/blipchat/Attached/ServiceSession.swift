// Serves one attached front end: its calls come from the control socket, go to the chat, and the replies go back.

import ChatCore

/// The end of a session in the process that runs the chat.
struct ServiceSession: Sendable {
    let service: any ChatService
    let connection: ControlConnection
    /// The chat does not end with a screen.
    var stays = false

    /// Answers `request` (`SessionLine.attach`), then serves until the front end hangs up or the task is cancelled.
    func run(_ request: JSONValue) async {
        guard request["service"]?.integerValue == SessionLine.version else {
            let version = request["version"]?.stringValue ?? "unknown"
            let refusal = CommandError(
                .usage, "running blipchat", "is version \(Version.text), this is version \(version)",
                advice: "stop the running one and start it again")
            await connection.send(ControlResult.failed(refusal).json)
            return
        }
        guard await connection.send(SessionLine.accepted(stays: stays)) else { return }
        // Every session begins with who we are, as the reply to a call that nobody made.
        await answer(.identity, SessionLine.greeting)
        // Discarding: of any other group each call would stay in memory until the front end hangs up.
        await withDiscardingTaskGroup { group in
            var streams: [Task<Void, Never>] = []
            while let value = try? await connection.receive(timeout: nil) {
                guard case .call(let number, let call)? = try? SessionLine(value) else {
                    await refuse(value)
                    continue
                }
                if call == .events {
                    let events = await service.events()
                    await send(.reply(number: number, .null))
                    streams.append(Task { await forward(events, number) })
                } else {
                    // Not ended by a hang-up: what was asked for is done.
                    group.addTask { await answer(call, number) }
                }
            }
            for stream in streams { stream.cancel() }
            for stream in streams { await stream.value }
        }
    }

    private func answer(_ call: ServiceCall, _ number: Int) async {
        do {
            let value = try await call.perform(on: service)
            await send(.reply(number: number, try JSONValue(encoding: value)))
        } catch let error as ChatError {
            await send(.failure(number: number, error))
        } catch {
            await send(.failure(number: number, .instanceLost(reason: "its answer cannot be encoded")))
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
