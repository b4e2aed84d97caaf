// The page of the first start: one form, Enter starts, Esc leaves without writing anything.

import ChatWords

/// Draws a FirstRunForm, with what can be clicked.
struct FirstRunScreen {
    let form: FirstRunForm
    let capabilities: TerminalCapabilities
    var theme = Theme.terminal
    /// Our address as a QR code, over everything.
    var code: QRPane?

    private static let labelWidth = 19

    func draw(size: Size) -> Canvas {
        var canvas = Canvas(size: size)
        let hasPage = size.columns >= 60 && size.rows >= 22
        if let code {
            let box = hasPage ? pageBox(in: size) : canvas.bounds
            QRScreen(pane: code, box: box, hasBlocks: capabilities.unicode).draw(on: &canvas)
        } else if hasPage {
            drawPage(on: &canvas)
            if form.explains { drawHelp(on: &canvas, in: pageBox(in: size)) }
        } else {
            drawSmall(on: &canvas)
        }
        canvas.dress(in: theme)
        return canvas
    }

    private func pageBox(in size: Size) -> Rect {
        Rect(
            column: (size.columns - 72) / 2, row: max(0, (size.rows - 20) / 2 - 1), columns: min(72, size.columns),
            rows: 20)
    }

    private func drawPage(on canvas: inout Canvas) {
        let size = canvas.size
        let box = pageBox(in: size)
        canvas.frame(box, title: SafeText(literal: "Welcome to blipchat"))
        let inside = Rect(
            column: box.origin.column + 2, row: box.origin.row + 1, columns: box.size.columns - 4, rows: 18)
        drawRows(on: &canvas, inside)
        canvas.draw(
            SafeText(terminalWords, as: .line), at: Point(column: 1, row: size.rows - 1), style: Theme.quiet,
            maxWidth: size.columns - 1)
    }

    /// The hints and the button, with the keys that a click on them presses.
    private static let buttons = [
        Hint("Tab next", .key(Key(.tab))), Hint("Enter start", .key(Key(.enter))), Hint("Esc quit", .key(Key(.escape))),
        Hint("[ Try the demo (Alt-d) ]", .key(Key("d", .alt))), Hint("Alt-d: demo", .key(Key("d", .alt))),
        Hint("Ctrl-y copies it", .key(Key("y", .control))), Hint("Alt-q shows a QR code", .key(Key("q", .alt))),
        Hint("Alt-q: my address", .key(Key("q", .alt))),
    ]

    /// Draws words of ours; the keys that they name can be clicked.
    func drawKeys(_ words: String, on canvas: inout Canvas, at point: Point, style: Style = .plain) {
        let room = max(0, canvas.size.columns - point.column)
        let text = SafeText(words, as: .line).truncated(to: room)
        canvas.draw(text, at: point, style: style)
        canvas.addTargets(Self.buttons, in: text, at: point, width: room)
    }

    private func drawRows(on canvas: inout Canvas, _ area: Rect) {
        var row = area.origin.row
        func text(_ words: String, _ style: Style = .plain, column: Int = 0) {
            canvas.draw(
                SafeText(words, as: .line).truncated(to: area.size.columns - column),
                at: Point(column: area.origin.column + column, row: row), style: style)
        }
        func keys(_ words: String, _ style: Style = .plain, column: Int = 0) {
            drawKeys(words, on: &canvas, at: Point(column: area.origin.column + column, row: row), style: style)
        }
        /// In front of the fields of a row; one that is wrong is marked.
        func label(_ words: String, _ fields: FirstRunForm.Field...) {
            text(words, Theme.quiet)
            guard let wrong = form.problem?.field, fields.contains(wrong) else { return }
            text("! \(words)", Theme.error)
        }
        func next() { row += 1 }

        if form.defaults.lacksOldKey {
            text("! There is a history here, but no key. With a new key, contacts", Theme.error)
            next()
            text("see KEY CHANGED. For the old key: Esc, blipchat id restore FILE.", Theme.error)
            next()
        } else {
            text("No account, no server. You are a key on this disk; back it up.")
            next()
            if form.isAddressInside {
                text("Only people in this network can call your address; /reach helps.", Theme.quiet)
            }
            next()
        }
        label("Name others see", .name)
        field(.name, on: &canvas, area, row: row)
        next()
        label("Your key")
        text(HomeFolder.abbreviated(form.defaults.keyPath, home: form.defaults.home), column: Self.labelWidth)
        next()
        label("Your address")
        text(form.ownAddress ?? "known once the chat listens: /myid", column: Self.labelWidth)
        next()
        keys("Ctrl-y copies it · Alt-q shows a QR code", Theme.quiet, column: Self.labelWidth)
        next()
        label("Listen", .everywhere, .host, .port)
        drawListen(on: &canvas, area, row: row)
        next()
        label("Receive files", .asks, .downloads)
        var column = box(.asks, "ask me each time  ", on: &canvas, area, row: row)
        text("to ", column: column)
        field(.downloads, on: &canvas, area, row: row, column: column + 3)
        next()
        label("History", .forever, .days)
        let keeps = form.checked.contains(.forever)
        column = box(.forever, keeps ? "keep forever, " : "keep forever, or ", on: &canvas, area, row: row)
        if !keeps {
            field(.days, on: &canvas, area, row: row, column: column, width: 5)
            column += 6
        }
        text(keeps ? "on this disk only" : "days", column: column)
        row += 2
        label("Add someone now", .address)
        if form.line(.address).isEmpty {
            text("their words or their address, or leave it empty", Theme.quiet, column: Self.labelWidth)
        }
        field(.address, on: &canvas, area, row: row)
        next()
        let said = sentence
        for line in TextWrap.wrap(SafeText(said.words, as: .line), width: area.size.columns - Self.labelWidth).prefix(2)
        {
            canvas.draw(
                line, at: Point(column: area.origin.column + Self.labelWidth, row: row), style: said.style)
            next()
        }
        row = area.origin.row + 13
        keys("  Tab next field    Enter start    Esc quit (nothing is written)")
        next()
        keys("[ Try the demo (Alt-d) ]", form.focus == .demo ? Theme.selected : .plain, column: 2)
        text("an echo peer, nothing is saved", Theme.quiet, column: 28)
        row += 2
        text("In the chat: F1 help · type and press Enter to send · /send FILE")
        next()
        text("             Alt-x lists every command · Ctrl-q quits")
        if form.focus == .demo { canvas.cursor = nil }
    }

    /// The problem with the input, or else a hint.
    var sentence: (words: String, style: Style) {
        if let problem = form.problem { return ("! \(problem.words)", Theme.error) }
        return (form.hint ?? "", Theme.quiet)
    }

    private func drawListen(on canvas: inout Canvas, _ area: Rect, row: Int) {
        func text(_ words: String, column: Int) {
            canvas.draw(
                SafeText(words, as: .line).truncated(to: area.size.columns - column),
                at: Point(column: area.origin.column + column, row: row), style: .plain)
        }
        guard !form.defaults.isListenFixed else {
            let choices = form.defaults.choices
            let host = choices.listenHost ?? "all addresses"
            text("\(host), port \(choices.listenPort) (--listen, this time)", column: Self.labelWidth)
            return
        }
        var column = box(.everywhere, "all addresses  ", on: &canvas, area, row: row)
        if !form.checked.contains(.everywhere) {
            text("at ", column: column)
            field(.host, on: &canvas, area, row: row, column: column + 3, width: 15)
            column += 19
        }
        text("port ", column: column)
        field(.port, on: &canvas, area, row: row, column: column + 5)
    }

    private func field(
        _ field: FirstRunForm.Field, on canvas: inout Canvas, _ area: Rect, row: Int, column: Int = labelWidth,
        width: Int? = nil
    ) {
        let target = canvas.drawField(
            form.line(field), named: .form(field), after: "", at: Point(column: area.origin.column + column, row: row),
            width: width ?? area.size.columns - column, hasFocus: form.focus == field,
            style: form.focus == field && form.isProposed(field) ? Theme.selected : .plain)
        guard column == Self.labelWidth else { return }
        // Its label is the same button.
        canvas.addTarget(Rect(column: area.origin.column, row: row, columns: column, rows: 1), .field(target))
    }

    /// A checkbox with its words; returns the column after them.
    private func box(
        _ box: FirstRunForm.Field, _ words: String, on canvas: inout Canvas, _ area: Rect, row: Int
    ) -> Int {
        let column = Self.labelWidth
        let place = Point(column: area.origin.column + column, row: row)
        drawBox(box, words, on: &canvas, at: place)
        return column + 4 + words.count
    }

    func drawBox(_ box: FirstRunForm.Field, _ words: String, on canvas: inout Canvas, at place: Point) {
        let hasFocus = form.focus == box
        canvas.draw(
            SafeText(form.checked.contains(box) ? "[x]" : "[ ]", as: .line), at: place,
            style: hasFocus ? Theme.selected : .plain)
        canvas.draw(
            SafeText(words, as: .line), at: Point(column: place.column + 4, row: place.row), style: .plain,
            maxWidth: max(0, canvas.size.columns - place.column - 4))
        canvas.addTarget(
            Rect(column: place.column, row: place.row, columns: 4 + words.count, rows: 1),
            .field(FieldTarget(name: .form(box), column: place.column)))
        if hasFocus { canvas.cursor = Point(column: place.column + 1, row: place.row) }
    }

    private var terminalWords: String {
        let colors = capabilities.colors == 0 ? "no colours" : "\(capabilities.colors) colours"
        var words = [colors, capabilities.unicode ? "UTF-8" : "ASCII"]
        if capabilities.mouse { words.append("mouse") }
        if capabilities.bracketedPaste { words.append("paste guard on") }
        return "terminal: \(words.joined(separator: ", ")) · /doctor explains"
    }
}
