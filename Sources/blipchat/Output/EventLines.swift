// What happens, as lines for people: `blipchat watch`. Made from the records, so that it says the same as --json.

import ChatTUI
import ChatWords

struct EventLines {
    var usesColor = false

    /// No line for what is only for programs.
    func lines(of record: JSONValue) -> [String] {
        switch record["type"]?.stringValue {
        case "message": return message(record)
        case "file":
            return [head(record) + file(record)]
                + MessageLines.lines(ofCaption: text(record, "caption"), of: text(record, "name")).map { "    " + $0 }
        case "link":
            let link = text(record, "link")
            return [
                now + safe(text(record, "name"), .name) + " is "
                    + TextColor.good.paint(link, if: usesColor && link == "online")
            ]
        case "requests":
            return (record["requests"]?.arrayValue ?? []).map { request in
                let twin = request["looks_like"]?.stringValue
                let warning = NameLikeness.warning(ofRequest: text(request, "name"), like: twin)
                return now + "contact request \(request["id"]?.integerValue ?? 0) from "
                    + "\(safe(text(request, "name"), .name)) at \(safe(text(request, "origin"), .line)) "
                    + "(blipchat requests)" + (warning.map { "  " + $0.terminalString() } ?? "")
            }
        case "notice": return [now + TextColor.error.paint(safe(text(record, "text"), .line), if: usesColor)]
        case "deleted": return [now + "messages with \(safe(text(record, "conversation"), .name)) were deleted"]
        default: return []
        }
    }

    private func message(_ record: JSONValue) -> [String] {
        guard record["retracted"]?.boolValue != true else { return [head(record) + "(deleted)"] }
        let parts = MessageLines.lines(ofText: text(record, "text"))
        let edited = record["edited"] == nil ? "" : "  (edited)"
        return [head(record) + (parts.first ?? "") + edited + reactions(record)] + parts.dropFirst().map { "    " + $0 }
    }

    /// Who has reacted how: only where that is what has happened.
    private func reactions(_ record: JSONValue) -> String {
        guard record["event"]?.stringValue == MessageNews.Event.reaction.rawValue else { return "" }
        let all = (record["reactions"]?.arrayValue ?? []).map { reaction in
            "[\(safe(text(reaction, "emoji"), .line)) \(safe(text(reaction, "from"), .name))]"
        }
        return "  " + (all.isEmpty ? "(reaction removed)" : all.joined(separator: " "))
    }

    private func file(_ record: JSONValue) -> String {
        let number = record["number"]?.integerValue ?? 0
        let size = Units.size(UInt64(clamping: record["size"]?.integerValue ?? 0))
        var line = "#\(number) \(safe(text(record, "name"), .fileName))  \(size)  \(text(record, "state"))"
        if let reason = record["reason"]?.stringValue { line += " (\(safe(reason, .line)))" }
        if text(record, "state") == "complete", let path = record["path"]?.stringValue {
            line += "  \(safe(path, .line))"
        }
        return line
    }

    /// Time, conversation, who, and how far an own message is.
    private func head(_ record: JSONValue) -> String {
        let name = safe(text(record, "conversation"), .name)
        let isOwn = text(record, "from") == "me"
        let time = RFC3339.read(text(record, isOwn ? "sent" : "received")).map(LocalTime.text) ?? ""
        let state = record["type"]?.stringValue == "message" ? " \(text(record, "state"))" : ""
        let who = isOwn ? TextColor.own.paint("me to \(name)\(state)", if: usesColor) : name
        return TextColor.dim.paint(time, if: usesColor) + "  \(who)  "
    }

    private var now: String { TextColor.dim.paint(LocalTime.text(.now), if: usesColor) + "  " }
    private func text(_ record: JSONValue, _ member: String) -> String { record[member]?.stringValue ?? "" }
    private func safe(_ text: String, _ kind: SafeText.Kind) -> String { SafeText(text, as: kind).terminalString() }
}
