// What the commands share that send something: who is asked, what is printed, what is said when they are interrupted.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Storage

struct Sending: Sendable {
    let context: CommandContext
    let who: String
    private(set) var chat: CommandChat
    let printer: ReportPrinter
    private let needs: ChatNeeds
    private let interrupted: InterruptedSending

    /// Opens the chat; `print` prints reports for people.
    static func begin(
        to who: String, _ context: CommandContext, _ needs: ChatNeeds = ChatNeeds(),
        print: @escaping @Sendable (ChatReport) throws(CommandError) -> Void
    ) async throws(CommandError) -> Sending {
        // What is sent cannot be taken back: that its id has nowhere to go is said before.
        try context.streams.requireOutput()
        let interrupted = try await InterruptedSending.watch(context.streams)
        return Sending(
            context: context, who: who, chat: try await context.openChat(needs),
            printer: ReportPrinter(isJSON: context.isJSON, streams: context.streams, print: print), needs: needs,
            interrupted: interrupted)
    }

    /// Throws what went wrong, if anything did.
    func end(_ failure: CommandError?) async throws(CommandError) {
        await chat.close()
        await interrupted.end()
        if let unprinted = await printer.failure {
            throw CommandError(
                unprinted.exit, unprinted.subject, unprinted.reason,
                advice: "everything sent so far is stored and goes out: blipchat history shows it")
        }
        if let failure { throw failure }
    }

    func take(_ report: ChatReport) async {
        if case .message(let message, _, _) = report { interrupted.note(message) }
        await printer.take(report)
    }

    // MARK: Processes that end

    /// Goes on with whoever runs the chat now.
    private mutating func reopen() async throws(CommandError) {
        guard case .attached(let service) = chat else { return }
        await service.detach()
        chat = try await context.openChat(needs, afterEnd: true)
    }

    /// Why something is not sent to its end. A stored message is not lost with the process that was to send it.
    static func abandoned(_ error: CommandError, isStored: Bool) -> CommandError {
        guard isStored else {
            return CommandError(
                error.exit, error.subject, error.reason,
                advice: "it may have been stored anyway: check blipchat status before you send it again")
        }
        return CommandError(
            .queued, error.subject, "\(error.reason); everything to be sent is queued",
            advice: "it goes out when blipchat is running and can reach them")
    }

    /// What has become of a message of ours, by the disk: `nil` inside when it is not there, outside when that cannot be
    /// told.
    private func stateOnDisk(of id: MessageID) async -> DeliveryState?? {
        do throws(CommandError) { return .some(try await messageOnDisk(id)?.message.state) } catch { return nil }
    }

    private func messageOnDisk(
        _ id: MessageID
    ) async throws(CommandError) -> (message: ChatMessage, contacts: ContactDirectory)? {
        let paths = try context.paths()
        let contacts = try await HistoryFile.contacts(paths)
        let contact = try contacts.find(who).id
        let messages = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.messages([id], of: contact)
        }
        return messages?.first { $0.direction == .outgoing }.map { ($0, contacts) }
    }

    /// Prints a message as it is on the disk.
    private func printStored(_ id: MessageID) async throws(CommandError) {
        guard let (message, contacts) = try await messageOnDisk(id) else { return }
        await printer.take(.message(message, Records(contacts: contacts)))
    }

    // MARK: Messages

    /// Stores a message, waits until it is delivered, at most `timeout`, and prints its record; `nil`: it is only queued.
    ///
    /// Where the process that is to store it dies, the disk says what has become of it.
    mutating func send(_ text: String, as id: MessageID, within timeout: Duration?) async throws(CommandError) {
        let lock = try context.paths().lock
        var lost = LostSend(asked: InstanceLock.holder(path: lock))
        while true {
            var isStored = false
            let failure: CommandError
            do throws(CommandError) { return try await sendNow(text, id, timeout, &isStored) } catch {
                guard let reason = await chat.failure else { throw error }
                failure = reason
            }
            guard failure == .instanceGone else {
                if isStored { try await printStored(id) }
                throw Self.abandoned(failure, isStored: isStored)
            }
            switch lost.next(holder: InstanceLock.holder(path: lock), state: await stateOnDisk(of: id)) {
            case .sendAgain:
                do throws(CommandError) { try await reopen() } catch { throw LostSend.notStored(error) }
            case .stored(let state):
                try await printStored(id)
                _ = try LostSend.result(state, who, failure).get()
                return
            case .notStored: throw LostSend.notStored(failure)
            case .unknown: throw LostSend.unknown(id, failure)
            }
        }
    }

    private func sendNow(
        _ text: String, _ id: MessageID, _ timeout: Duration?, _ isStored: inout Bool
    ) async throws(CommandError) {
        let recipient = try await Recipient(who, in: chat)
        // We ask for events first, so that we miss none.
        var events: AsyncStream<ChatEvent>?
        if timeout != nil { events = await chat.service.events() }
        let message = try await chat.ask(.send(text, as: id, to: recipient.peer.id), about: who)
        isStored = true
        interrupted.noteStored(message.id)
        var failure: CommandError?
        if let timeout, let events {
            do throws(CommandError) {
                try await MessageDelivery(recipient: recipient, message: message, events: events).run(
                    within: EventWait(timeout))
            } catch {
                // There is nothing any more that a record could be about.
                guard error.exit != .notFound, await chat.failure == nil else { throw error }
                failure = error
            }
        }
        // As it is at the end: who reads the record wants to know what has become of the message.
        let present = try? await recipient.messages([id]).first
        let records = try? await chat.records()
        if let gone = await chat.failure { throw gone }
        if let records { await take(.message(present ?? message, records)) }
        if let failure { throw failure }
    }

    /// Waits for a message that is stored, `timeout` of the `whole` time.
    mutating func wait(for id: MessageID, within timeout: Duration, of whole: Duration) async throws(CommandError) {
        do throws(CommandError) { try await waitNow(for: id, EventWait(timeout, of: whole)) } catch {
            guard let failure = await chat.failure else { throw error }
            do throws(CommandError) {
                guard failure == .instanceGone else { throw failure }
                // The caller waits for it again.
                try await reopen()
            } catch {
                throw Self.abandoned(error, isStored: true)
            }
            throw CommandError(.queued, who, failure.reason)
        }
    }

    private func waitNow(for id: MessageID, _ wait: EventWait) async throws(CommandError) {
        let recipient = try await Recipient(who, in: chat)
        let events = await chat.service.events()
        guard let message = try await recipient.messages([id]).first else {
            throw CommandError(.notFound, recipient.peer.name, "everything waiting for them was deleted here")
        }
        let result: Result<Void, CommandError>
        do throws(CommandError) {
            result = .success(
                try await MessageDelivery(recipient: recipient, message: message, events: events).run(within: wait))
        } catch {
            result = .failure(error)
        }
        if let present = try? await recipient.messages([id]).first { interrupted.note(present) }
        try result.get()
    }
}
