// What we have emitted to a room and may hear from it again: a line of ours is shown once. Pure.

/// The latest events of ours, until their echo has come.
struct RoomEchoes {
    /// By what an echo is known where the server does not pass the id on.
    enum Content: Equatable {
        case text(String)
        case file(size: Int, caption: String)
    }

    private struct Emitted {
        var id: MessageID
        var content: Content
        var sent: Timestamp
    }

    /// A server that echoes does so at once, so we forget older lines.
    static let most = 256
    private var emitted: [Emitted] = []

    /// Something of ours is being emitted, perhaps once more after a lost connection.
    mutating func emitted(_ id: MessageID, _ content: Content, sent: Timestamp) {
        guard !emitted.contains(where: { $0.id == id }) else { return }
        emitted.append(Emitted(id: id, content: content, sent: sent))
        if emitted.count > Self.most { emitted.removeFirst() }
    }

    /// Which of ours comes back; `nil`: it is somebody else's. `isOurName`: the sender is called as we are, or has no name.
    mutating func take(_ id: MessageID?, _ content: Content, sent: Timestamp?, isOurName: Bool) -> MessageID? {
        let alike = emitted.indices.filter { emitted[$0].content == content }
        // A server may set its own ids and times; then the oldest line that matches is meant.
        let index =
            alike.first { id != nil && emitted[$0].id == id }
            ?? (isOurName ? alike.first { sent != nil && emitted[$0].sent == sent } ?? alike.first : nil)
        return index.map { emitted.remove(at: $0).id }
    }
}

extension RoomEchoes.Content {
    init(_ content: IncomingMessage.Content) {
        switch content {
        case .text(let text): self = .text(text)
        case .file(_, let size, _, _, let caption, _): self = .file(size: Int(clamping: size), caption: caption)
        case .operation: self = .text("")
        }
    }

    init(_ message: ChatMessage) {
        switch message.content {
        case .text(let text): self = .text(text)
        case .file(let file):
            self = .file(size: Int(clamping: file.size), caption: file.caption.isEmpty ? file.name : file.caption)
        }
    }
}
