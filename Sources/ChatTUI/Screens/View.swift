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
