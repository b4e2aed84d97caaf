// The meaning of a mouse click: recorded while the picture is drawn, so that whatever is drawn as a hint, a button or a
// line of a list can be clicked, and nothing else. Carried out by Mouse.

import ChatCore
import ChatWords

/// The meaning of a click on a part of the picture.
enum HitTarget: Sendable, Equatable {
    /// The same as the command's key, where the user is.
    case command(AppCommand)
    case chat(ContactID)
    /// A line of the open overlay's list, from 0: puts the cursor there, and on the cursor does what Enter does.
    case line(Int)
    /// The draft: puts the cursor there.
    case input
    /// A message of the open chat: puts the cursor of browse mode there, and on the cursor tells what it is.
    case message(MessageKey)
    /// Something that is done with a message of the open chat.
    case action(MessageAction, MessageKey)
    /// The same as Enter on a message in browse mode.
    case choose(MessageKey)
    /// A candidate of the completion, from 0.
    case candidate(Int)
    /// An example: types it into the field of the open pane.
    case example(String)
    /// A field of the open overlay: the focus goes there, and the cursor to the place of the click.
    case field(FieldTarget)
    /// A line that is typed into the empty input, to be entered or not.
    case typed(String)
    /// The same as this key, on the page of the first start.
    case key(Key)
    /// A slash command on the screen, with its arguments.
    case slash(String)
    /// A part of an overlay that only hides what is under it.
    case nothing
}

/// Words of ours that can be clicked, within a longer text.
struct Hint: Sendable, Equatable {
    var words: String
    var meaning: HitTarget

    init(_ words: String, _ meaning: HitTarget) {
        self.words = words
        self.meaning = meaning
    }

    init(_ words: String, _ command: AppCommand) { self.init(words, .command(command)) }
}

extension SafeText {
    /// The columns of the clusters that begin before this byte.
    fileprivate static func columns(of text: SafeText, before byte: Int) -> Int {
        var bytes = 0
        var columns = 0
        for cluster in text.clusters {
            if bytes >= byte { break }
            bytes += cluster.text.utf8.count
            columns += cluster.width
        }
        return columns
    }
}

extension Canvas {
    /// An area that can be clicked. Later ones lie over earlier ones.
    struct Target: Sendable, Equatable {
        var area: Rect
        var meaning: HitTarget
    }

    mutating func addTarget(_ area: Rect, _ meaning: HitTarget) {
        targets.append(Target(area: area, meaning: meaning))
    }

    /// Makes words clickable in a text that was drawn at `point`, up to `width` columns. Of several matches the last
    /// one counts: words from outside (a name, a file) come before our own words.
    mutating func addTargets(_ hints: [Hint], in text: SafeText, at point: Point, width: Int = .max) {
        let bytes = Array(text.text.utf8)
        for hint in hints where !hint.words.isEmpty {
            let words = Array(hint.words.utf8)
            guard
                let place = stride(from: bytes.count - words.count, through: 0, by: -1).first(where: {
                    bytes[$0...].starts(with: words)
                })
            else { continue }
            let start = SafeText.columns(of: text, before: place)
            let end = SafeText.columns(of: text, before: place + words.count)
            guard end <= width else { continue }
            addTarget(Rect(column: point.column + start, row: point.row, columns: end - start, rows: 1), hint.meaning)
        }
    }

    /// The meaning of a click on `point`.
    func target(at point: Point) -> HitTarget? {
        targets.last { $0.area.contains(point) }?.meaning
    }
}
