// The forms in which a history can be written to a file. Each is fed by HistoryExport in the same order.

import ChatCore
import Storage

package enum ExportFormat: String, CaseIterable {
    case text, json, html

    /// Text and pages are read one conversation after the other; JSON keeps the order of the history.
    var isByConversation: Bool { self != .json }

    func writer(_ records: Records) -> any ExportWriter {
        switch self {
        case .text: TextExport(records: records)
        case .json: JSONExport(records: records)
        case .html: HTMLExport(records: records)
        }
    }
}

/// Makes the text of an export, piece by piece. The same history gives the same bytes.
protocol ExportWriter {
    mutating func begin() -> String
    /// What comes is of this contact, until the next one (for JSON: of all of them).
    mutating func begin(_ peer: Peer, keep: Retention?) -> String
    /// `file`: where the export keeps its copy of the file, relative to itself.
    mutating func message(_ message: ExportedMessage, file: ExportFiles.Copy?) -> String
    mutating func operation(_ operation: ChatOperation) -> String
    mutating func end() -> String
}
