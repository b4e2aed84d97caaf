// Draws the state into a grid of cells: a pure function. NcursesTerminal paints what differs from the picture before.

/// The picture of `state` on a screen of `size`. Never blank: the input is always there.
public func view(_ state: AppState, size: Size) -> Canvas {
    var canvas = Canvas(size: size)
    canvas.reorders = state.settings.reorders
    let layout = ScreenLayout(state, size: size)
    MainScreen(state: state, layout: layout).draw(on: &canvas)
    OverlayScreen(state: state, layout: layout).draw(on: &canvas)
    canvas.dress(in: state.theme)
    return canvas
}

/// A picture that can be brought up to date cheaply when nothing has changed but the text in the input.
struct Picture {
    let canvas: Canvas
    private let layout: ScreenLayout
    private let input: InputLine

    init(of state: AppState) {
        self.init(canvas: view(state, size: state.size), layout: ScreenLayout(state), input: state.input)
    }

    private init(canvas: Canvas, layout: ScreenLayout, input: InputLine) {
        self.canvas = canvas
        self.layout = layout
        self.input = input
    }

    /// The same as `Picture(of: state)`, where `state` differs from the one of this picture only as
    /// `AppState.hasOnlyTyped` says. Every row but those of the input is shared with this picture.
    func typed(_ state: AppState) -> Picture {
        var canvas = canvas
        if let cluster = appended(state), let place = canvas.cursor {
            canvas.put(cluster, at: place, style: state.theme.look(of: .plain), within: layout.input.columns)
            canvas.cursor?.column += 1
            return Picture(canvas: canvas, layout: layout, input: state.input)
        }
        let layout = ScreenLayout(state)
        guard layout == self.layout else { return Picture(of: state) }
        MainScreen(state: state, layout: layout).drawInput(on: &canvas)
        canvas.targets = self.canvas.targets
        canvas.dress(in: state.theme, rows: layout.input.rows)
        return Picture(canvas: canvas, layout: layout, input: state.input)
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
