// The chat of another process, for a front end or a command of this one: calls go over its control socket, news come back.

import BLIPNet
package import ChatCore
package import ChatSettings

/// A chat that runs elsewhere, usually in `blipchat serve`. The attacher decides what becomes of it when that process
/// ends.
package actor AttachedService: ChatService {
    private let path: String
    /// The home of the chat, for what a confined one leaves to us; `nil`: nothing is done for it.
    let home: HomePaths?
    let attacher: Attacher
    var connection: ControlConnection?
    private var reader: Task<Void, Never>?
    /// Hangs up when the time of a visitor is over.
    private var visit: Task<Void, Never>?
    /// The number of the newest call.
    private var lastNumber = 0
    /// The other process's account of its chat; the identity in it is kept up to date.
    package var chat: RunningChat
    /// Where the chat took calls last: others know that.
    private var listeningPlace: String?
    /// The contacts that our user has disconnected, as far as the other process has reported them.
    var putOff: Set<ContactID> = []
    private var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]
    private let hub = EventHub()
    /// The number under which the news of this connection come; `nil` while nobody has asked for any.
    private var subscription: Int?

    /// The chat, once it runs here.
    package private(set) var own: ChatInstance?
    /// Calls wait until it is known where the chat continues.
    var isSeeking = false
    /// Whether the other process has said that it ends, and that the chat continues.
    private var bye: Bool?
    /// How the chat has ended for a command; `nil` while it can be asked.
    package private(set) var end: End?
    /// When something last came from the other process, and whether the front end knows that nothing comes.
    private var lastHeard = ContinuousClock.now
    private var isSilent = false
    /// Nobody here waits for a silent one any more.
    private var givesUp = false
    private var listening: Task<Void, Never>?

    package enum End: Sendable, Equatable {
        /// As whoever ran it wanted, and nobody continues it.
        case inOrder
        case failed(CommandError)
    }

    /// The outcome of a call.
    private enum Answer: Sendable {
        case reply(JSONValue)
        case failure(ChatError)
        /// The other process ends and has not begun the call: it goes to the process that runs the chat next.
        case notDone
    }

    init(path: String, home: HomePaths?, _ found: Found, as attacher: Attacher) {
        self.path = path
        self.home = home
        self.attacher = attacher
        chat = found.chat
        connection = found.connection
    }

    /// Lets go of the other process, which continues; a chat that runs here by now ends.
    package func detach() async {
        reader?.cancel()
        listening?.cancel()
        visit?.cancel()
        await reader?.value
        connection = nil
        await own?.stop()
        own = nil
        hub.finish()
    }

    // MARK: Calling

    package var identity: LocalIdentity {
        get async { (try? await ask(.identity)) ?? chat.identity }
    }

    /// Carries out a call in the other process, or here once the chat runs here.
    package func ask<Reply>(_ call: ChatCall<Reply>) async throws(ChatError) -> Reply {
        while true {
            await settle()
            if let own { return try await own.chat.ask(call) }
            let value: JSONValue
            do throws(ChatError) {
                guard let reply = try await reply(to: call.plain) else { continue }
                value = reply
            } catch {
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
    }

    /// Waits while the chat moves: a front end at most its patience, a command until it is known where.
    func settle() async {
        let limit = attacher.patience.map { ContinuousClock.now + $0 }
        while isSeeking, connection == nil, own == nil, limit.map({ $0 > .now }) ?? true, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The other process's answer; `nil` when it ends and has not carried out the call.
    func reply(to call: AnyCall) async throws(ChatError) -> JSONValue? {
        // The other process would do it when it resumes, which nobody could see until then.
        if !call.isQuestion, await connection?.peerIsStopped == true { throw ChatError.instanceStopped }
        return switch await answer(to: { .call(number: $0, call) }) {
        case .reply(let value): value
        case .failure(let error): throw error
        case .notDone: nil
        }
    }

    private func answer(to make: (Int) -> SessionLine) async -> Answer {
        guard !isGivenUp else { return .failure(Self.silent) }
        lastNumber += 1
        let number = lastNumber
        guard let connection, let request = try? make(number).json() else { return .failure(Self.gone) }
        let line = ControlConnection.line(request)
        guard line.count <= ControlConnection.longestRequest else {
            // The other process would end the connection.
            return .failure(.textTooLong(bytes: line.count, limit: ControlConnection.longestRequest))
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[number] = continuation
                watchForSilence()
                // Where it cannot be sent the connection is over, and the reader says why.
                Task { await connection.send(line: line) }
            }
        } onCancel: {
            // A command whose time is over waits for nobody.
            if !attacher.isFrontEnd { Task { await self.take(.failure(Self.gone), for: number) } }
        }
    }

    /// While somebody waits, we ask the other process for a sign now and then: stopped (Ctrl-z) it gives none, and a
    /// user who types here would not know why nothing happens.
    private func watchForSilence() {
        guard listening == nil else { return }
        listening = Task {
            while !waiting.isEmpty, connection != nil, !Task.isCancelled {
                let asked = ContinuousClock.now
                try? await Task.sleep(for: attacher.answerTime)
                guard !waiting.isEmpty, lastHeard < asked, let connection else { continue }
                lastNumber += 1
                if let sign = try? SessionLine.call(number: lastNumber, .identity).json() {
                    _ = await connection.send(line: ControlConnection.line(sign))
                }
                let signed = ContinuousClock.now
                try? await Task.sleep(for: attacher.answerTime)
                guard !waiting.isEmpty, lastHeard < signed, !isSilent, self.connection != nil else { continue }
                // The reader finds the end of the connection, and nothing that was said before it.
                if !attacher.isFrontEnd { return await connection.hangUp() }
                isSilent = true
                publish(.notice(.instanceSilent))
                if isGivenUp { failWaiting(Self.silent) }
            }
            listening = nil
        }
    }

    private func take(_ answer: Answer, for number: Int) {
        waiting.removeValue(forKey: number)?.resume(returning: answer)
    }

    /// Hangs up after `limit`, whatever is under way.
    func hangUp(after limit: Duration) {
        visit = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            await connection?.hangUp()
        }
    }

    package func giveUp() async {
        givesUp = true
        if isGivenUp { failWaiting(Self.silent) }
    }

    private var isGivenUp: Bool { givesUp && isSilent && own == nil }

    /// Calls that wait for an answer fail.
    private func failWaiting(_ error: ChatError) {
        endWaiting(.failure(error))
    }

    private func endWaiting(_ answer: Answer) {
        for number in Array(waiting.keys) { take(answer, for: number) }
    }

    private static let silent = ChatError.instanceLost(reason: "it does not answer")
    private static let gone = ChatError.instanceLost(reason: "it has ended")

    // MARK: News

    /// The news of the chat from now on.
    package func events() async -> AsyncStream<ChatEvent> {
        let stream = hub.subscribe()
        guard end == nil else { return stream }
        await settle()
        if own == nil, subscription == nil { await subscribe() }
        return stream
    }

    /// One stream of the other process feeds all of ours. Calls that follow are carried out after it has begun.
    private func subscribe() async {
        // Everybody hears of an answer that does not come.
        _ = await answer { number in
            subscription = number
            return .events(number: number)
        }
    }

    private func publish(_ event: ChatEvent) { hub.publish(event) }

    // MARK: The connection

    func startReading() {
        reader = Task { [weak self] in
            while !Task.isCancelled, let connection = await self?.connection {
                while let value = try? await connection.receive(timeout: nil), let line = try? SessionLine(value) {
                    await self?.receive(line)
                }
                guard !Task.isCancelled else { break }
                guard let self else { return }
                let bye = await self.lose()
                await self.continueElsewhere(bye)
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
        case .reply(let number, let value): take(.reply(value), for: number)
        case .failure(let number, let error): take(.failure(error), for: number)
        case .event(_, let event):
            if case .identityChanged(let identity) = event { chat.identity = identity }
            if case .linkChanged(let contact, let state) = event { note(state, of: contact) }
            publish(event)
        case .bye(let continues): bye = continues
        // Only attached processes ask.
        case .call, .events: break
        }
    }

    /// Remembers the contacts that were disconnected: they stay so if the chat continues here.
    func note(_ state: LinkState, of contact: ContactID) {
        if state == .offline(reason: .putOff) { putOff.insert(contact) } else { putOff.remove(contact) }
    }

    /// The other process has ended. After a farewell, it has not carried out the calls that it left without an answer.
    private func lose() -> Bool? {
        connection = nil
        subscription = nil
        listeningPlace = chat.identity.listening ?? listeningPlace
        defer { bye = nil }
        // The reason is there before anybody who waits learns that nothing comes.
        switch attacher {
        case .command where bye != nil, .frontEnd where bye != nil && succession != nil:
            isSeeking = true
            endWaiting(.notDone)
        case .command: end(.failed(.instanceGone))
        case .visitor: end(bye == nil ? .failed(.instanceGone) : .inOrder)
        case .frontEnd: failWaiting(Self.gone)
        }
        return bye
    }

    private func continueElsewhere(_ bye: Bool?) async {
        switch attacher {
        case .frontEnd(_, let patience): await findAgain(patience)
        case .visitor: break
        case .command(let finder):
            guard let continues = bye else { return }
            guard continues || !finder.endsWithChat else { return end(.inOrder) }
            do throws(CommandError) {
                switch try await finder.find(afterEnd: true, at: listeningPlace) {
                case .attached(let found): goOn(with: found, saying: false)
                case .own(let instance): await goOn(with: instance)
                }
            } catch {
                end(.failed(error))
            }
        }
    }

    /// Nothing more can be asked, and nothing more happens.
    private func end(_ end: End) {
        self.end = end
        isSeeking = false
        failWaiting(Self.gone)
        hub.finish()
    }

    /// How a front end starts the chat here when it has ended with its screen. One that was there for its own sake is
    /// not continued: its end was wanted.
    private var succession: Succession? {
        guard case .frontEnd(let succession, _) = attacher, chat.until != .service else { return nil }
        return succession
    }

    /// Tries to attach again until it works or the task is cancelled. A chat that has ended with its screen is started
    /// here as soon as that one has let go of the home, unless another process does.
    private func findAgain(_ patience: Duration) async {
        let succession = succession
        let lost = ContinuousClock.now
        var isTold = false
        isSeeking = succession != nil
        defer { isSeeking = false }
        while !Task.isCancelled {
            if !isTold, succession == nil || lost + patience < .now {
                isTold = true
                isSeeking = false
                publish(.notice(.instanceLost))
            }
            try? await Task.sleep(for: isTold ? .seconds(1) : .milliseconds(50))
            if let found = try? await Self.find(at: path, as: attacher) { return goOn(with: found, saying: isTold) }
            if let succession, !Task.isCancelled, let instance = await succession(chat.identity) {
                return await goOn(with: instance)
            }
        }
    }

    /// The chat runs in another process from now on. Replies are read only after this returns.
    private func goOn(with found: Found, saying isTold: Bool) {
        connection = found.connection
        chat = found.chat
        isSeeking = false
        Task { await resume(saying: isTold) }
    }

    /// The chat runs here from now on.
    private func goOn(with instance: ChatInstance) async {
        guard !Task.isCancelled else { return await instance.stop() }
        if attacher.isFrontEnd {
            // Our user stays away, and disconnected contacts stay so: nobody has come back.
            let away = chat.identity.away
            if let away { try? await instance.client.ask(.setAway(away)) }
            for contact in putOff { try? await instance.client.ask(.disconnect(contact)) }
        }
        own = instance
        isSeeking = false
        chat.identity = await instance.client.identity
        let events = await instance.client.events()
        Task { for await event in events { publish(event) } }
        await tellEverything()
        if attacher.isFrontEnd { publish(.notice(.instanceHere)) }
    }

    /// Lets the streams continue over the new connection, and reports that everything may have changed.
    private func resume(saying isTold: Bool) async {
        if hub.hasReaders, subscription == nil { await subscribe() }
        await tellEverything()
        if isTold { publish(.notice(.instanceFound)) }
    }

    /// A command asks for what it needs when it hears that something may have changed.
    private func tellEverything() async {
        guard let conversations = try? await ask(.conversations) else { return }
        if attacher.isFrontEnd { publish(.identityChanged(chat.identity)) }
        publish(.conversationsChanged)
        for contact in conversations.map(\.peer.id) {
            publish(.historyReplaced(contact))
            if attacher.isFrontEnd, let state = try? await ask(.linkState(of: contact)) {
                publish(.linkChanged(contact, state))
            }
        }
        if attacher.isFrontEnd, let requests = try? await ask(.contactRequests) {
            publish(.requestsChanged(requests))
        }
    }
}
