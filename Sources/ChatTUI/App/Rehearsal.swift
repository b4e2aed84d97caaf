// The first picture, painted once for nobody, on a processor that has nothing else to do while the chat starts.

import ChatCore
package import ChatWords

extension ChatApplication {
    /// Makes what the first picture and the first key need and whoever needs it first would make otherwise: tables, types,
    /// the time zone, code that is read from the disk. From any thread, before there is an application.
    package nonisolated static func rehearse(_ clock: LocalClock = .system) {
        _ = SlashCommands.named("")
        guard let stranger = PeerID(String(repeating: "a", count: 52)) else { return }
        let moment = Moment(wall: Timestamp(milliseconds: 0), uptime: .zero)
        var state = AppState(
            surface: Surface(
                size: Size(columns: 120, rows: 24), clock: clock, moment: moment, home: "", version: ""),
            identity: LocalIdentity(peerID: stranger, name: "", address: nil, listening: nil))
        let contact = ContactID(1)
        let peer = Peer(
            id: contact, peerID: stranger, name: "a", addresses: [], trust: .unverified, added: moment.wall)
        let messages = [MessageDirection.incoming, .outgoing].enumerated().map { index, direction in
            ChatMessage(
                id: MessageID(at: Timestamp(milliseconds: Int64(index))), position: HistoryPosition(Int64(index + 1)),
                contact: contact, direction: direction, sequence: 1, sent: moment.wall, stored: moment.wall,
                state: .pending, content: .text("a b"))
        }
        let conversation = Conversation(
            peer: peer, lastMessage: messages.last, unreadCount: 0, readUpTo: nil, queuedCount: 1)
        for effect in update(&state, .answer(.conversations([conversation])), at: moment) {
            guard case .ask(.page(let request)) = effect else { continue }
            _ = update(&state, .answer(.page(request, messages)), at: moment)
        }
        _ = view(state)
    }
}
