// What receiver and sender tell each other of a file that its receiver has paused (Docs/protocol.md 10.5, `Pause`).

extension ChatClient {
    /// How many pauses are told when a link begins: whoever has paused a folder of thousands is not waited for.
    static let mostPausesTold = 100

    /// Tells the sender of a paused incoming file why nothing more of it is fetched. Not stored: it is told again with
    /// the next link, and what is fetched takes it back.
    func tellPause(of id: MessageID) async {
        let found = await records.quietly { () async throws(StoreError) in try await row(of: id) }
        guard let row = found ?? nil, row.direction == .incoming, row.state == .paused,
            let link = links[row.contact]?.sendingLink
        else { return }
        let pause: FileStatusRequest.Pause = row.reason == nil ? .user : .disk
        link.connection.submitNoReply(FileStatusRequest(id: id, state: .accepted, pause: pause).encoded())
    }

    /// The receiver fetches nothing more of a file of ours for now, as the request `place` says.
    func notePause(
        _ pause: FileStatusRequest.Pause, of transfer: FileTransfer, at place: ReceiverPause
    ) async throws(StoreError) {
        guard !transfer.state.isFinal else { return }
        if let upload = transfers.pause(transfer.id, at: place) { await rememberUpload(transfer.id, upload) }
        let time = now()
        _ = try await changeRow(transfer.id) { row in
            // What our user has paused is not theirs.
            guard row.state != .paused else { return }
            row.state = .accepted
            row.started = row.started ?? time
            row.reason =
                switch pause {
                case .user: TransferReason.pausedByReceiver
                case .disk: TransferReason.receiversDisk
                }
        }
    }
}
