// Draws a question in the place of the input.

/// The field of a PromptPane, in the place of the input.
struct PromptScreen {
    let pane: PromptPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        guard !layout.input.isEmpty else { return }
        canvas.fill(layout.input)
        canvas.addTarget(layout.input, .nothing)
        canvas.drawField(pane.field, after: pane.label, at: layout.input.origin, width: layout.input.size.columns)
    }
}
