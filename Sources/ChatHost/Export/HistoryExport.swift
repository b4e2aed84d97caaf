// Writes a history to a file: walks through it once, in an order that only depends on what is stored.

package import ChatCore
package import ChatSettings
package import Storage

package struct HistoryExport {
    private static let pageSize = 500

    let store: HistoryDatabase
    let paths: HomePaths
    let contacts: ContactDirectory
    let format: ExportFormat
    /// Copies the files that belong to messages; `nil`: they are only named.
    let files: ExportFiles?
    let write: (String) throws(CommandError) -> Void

    package init(
        store: HistoryDatabase, paths: HomePaths, contacts: ContactDirectory, format: ExportFormat,
        files: ExportFiles?, write: @escaping (String) throws(CommandError) -> Void
    ) {
        self.store = store
        self.paths = paths
        self.contacts = contacts
        self.format = format
        self.files = files
        self.write = write
    }

    /// Exports one conversation, or all of them.
    package func run(only peer: Peer?) async throws(CommandError) {
        let peers = (peer.map { [$0] } ?? contacts.peers).sorted { $0.id < $1.id }
        var writer = format.writer(Records(contacts: contacts))
        try write(writer.begin())
        if format.isByConversation {
            for peer in peers {
                try write(writer.begin(peer, keep: try await retention(of: peer)))
                try await messages(of: peer.id, &writer)
            }
        } else {
            for peer in peers { try write(writer.begin(peer, keep: try await retention(of: peer))) }
            try await messages(of: peer?.id, &writer)
            for peer in peers {
                let operations = try await HistoryFile.about(paths) { () throws(StoreError) in
                    try await store.operations(of: peer.id)
                }
                for operation in operations { try write(writer.operation(operation)) }
            }
        }
        try write(writer.end())
    }

    private func retention(of peer: Peer) async throws(CommandError) -> Retention? {
        try await HistoryFile.about(paths) { () throws(StoreError) in try await store.retention(of: peer.id) }
    }

    private func messages(
        of contact: ContactID?, _ writer: inout any ExportWriter
    ) async throws(CommandError) {
        var place = HistoryPosition(.min)
        let known = Set(contacts.peers.map(\.id))
        while true {
            let start = place
            let page = try await HistoryFile.about(paths) { () throws(StoreError) in
                try await store.exportedMessages(of: contact, after: start, limit: Self.pageSize)
            }
            // Of a contact who has come since the beginning there is no record that they could belong to.
            for exported in page where contact != nil || known.contains(exported.message.contact) {
                var copy: ExportFiles.Copy?
                if let files, case .file(let transfer) = exported.message.content, !exported.message.isRetracted {
                    copy = files.copy(transfer)
                }
                try write(writer.message(exported, file: copy))
            }
            guard page.count == Self.pageSize, let last = page.last else { return }
            place = last.message.position
        }
    }
}
