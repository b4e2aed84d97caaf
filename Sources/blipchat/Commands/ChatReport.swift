// What a command tells of the chat while it works: a line for people, or a record with --json.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatWords

/// One thing that has happened, with the names of that moment.
enum ChatReport: Sendable {
    /// A text, or a file with its line in the history. `news`: what is new about it, where the command follows the chat.
    case message(ChatMessage, Records, news: MessageNews.Event? = nil)
    /// A file without its line.
    case transfer(FileTransfer, Records)
    case progress(ChatCore.TransferProgress)
    /// The offer of the folder at this path; its files follow.
    case folder(String, FolderOffer)
    /// A file of a folder that is not sent with it.
    case leftOut(LeftOutFile)
    /// Anything else that the chat reports.
    case event(ChatEvent, Records)

    /// For programs; `nil` for what means nothing to them.
    var record: JSONValue? {
        switch self {
        case .message(let message, let records, let news):
            let record = records.record(of: message)
            return news.map(record.with) ?? record
        case .transfer(let transfer, let records): return records.file(transfer)
        case .progress(let progress): return Records.progress(progress)
        case .folder(let path, let offer): return Records.folder(path, offer)
        case .leftOut(let file): return Records.leftOut(file)
        case .event(let event, let records): return EventRecord.record(of: event, records)
        }
    }

    /// The name of the contact that it is about, where that is one.
    var contact: String? {
        switch self {
        case .message(let message, let records, _): records.contacts.name(of: message.contact)
        case .transfer(let transfer, let records): records.contacts.name(of: transfer.contact)
        case .event(.linkChanged(let contact, _), let records), .event(.typing(let contact, _), let records),
            .event(.messagesDeleted(let contact), let records):
            records.contacts.name(of: contact)
        case .progress, .folder, .leftOut, .event: nil
        }
    }

    /// The file that it is about, with or without its line.
    var file: FileReport? {
        switch self {
        case .transfer(let transfer, let records): return FileReport(transfer, records)
        case .message(let message, let records, _):
            guard case .file(let transfer) = message.content else { return nil }
            return FileReport(transfer, records)
        case .progress, .folder, .leftOut, .event: return nil
        }
    }
}

/// A file on its way, as lines for people say it.
struct FileReport: Sendable {
    let transfer: FileTransfer
    let contact: SafeText
    /// Bytes per second; 0 unless it is running.
    let rate: Double

    init(_ transfer: FileTransfer, _ records: Records) {
        self.transfer = transfer
        contact = SafeText(records.contacts.name(of: transfer.contact), as: .name)
        rate = records.rate(of: transfer)
    }

    /// `photo.jpg (3.1 MB) from alice`
    var offer: String {
        let words = FileWords(transfer)
        return "\(words.name.terminalString()) (\(words.size)) from \(contact.terminalString())"
    }

    /// `#8  photo.jpg in holiday  from alice  1 of 2 bytes  running  1.2 MB/s`
    var line: String {
        let words = FileWords(transfer)
        var file = words.name.terminalString() + (words.name.hiddenNote.map { " " + $0.terminalString() } ?? "")
        let folders = (transfer.place?.path ?? "").split(scalar: "/").map {
            SafeText(String($0), as: .fileName).terminalString()
        }
        if !folders.isEmpty { file += " in \(folders.joined(separator: "/"))" }
        let preposition = transfer.direction == .outgoing ? "to" : "from"
        var line = "\(words.number)  \(file)  \(preposition) \(contact.terminalString())  "
        line += "\(transfer.transferred) of \(transfer.size) bytes  \(transfer.state.rawValue)"
        if rate > 0 { line += "  \(Units.rate(rate))" }
        if let reason = transfer.reason?.words, !reason.isEmpty { line += "  (\(SafeText.line(reason)))" }
        return line
    }
}
