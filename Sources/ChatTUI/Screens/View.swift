// Draws the state: a pure function. NcursesTerminal paints what differs from the picture before; `update` is given the
// picture that is on the screen when something happens.

import ChatWords

/// The picture of `state`. Never blank: the input is always there.
package func view(_ state: AppState) -> Picture {
    var canvas = Canvas(size: state.surface.size)
    canvas.reorders = state.surface.settings.reorders
    let layout = ScreenLayout(state)
    MainScreen(state: state, layout: layout).draw(on: &canvas)
    state.place.overlay?.pane.draw(state, layout, on: &canvas)
    canvas.dress(in: state.surface.theme)
    return Picture(canvas: canvas, layout: layout, input: state.composer.input, isCovered: state.place.overlay != nil)
}

/// The screen as it is drawn: the cells, what can be clicked, where everything is. It can be brought up to date cheaply
/// when text comes into the input.
package struct Picture: Sendable {
    package private(set) var canvas: Canvas
    let layout: ScreenLayout
    private var input: InputLine
    /// An overlay is over it.
    let isCovered: Bool
    private(set) var age = Age.current

    /// The kind of change that the picture does not show yet.
    enum Age: Comparable {
        case current
        /// Every row other than those of the input may be out of date.
        case beforeNews
        /// A key or the terminal has changed more than the input.
        case beforeKey
    }

    fileprivate init(canvas: Canvas, layout: ScreenLayout, input: InputLine, isCovered: Bool) {
        self.canvas = canvas
        self.layout = layout
        self.input = input
        self.isCovered = isCovered
    }

    // MARK: The mouse

    /// The meaning of a click on `point`.
    func target(at point: Point) -> HitTarget? { canvas.target(at: point) }

    /// Whether the open overlay lies there.
    func isInOverlay(_ point: Point) -> Bool { isCovered && canvas.isInOverlay(point) }

    /// The character of the draft at a point of its rows.
    func draftOffset(at point: Point) -> Int {
        let box = InputBox(
            input, width: layout.size.columns - layout.promptWidth, maxRows: layout.input.size.rows,
            reordering: canvas.reorders)
        return box.offset(
            at: Point(column: point.column - layout.promptWidth, row: point.row - layout.input.origin.row))
    }

    // MARK: Typing

    /// The same picture, once something has come that it does not show.
    func outdated(to age: Age = .beforeNews) -> Picture {
        var picture = self
        picture.age = max(age, picture.age)
        return picture
    }

    /// This picture with the input of `state`, into which only characters have come since (`AppState.hasOnlyTyped`).
    /// Every other row is shared with this picture; unless that is old, the whole is the same as `view(state)`. `nil`
    /// where a typed character moves more than the rows of the input.
    func typed(_ state: AppState) -> Picture? {
        guard age < .beforeKey, !isCovered, state.place.overlay == nil else { return nil }
        var picture = self
        picture.input = state.composer.input
        if age == .current, let cluster = appended(state), let place = canvas.cursor {
            picture.canvas.put(
                cluster, at: place, style: state.surface.theme.look(of: .plain), within: layout.input.columns)
            picture.canvas.cursor?.column += 1
            return picture
        }
        guard ScreenLayout(state) == layout else { return nil }
        MainScreen(state: state, layout: layout).drawInput(on: &picture.canvas)
        picture.canvas.targets = canvas.targets
        picture.canvas.dress(in: state.surface.theme, rows: layout.input.rows)
        return picture
    }

    /// The character that has come to the end of a draft of one row, when it is a single one without any trouble: it
    /// goes where the cursor is, and nothing else changes. Nearly every key does just this.
    private func appended(_ state: AppState) -> Cluster? {
        let characters = state.composer.input.characters
        guard let place = canvas.cursor, layout.input.size.rows == 1, layout.input.rows.contains(place.row),
            place.column + 1 < layout.size.columns, characters.count < layout.size.columns,
            input.cursor == input.characters.count, state.composer.input.cursor == characters.count,
            characters.count == input.characters.count + 1, state.composer.spelling.unknown.isEmpty,
            let last = characters.last, last.utf8.count == 1, characters.starts(with: input.characters),
            !input.hasRightToLeft
        else { return nil }
        return last.utf8.first.flatMap(Cluster.ascii)
    }
}
