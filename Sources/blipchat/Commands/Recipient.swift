// Somebody to whom a command sends something, and why it does not get there.

import ChatCore
import ChatHost
import ChatSettings
import ChatWords

struct Recipient: Sendable {
    let chat: CommandChat
    /// As the user calls them.
    let who: String
    let peer: Peer

    init(_ who: String, in chat: CommandChat) async throws(CommandError) {
        self.chat = chat
        self.who = who
        peer = try await chat.contact(who)
    }

    /// Throws why nothing goes out to them until our user decides.
    func check() async throws(CommandError) {
        if peer.trust == .keyChanged { throw keyChanged }
        guard try await chat.ask(.maySend(to: peer.id), about: who) else {
            throw CommandError(
                .identity, who, "is not verified, and security.require_verified is set: nothing is sent",
                advice: "compare numbers with contacts verify; queued messages then go out")
        }
    }

    /// The same for the contact as it is now.
    func checkAgain() async throws(CommandError) { try await Recipient(who, in: chat, known: peer).check() }

    private init(_ who: String, in chat: CommandChat, known: Peer) async throws(CommandError) {
        self.chat = chat
        self.who = who
        peer = try await chat.directory().peers.first { $0.id == known.id } ?? known
    }

    var keyChanged: CommandError {
        CommandError(
            .identity, who, "answers with a different key from the pinned one; nothing is sent",
            advice: "see contacts verify, then contacts accept-key or contacts block")
    }

    /// Our messages of these ids.
    func messages(_ ids: [MessageID]) async throws(CommandError) -> [ChatMessage] {
        try await chat.ask(.messages(ids, of: peer.id), about: who).filter { $0.direction == .outgoing }
    }

    /// Why nothing more becomes of a message to them: our user has deleted it, perhaps with the contact. `nil` when it
    /// is there.
    func deletion(of id: MessageID) async -> CommandError? {
        do throws(ChatError) {
            guard try await chat.service.ask(.messages([id], of: peer.id)).isEmpty else { return nil }
            let isKnown = try await chat.service.ask(.conversations).contains { $0.peer.id == peer.id }
            guard !isKnown else {
                return CommandError(.notFound, peer.name, "everything waiting for them was deleted here")
            }
            return CommandError(.notFound, peer.name, "the contact was removed, along with everything waiting for them")
        } catch {
            // We cannot tell whether it is there: the time-out decides.
            return nil
        }
    }

    /// Stored, but not with the peer in time.
    func queued(_ what: String, after timeout: Duration) async -> CommandError {
        let state = await chat.service.linkState(of: peer.id)
        if let failure = await chat.failure { return failure }
        if peer.room != nil, state.isOnline {
            return CommandError(
                .queued, peer.name, "the server has not confirmed \(what) within \(timeout.inSeconds) s",
                advice: "a server that confirms nothing leaves lines at >; what was not sent goes out when it can")
        }
        let why =
            switch state {
            case .offline(let reason): reason?.words ?? "not connected"
            case .connecting: "still connecting"
            case .awaitingApproval: "they have not accepted your request yet"
            case .online(let details): details.isRefusing ? "their disk is full" : "no answer yet"
            }
        return CommandError(
            .queued, peer.name, "queued, but \(what) was not delivered within \(timeout.inSeconds) s: \(why)",
            advice: state == .offline(reason: .blockedByPeer)
                ? "they have blocked you; it goes out when they accept your calls again"
                : "it goes out when blipchat is running and can reach them")
    }
}

extension Duration {
    /// Seconds to the thousandth, without zeros that say nothing: `10`, `0.5`.
    var inSeconds: String {
        let thousandths = components.attoseconds / 1_000_000_000_000_000
        guard thousandths > 0 else { return "\(components.seconds)" }
        var digits = String("\(1000 + thousandths)".dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(components.seconds).\(digits)"
    }
}
