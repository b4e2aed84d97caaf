// Requests for offered files that are not open yet: their disk is asked first, and it may not answer.

import BLIPNet

/// The requests that wait for each file. Those for one file wait for each other, so that it is opened once and its
/// ranges go in their order; those for others do not.
struct FileAnswers {
    private struct Line {
        var count: Int
        var last: Task<Void, Never>
    }

    private var waiting: [ContactID: [MessageID: Line]] = [:]

    /// Whether one more request for `file` may wait: of a contact whose files in `running` are being sent, so many at once,
    /// and for each of them so many ranges.
    func mayWait(
        for file: MessageID, of contact: ContactID, running: Set<MessageID>, files: Int, ranges: Int
    ) -> Bool {
        let theirs = waiting[contact] ?? [:]
        if let line = theirs[file] { return line.count < ranges }
        return running.union(theirs.keys).subtracting([file]).count < files
    }

    /// The request before, which this one waits for.
    func last(for file: MessageID, of contact: ContactID) -> Task<Void, Never>? { waiting[contact]?[file]?.last }

    mutating func begin(_ task: Task<Void, Never>, for file: MessageID, of contact: ContactID) {
        let count = waiting[contact]?[file]?.count ?? 0
        waiting[contact, default: [:]][file] = Line(count: count + 1, last: task)
    }

    mutating func end(for file: MessageID, of contact: ContactID) {
        guard let line = waiting[contact]?[file] else { return }
        waiting[contact]?[file] = line.count > 1 ? Line(count: line.count - 1, last: line.last) : nil
        if waiting[contact]?.isEmpty == true { waiting[contact] = nil }
    }
}
