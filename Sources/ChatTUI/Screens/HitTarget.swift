// What a click with the mouse does: recorded while the picture is drawn, so that whatever is drawn as a hint, a button
// or a line of a list can be clicked, and nothing else. Carried out by AppState+Mouse.

import ChatCore

/// The meaning of a click on a part of the picture.
enum HitTarget: Sendable, Equatable {
    /// The same as the command's key, where the user is.
    case command(AppCommand)
    case chat(ContactID)
    /// A line of the open overlay's list, from 0: puts the cursor there, and on the cursor does what Enter does.
    case line(Int)
    /// A part of an overlay that only hides what is under it.
    case nothing
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

    /// What a click on `point` means.
    func target(at point: Point) -> HitTarget? {
        targets.last { $0.area.contains(point) }?.meaning
    }
}
