// The file picker (Ctrl-t): a folder, a filter, and what is marked. Pure; the folder is read by EffectRunner.

import ChatCore
import ChatWords

/// The state of the picker.
struct FilePicker: Pane {
    /// The contact that gets the chosen files.
    var contact: ContactID
    /// Absolute, without a slash at the end but for the root.
    var folder: String
    var filter = InputLine()
    /// The contents of the folder; `nil` while it is being read.
    var listing: FileListing?
    /// The reading that the pane waits for: an answer to an earlier one is stale.
    var generation = 0
    var selected = 0
    /// More is being looked for than the listing has.
    var isLooking = false
    /// The name to put the cursor on when the folder is there: the folder that was left.
    var wanted: String?
    /// Absolute paths of what Enter will send, in the order of marking; also from other folders.
    var marked: [Mark] = []
    var showsHidden = false

    struct Mark: Sendable, Equatable {
        var path: String
        var size: UInt64
    }

    /// A line of the picker.
    enum Row: Sendable, Equatable {
        /// `..`
        case parent
        case entry(FileListing.Entry)

        var name: String {
            switch self {
            case .parent: ".."
            case .entry(let entry): entry.name
            }
        }
    }

    var overlay: Overlay { .files(self) }
    var keyContext: KeyContext { .picker }

    /// The rows that the filter leaves: all in order without one, else the best first.
    var rows: [Row] {
        guard let listing else { return [] }
        let wish = filter.text
        let visible = listing.entries.filter { showsHidden || wish.hasPrefix(".") || !$0.name.hasPrefix(".") }
        guard !wish.isEmpty else {
            let ordered = visible.filter(\.isFolder) + visible.filter { !$0.isFolder }
            return (folder == "/" ? [] : [.parent]) + ordered.map(Row.entry)
        }
        return FuzzyMatch.ranked(visible, wish, \.name).map(Row.entry)
    }

    var selectedRow: Row? {
        let rows = rows
        return rows.indices.contains(selected) ? rows[selected] : nil
    }

    /// The file under the cursor that can be sent; `nil` on a folder, on `..` and where nothing is.
    var selectedFile: FileListing.Entry? {
        if case .entry(let entry) = selectedRow, !entry.isFolder { entry } else { nil }
    }

    func path(of name: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }

    func isMarked(_ name: String) -> Bool {
        let path = path(of: name)
        return marked.contains { $0.path.isSameBytes(as: path) }
    }

    mutating func move(by step: Int) {
        let count = rows.count
        selected = count == 0 ? 0 : min(max(selected + step, 0), count - 1)
    }

    /// Marks the entry under the cursor or takes its mark away, and moves to the next.
    mutating func toggleMark() {
        guard case .entry(let entry) = selectedRow else { return move(by: 1) }
        let path = path(of: entry.name)
        if let index = marked.firstIndex(where: { $0.path.isSameBytes(as: path) }) {
            marked.remove(at: index)
        } else {
            marked.append(Mark(path: path, size: entry.size))
        }
        move(by: 1)
    }

    /// The cursor where it belongs in a folder that has just been read: not on `..` when there is something else.
    mutating func placeCursor() {
        let rows = rows
        let found = wanted.flatMap { name in rows.firstIndex { $0.name.isSameBytes(as: name) } }
        selected = found ?? (rows.count > 1 && rows.first == .parent ? 1 : 0)
        wanted = nil
    }
}

// MARK: The picture

extension FilePicker {
    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        FilePickerScreen(state: state, picker: self, layout: layout).draw(on: &canvas)
    }

    func selectedLine(in state: AppState) -> Int? { selected }
    var hidesActivity: Bool { true }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        let total = listing?.entries.count ?? 0
        let count = rows.count { $0 != .parent }
        let isFirst = listing?.isCut == true
        func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }
        var all = isFirst && total >= FileListing.limit ? "the first \(total) entries" : entries(total)
        if !filter.text.isEmpty {
            all = "\(count) of \(all)"
        } else if count < total, !isFirst {
            all = "\(entries(count)), \(total - count) hidden"
        }
        return SafeText("\(all); a path with / goes there, Backspace goes up", as: .line)
    }

    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? {
        // Where nothing matches nothing can be opened.
        command == .choose && selectedRow == nil && marked.isEmpty ? nil : usual
    }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        [line("Say which files: /send PATH… [-- TEXT]")]
    }
}

/// Paths as text.
enum FilePath {
    /// `path` without `.`, `..`, doubled slashes and a slash at its end; `/` stays.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(scalar: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The folder that a path is in, and its name there.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }
}
