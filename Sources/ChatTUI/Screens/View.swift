// Draws the state into a grid of cells: a pure function. NcursesTerminal paints what differs from the picture before.

import ChatWords

/// The picture of `state` on a screen of `size`. Never blank: the input is always there.
package func view(_ state: AppState, size: Size) -> Canvas {
    var canvas = Canvas(size: size)
    canvas.reorders = state.settings.reorders
    let layout = ScreenLayout(state, size: size)
    MainScreen(state: state, layout: layout).draw(on: &canvas)
    OverlayScreen(state: state, layout: layout).draw(on: &canvas)
    canvas.dress(in: state.theme)
    return canvas
}

/// A picture that can be brought up to date cheaply when text comes into the input.
struct Picture {
    private(set) var canvas: Canvas
    private let layout: ScreenLayout
    private var input: InputLine
    /// An overlay is over it.
    private let isCovered: Bool
    /// More than the input has changed since, so that every other row may show what was.
    private(set) var isStale = false

    init(of state: AppState) {
        canvas = view(state, size: state.size)
        layout = ScreenLayout(state)
        input = state.input
        isCovered = state.overlay != nil
    }

    /// The same picture, once something has come that it does not show.
    func outdated() -> Picture {
        var picture = self
        picture.isStale = true
        return picture
    }

    /// This picture with the input of `state`, into which only characters have come since (`AppState.hasOnlyTyped`).
    /// Every other row is shared with this picture; unless that is stale, the whole is the same as
    /// `Picture(of: state)`. `nil` where a typed character moves more than the rows of the input.
    func typed(_ state: AppState) -> Picture? {
        guard !isCovered, state.overlay == nil else { return nil }
        var picture = self
        picture.input = state.input
        if !isStale, let cluster = appended(state), let place = canvas.cursor {
            picture.canvas.put(
                cluster, at: place, style: state.theme.look(of: .plain), within: layout.input.columns)
            picture.canvas.cursor?.column += 1
            return picture
        }
        guard ScreenLayout(state) == layout else { return nil }
        MainScreen(state: state, layout: layout).drawInput(on: &picture.canvas)
        picture.canvas.targets = canvas.targets
        picture.canvas.dress(in: state.theme, rows: layout.input.rows)
        return picture
    }

    /// What has come to a draft of one row at its end, when that is one character without any trouble: it goes where the
    /// cursor stands, and nothing else changes. This is what nearly every key does.
    private func appended(_ state: AppState) -> Cluster? {
        let characters = state.input.characters
        guard let place = canvas.cursor, layout.input.size.rows == 1, layout.input.rows.contains(place.row),
            place.column + 1 < layout.size.columns, characters.count < layout.size.columns,
            input.cursor == input.characters.count, state.input.cursor == characters.count,
            characters.count == input.characters.count + 1, state.spelling.unknown.isEmpty,
            let last = characters.last, last.utf8.count == 1, characters.starts(with: input.characters),
            !input.hasRightToLeft
        else { return nil }
        return last.utf8.first.flatMap(Cluster.ascii)
    }
}
