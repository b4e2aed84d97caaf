// The chat of another process, for a front end of this one: calls go over its control socket, news come back.

import ChatCore

/// A chat that runs elsewhere, usually in `blipchat serve`. When that process ends, calls fail and the front end is told;
/// when it runs again, the front end is told to read everything anew. What another screen has run goes on here.
actor AttachedService: ChatService {
    private let path: String
    /// The home of the chat, for what a confined one leaves to the front end; `nil`: nothing is done for it.
    let home: HomePaths?
    private var connection: ControlConnection?
    private var reader: Task<Void, Never>?
    /// The number of the newest call.
    private var lastNumber = 0
    /// Who we are, as far as the other process has told.
    private(set) var knownIdentity: LocalIdentity
    /// Whom our user has put off, as far as the other process has told.
    private var putOff: Set<ContactID> = []
    private var waiting: [Int: CheckedContinuation<Reply, Never>] = [:]
    private var streams: [Int: AsyncStream<ChatEvent>.Continuation] = [:]

    private var isReadingAnew = false
    /// Starts the chat in this process; `nil` while another has the home.
    private let succession: Succession?
    /// The chat that we were attached to would have gone on without screens: whoever ended it wanted that.
    private var stays: Bool
    /// The chat, once it runs here.
    private(set) var own: ChatInstance?
    private var isSeeking = false
    /// When something last came from the other process, and whether the front end knows that nothing comes.
    private var lastHeard = ContinuousClock.now
    private var isSilent = false
    /// Nobody here waits for a silent one any more.
    private var givesUp = false
    private var listening: Task<Void, Never>?

    /// It is to be as the ended one was, as far as that is known.
    typealias Succession = @Sendable (LocalIdentity) async -> ChatInstance?

    private typealias Reply = Result<JSONValue, ChatError>

    private init(path: String, home: HomePaths?, greeted: Greeted, _ succession: Succession?) {
        self.path = path
        self.home = home
        self.succession = succession
        stays = greeted.stays
        connection = greeted.connection
        knownIdentity = greeted.identity
    }

    /// A session that has begun.
    private struct Greeted {
        var connection: ControlConnection
        var identity: LocalIdentity
        var stays: Bool
    }

    /// Attaches to the process behind the control socket at `path`; `nil` when none listens there. `succession` starts
    /// the chat here when it has run in a screen that ends.
    ///
    /// Throws when it is another version, or when the socket cannot be used.
    static func attach(
        to path: String, home: HomePaths? = nil, succession: Succession? = nil
    ) async throws(CommandError) -> AttachedService? {
        guard let greeted = try await connect(to: path) else { return nil }
        let service = AttachedService(path: path, home: home, greeted: greeted, succession)
        await service.startReading()
        return service
    }

    private static func connect(to path: String) async throws(CommandError) -> Greeted? {
        guard let descriptor = try ControlSocket.connect(to: path) else { return nil }
        let connection = ControlConnection(descriptor: descriptor, maximumLine: ControlConnection.longestReply)
        guard await connection.send(SessionGreeting().json),
            let answer = try? await connection.receive(timeout: .seconds(10)), let greeting = SessionGreeting(answer)
        else { return nil }
        if let refusal = greeting.refusal { throw refusal }
        guard let identity = greeting.identity else { return nil }
        return Greeted(connection: connection, identity: identity, stays: greeting.stays ?? true)
    }

    /// Lets go of the other process, which goes on; a chat that runs here by now ends.
    func detach() async {
        reader?.cancel()
        listening?.cancel()
        await reader?.value
        connection = nil
        await own?.stop()
        own = nil
        for stream in streams.values { stream.finish() }
        streams = [:]
    }

    // MARK: Calling

    var identity: LocalIdentity {
        get async { (try? await ask(.identity)) ?? knownIdentity }
    }

    /// Carries out a call over there, or here once the chat runs here.
    func ask<Reply>(_ call: ChatCall<Reply>) async throws(ChatError) -> Reply {
        await settle()
        if let own { return try await own.client.ask(call) }
        let value: JSONValue
        do throws(ChatError) { value = try await reply(to: call.plain) } catch {
            guard case .outOfReach = error, let home,
                let beyond = try await replyBeyondReach(to: call.plain, of: home)
            else { throw error }
            value = beyond
        }
        guard let reply = try? value.decode(Reply.self) else {
            throw .instanceLost(reason: "it is a different version")
        }
        if case .linkState(let contact) = call.plain, let state = reply as? LinkState { note(state, of: contact) }
        return reply
    }

    /// Waits while the chat moves here.
    private func settle() async {
        let limit = ContinuousClock.now + Self.patience
        while isSeeking, connection == nil, own == nil, limit > .now, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// What the other process answers.
    func reply(to call: AnyCall) async throws(ChatError) -> JSONValue {
        // It would be done when the other goes on, which nobody could see until then.
        if !call.isQuestion, await connection?.peerIsStopped == true { throw ChatError.instanceStopped }
        lastNumber += 1
        return try await send(.call(number: lastNumber, call), lastNumber)
    }

    private func send(_ line: SessionLine, _ number: Int) async throws(ChatError) -> JSONValue {
        guard !isGivenUp else { throw Self.silent }
        guard let connection, let request = try? line.json() else { throw Self.gone }
        let line = ControlConnection.line(request)
        guard line.count <= ControlConnection.longestRequest else {
            // Over there it would end the connection.
            throw .textTooLong(bytes: line.count, limit: ControlConnection.longestRequest)
        }
        let reply = await withCheckedContinuation { continuation in
            waiting[number] = continuation
            watchForSilence()
            Task {
                if await !connection.send(line: line) { self.take(.failure(Self.gone), for: number) }
            }
        }
        return try reply.get()
    }

    /// An answer takes no longer than this, but for what waits for others.
    static let answerTime = Duration.seconds(2)

    /// While somebody waits, the other process is asked for a sign now and then: stopped (Ctrl-z) it gives none, and whoever
    /// types here would not know why nothing happens.
    private func watchForSilence() {
        guard listening == nil else { return }
        listening = Task {
            while !waiting.isEmpty, connection != nil, !Task.isCancelled {
                let asked = ContinuousClock.now
                try? await Task.sleep(for: Self.answerTime)
                guard !waiting.isEmpty, lastHeard < asked, let connection else { continue }
                lastNumber += 1
                if let sign = try? SessionLine.call(number: lastNumber, .identity).json() {
                    _ = await connection.send(line: ControlConnection.line(sign))
                }
                let signed = ContinuousClock.now
                try? await Task.sleep(for: Self.answerTime)
                guard !waiting.isEmpty, lastHeard < signed, !isSilent, self.connection != nil else { continue }
                isSilent = true
                publish(.notice(.instanceSilent))
                if isGivenUp { failWaiting(Self.silent) }
            }
            listening = nil
        }
    }

    private func take(_ reply: Reply, for number: Int) {
        waiting.removeValue(forKey: number)?.resume(returning: reply)
    }

    func giveUp() async {
        givesUp = true
        if isGivenUp { failWaiting(Self.silent) }
    }

    private var isGivenUp: Bool { givesUp && isSilent && own == nil }

    /// Whoever waits for an answer gets none.
    private func failWaiting(_ error: ChatError) {
        for number in Array(waiting.keys) { take(.failure(error), for: number) }
    }

    private static let silent = ChatError.instanceLost(reason: "it does not answer")
    private static let gone = ChatError.instanceLost(reason: "it has ended")

    // MARK: News

    /// The news of the other process from now on.
    func events() async -> AsyncStream<ChatEvent> {
        lastNumber += 1
        let number = lastNumber
        let (stream, continuation) = AsyncStream.makeStream(
            of: ChatEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        streams[number] = continuation
        await settle()
        if own == nil { _ = try? await send(.events(number: number), number) }
        return stream
    }

    private func publish(_ event: ChatEvent) {
        for stream in streams.values { stream.yield(event) }
    }

    // MARK: The connection

    private func startReading() {
        reader = Task { [weak self] in
            while !Task.isCancelled, let connection = await self?.connection {
                while let value = try? await connection.receive(timeout: nil), let line = try? SessionLine(value) {
                    await self?.receive(line)
                }
                guard !Task.isCancelled else { break }
                await self?.lose()
                await self?.findAgain()
            }
        }
    }

    private func receive(_ line: SessionLine) {
        lastHeard = .now
        if isSilent {
            isSilent = false
            publish(.notice(.instanceFound))
        }
        switch line {
        case .reply(let number, let value): take(.success(value), for: number)
        case .failure(let number, let error): take(.failure(error), for: number)
        case .event(let number, let event):
            if case .identityChanged(let identity) = event { knownIdentity = identity }
            if case .linkChanged(let contact, let state) = event { note(state, of: contact) }
            if case .dropped? = streams[number]?.yield(event) { readAnewSoon() }
        // Only attached processes ask.
        case .call, .events: break
        }
    }

    /// Remembers who was put off: the chat is to go on like that here.
    func note(_ state: LinkState, of contact: ContactID) {
        if state == .offline(reason: .putOff) { putOff.insert(contact) } else { putOff.remove(contact) }
    }

    /// The other process has ended.
    private func lose() {
        connection = nil
        failWaiting(Self.gone)
    }

    /// How long nothing is said while the chat moves here.
    private static let patience = Duration.seconds(3)

    /// Tries to attach again until it works or the task is cancelled. A chat that has ended with its screen is started
    /// here as soon as that one has let go of the home, unless another process does.
    private func findAgain() async {
        let succession = stays ? nil : succession
        let lost = ContinuousClock.now
        var isTold = false
        isSeeking = succession != nil
        defer { isSeeking = false }
        while !Task.isCancelled {
            if !isTold, succession == nil || lost + Self.patience < .now {
                isTold = true
                isSeeking = false
                publish(.notice(.instanceLost))
            }
            try? await Task.sleep(for: isTold ? .seconds(1) : .milliseconds(50))
            if let found = try? await Self.connect(to: path) {
                connection = found.connection
                knownIdentity = found.identity
                stays = found.stays
                // Replies are read only after this returns.
                let wasTold = isTold
                Task { await self.resume(saying: wasTold) }
                return
            }
            if let succession, !Task.isCancelled, let instance = await succession(knownIdentity) {
                return await goOn(with: instance)
            }
        }
    }

    /// The chat runs here from now on.
    private func goOn(with instance: ChatInstance) async {
        guard !Task.isCancelled else { return await instance.stop() }
        // Who was away is, and so is who was put off: nobody has come back.
        let away = knownIdentity.away
        if let away { try? await instance.client.setAway(away) }
        for contact in putOff { await instance.client.disconnect(contact) }
        own = instance
        knownIdentity = await instance.client.identity
        let events = await instance.client.events()
        Task { for await event in events { publish(event) } }
        await tellEverything()
        publish(.notice(.instanceHere))
    }

    /// Lets the streams go on over the new connection, and says that everything may have changed.
    private func resume(saying isTold: Bool) async {
        for number in streams.keys.sorted() { _ = try? await send(.events(number: number), number) }
        await tellEverything()
        if isTold { publish(.notice(.instanceFound)) }
    }

    /// News were lost because the front end did not take them: it is told once that everything may have changed.
    private func readAnewSoon() {
        guard !isReadingAnew else { return }
        isReadingAnew = true
        Task {
            try? await Task.sleep(for: .seconds(1))
            isReadingAnew = false
            await tellEverything()
        }
    }

    private func tellEverything() async {
        guard let conversations = try? await ask(.conversations) else { return }
        publish(.identityChanged(knownIdentity))
        publish(.conversationsChanged)
        for contact in conversations.map(\.peer.id) {
            publish(.historyReplaced(contact))
            if let state = try? await ask(.linkState(of: contact)) {
                publish(.linkChanged(contact, state))
            }
        }
        if let requests = try? await ask(.contactRequests) {
            publish(.requestsChanged(requests))
        }
    }
}
