// Draws the state into a grid of cells: a pure function. NcursesTerminal paints what differs from the picture before.

/// The picture of `state` on a screen of `size`. Never blank: the input is always there.
public func view(_ state: AppState, size: Size) -> Canvas {
    var canvas = Canvas(size: size)
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

    init(of state: AppState) {
        canvas = view(state, size: state.size)
        layout = ScreenLayout(state)
    }

    private init(canvas: Canvas, layout: ScreenLayout) {
        self.canvas = canvas
        self.layout = layout
    }

    /// The same as `Picture(of: state)`, where `state` differs from the one of this picture only as
    /// `AppState.hasOnlyTyped` says. Every row but those of the input is shared with this picture.
    func typed(_ state: AppState) -> Picture {
        let layout = ScreenLayout(state)
        guard layout == self.layout else { return Picture(of: state) }
        var canvas = canvas
        MainScreen(state: state, layout: layout).drawInput(on: &canvas)
        canvas.targets = self.canvas.targets
        canvas.dress(in: state.theme, rows: layout.input.rows)
        return Picture(canvas: canvas, layout: layout)
    }
}
