// The files that some requests of a contact are about: read once for all of them.

/// The transfers that the requests of one batch are about.
struct KnownFiles {
    /// `nil` where the history cannot be read: whoever needs it finds out.
    private let rows: [MessageID: FileTransfer]?

    init(of requests: [ReceivedRequest], in book: TransferBook) async {
        let ids = requests.compactMap { request -> MessageID? in
            switch request.content {
            case .fileStatus(let status): status.id
            case .operation(let head, .file, _): head.id
            default: nil
            }
        }
        rows = ids.isEmpty ? [:] : try? await book.rows(of: ids)
    }

    /// Whether we do not count a request. A file is accepted once and ends once for each offer, which we have counted. Once our
    /// user has accepted a folder, its files are no single offers: our user agreed to so many. Otherwise a folder of small
    /// files would hold up the lines after it for minutes.
    func isFree(
        _ request: ReceivedRequest, from contact: ContactID, _ core: ClientCore, _ folders: FolderBook
    ) async -> Bool {
        // The handler of the request finds out what is wrong with it.
        switch request.content {
        case .fileStatus(let status):
            guard status.pause == nil, let transfer = rows?[status.id], transfer.contact == contact,
                !transfer.state.isFinal
            else { return false }
            return core.links[contact]?.takeNews(of: status.id, isLast: status.state != .accepted) ?? false
        case .operation(let head, .file(_, let size, _, _, _, let place?), _):
            guard let rows, (try? await folders.set(at: place, from: contact))?.covers(size) == true else {
                return false
            }
            // One that is here already takes nothing out of what was agreed to.
            return rows[head.id] == nil
        default: return false
        }
    }

    /// Whether a request says that a file of ours has come whole.
    func isLastNews(_ request: ReceivedRequest, of contact: ContactID) -> Bool {
        guard case .fileStatus(let status) = request.content, status.state == .complete,
            let transfer = rows?[status.id]
        else { return false }
        return transfer.contact == contact && transfer.direction == .outgoing
    }
}
