// F1 on the first page: what each field is for and what the keys do, over the page until the next key.

import ChatWords

extension FirstRunScreen {
    private static let keys = [
        ("Typing", "replaces a value that is only a suggestion"),
        ("Tab, Down, Up", "go from field to field; Space checks a box"),
        ("Ctrl-y, Alt-q", "copy your address, show it as a QR code"),
        ("Enter, Esc", "start the chat; quit and write nothing"),
    ]

    func drawHelp(on canvas: inout Canvas, in box: Rect) {
        canvas.fill(box)
        canvas.addTarget(box, .nothing)
        canvas.frame(box, title: SafeText(literal: "Help · the first page"))
        let inside = Rect(
            column: box.origin.column + 2, row: box.origin.row + 1, columns: box.size.columns - 4,
            rows: box.size.rows - 2)
        var row = inside.origin.row
        func line(_ label: String, _ words: String, _ style: Style = Theme.quiet) {
            canvas.draw(SafeText(label, as: .line), at: Point(column: inside.origin.column, row: row), style: style)
            canvas.draw(
                SafeText(words, as: .line), at: Point(column: inside.origin.column + 17, row: row), style: .plain,
                maxWidth: inside.size.columns - 17)
            row += 1
        }
        for field in form.fields {
            line(Self.label(of: field), form.meaning(of: field), field == form.focus ? Theme.selected : Theme.quiet)
        }
        line("Your key", "Who you are; if you lose it, nobody can restore it")
        row += 1
        for (label, words) in Self.keys { line(label, words) }
        canvas.draw(
            SafeText(literal: "Esc closes this"),
            at: Point(column: inside.origin.column, row: inside.origin.row + inside.size.rows - 1), style: Theme.quiet)
        canvas.cursor = nil
    }

    private static func label(of field: FirstRunForm.Field) -> String {
        switch field {
        case .name: "Name others see"
        case .everywhere: "All addresses"
        case .host: "One address"
        case .port: "Port"
        case .asks: "Ask each time"
        case .downloads: "Receive to"
        case .forever: "Keep forever"
        case .days: "Days"
        case .address: "Add someone now"
        case .demo: "Demo"
        }
    }
}
