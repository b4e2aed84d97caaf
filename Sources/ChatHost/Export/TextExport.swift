// An export for people, as plain text: what `blipchat history` prints, one conversation after the other.

import ChatCore
import ChatWords
import Storage

struct TextExport: ExportWriter {
    let records: Records
    private var isFirst = true

    init(records: Records) { self.records = records }

    func begin() -> String { "" }

    mutating func begin(_ peer: Peer, keep: Retention?) -> String {
        defer { isFirst = false }
        let name = SafeText(peer.name, as: .name).terminalString()
        return (isFirst ? "" : "\n")
            + "== \(name)  \(ExportedContact.place(of: peer))  \(Records.standing(of: peer)) ==\n"
    }

    func message(_ exported: ExportedMessage, file: ExportFiles.Copy?) -> String {
        var lines = MessageLines(records: records).lines(of: exported.message)
        if let file, !lines.isEmpty { lines[lines.count - 1] += "  (copy: \(file.path))" }
        return lines.joined(separator: "\n") + "\n"
    }

    func operation(_ operation: ChatOperation) -> String { "" }
    func end() -> String { "" }
}
