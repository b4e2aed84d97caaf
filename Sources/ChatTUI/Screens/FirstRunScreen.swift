// The page of the first start: one form, Enter starts, Esc leaves without writing anything.

/// Draws a FirstRunForm.
struct FirstRunScreen {
    let form: FirstRunForm
    let capabilities: TerminalCapabilities
    var theme = Theme.terminal

    private static let labelWidth = 19

    func draw(size: Size) -> Canvas {
        var canvas = Canvas(size: size)
        if size.columns >= 60, size.rows >= 22 { drawPage(on: &canvas) } else { drawSmall(on: &canvas) }
        canvas.dress(in: theme)
        return canvas
    }

    private func drawPage(on canvas: inout Canvas) {
        let size = canvas.size
        let box = Rect(
            column: (size.columns - 72) / 2, row: max(0, (size.rows - 20) / 2 - 1), columns: min(72, size.columns),
            rows: 20)
        canvas.frame(box, title: SafeText(literal: "Welcome to blipchat"))
        let inside = Rect(
            column: box.origin.column + 2, row: box.origin.row + 1, columns: box.size.columns - 4, rows: 18)
        drawRows(on: &canvas, inside)
        canvas.draw(
            SafeText(terminalWords, as: .line), at: Point(column: 1, row: size.rows - 1), style: Theme.quiet,
            maxWidth: size.columns - 1)
    }

    /// The hints and the button, with the keys that they stand for.
    private static let buttons: [(words: String, key: Key)] = [
        ("Tab next", Key(.tab)), ("Enter start", Key(.enter)), ("Esc quit", Key(.escape)),
        ("[ Try the demo (Alt-d) ]", Key("d", .alt)), ("Alt-d: demo", Key("d", .alt)),
    ]

    /// The key whose hint or button is drawn at a point: what a click there does.
    func key(at point: Point, size: Size) -> Key? {
        let canvas = draw(size: size)
        guard canvas.size.rows > point.row, point.row >= 0 else { return nil }
        let row = (0..<canvas.size.columns).map { column in
            canvas[Point(column: column, row: point.row)].cluster.flatMap(\.text.first) ?? " "
        }
        return Self.buttons.first { words, _ in
            let wanted = Array(words)
            return (0..<max(0, row.count - wanted.count + 1)).contains { start in
                row[start..<start + wanted.count].elementsEqual(wanted)
                    && (start..<start + wanted.count).contains(point.column)
            }
        }?.key
    }

    private func drawRows(on canvas: inout Canvas, _ area: Rect) {
        var row = area.origin.row
        func text(_ words: String, _ style: Style = .plain, column: Int = 0) {
            canvas.draw(
                SafeText(words, as: .line).truncated(to: area.size.columns - column),
                at: Point(column: area.origin.column + column, row: row), style: style)
        }
        func label(_ words: String) { text(words, Theme.quiet) }
        func next() { row += 1 }

        if form.defaults.lacksOldKey {
            text("! The key of the history here is gone. A new one makes you somebody", Theme.error)
            next()
            text("else: contacts see KEY CHANGED. Or Esc, blipchat id restore FILE.", Theme.error)
            next()
        } else {
            text("No account, no server. You are a key on this disk; back it up.")
            row += 2
        }
        label("Name others see")
        field(.name, on: &canvas, area, row: row)
        next()
        label("Your key")
        text(FirstRunForm.abbreviated(form.defaults.keyPath, home: form.defaults.home), column: Self.labelWidth)
        next()
        label("Your address")
        text("made with the key when you start; /myid shows it", Theme.quiet, column: Self.labelWidth)
        next()
        label("Listen")
        let listen = SafeText("\(form.defaults.listenAddress), port ", as: .line).prefix(width: 40)
        canvas.draw(listen, at: Point(column: area.origin.column + Self.labelWidth, row: row), style: .plain)
        field(.port, on: &canvas, area, row: row, column: Self.labelWidth + listen.width)
        next()
        label("Receive files")
        text("ask me each time, to ", column: Self.labelWidth)
        field(.downloads, on: &canvas, area, row: row, column: Self.labelWidth + 21)
        next()
        label("History")
        text("keep forever, on this disk only", column: Self.labelWidth)
        row += 2
        label("Add someone now")
        if form.line(.address).isEmpty {
            text("paste their address here, or leave it empty", Theme.quiet, column: Self.labelWidth)
        }
        field(.address, on: &canvas, area, row: row)
        next()
        if let problem = form.problem { text("! \(problem.words)", Theme.error, column: Self.labelWidth) }
        row += 2
        text("  Tab next field    Enter start    Esc quit (nothing is written)")
        next()
        text("  ")
        let button = SafeText(literal: "[ Try the demo (Alt-d) ]")
        canvas.draw(
            button, at: Point(column: area.origin.column + 2, row: row),
            style: form.focus == .demo ? Theme.selected : .plain)
        text("an echo peer, nothing is kept", Theme.quiet, column: 28)
        row += 2
        text("In the chat: F1 help · type and press Enter to send · /send FILE")
        next()
        text("             Alt-x lists every command · Ctrl-q quits")
        if form.focus == .demo { canvas.cursor = nil }
    }

    private func field(
        _ field: FirstRunForm.Field, on canvas: inout Canvas, _ area: Rect, row: Int, column: Int = labelWidth
    ) {
        let target = canvas.drawField(
            form.line(field), named: .form(field), after: "", at: Point(column: area.origin.column + column, row: row),
            width: area.size.columns - column, hasFocus: form.focus == field)
        // Its label is the same button.
        canvas.addTarget(Rect(column: area.origin.column, row: row, columns: column, rows: 1), .field(target))
    }

    /// The field that is drawn at a point, and the character of its text there.
    func field(at point: Point, size: Size) -> (field: FirstRunForm.Field, offset: Int)? {
        guard case .field(let target) = draw(size: size).target(at: point), case .form(let field) = target.name else {
            return nil
        }
        return (field, target.offset(in: form.line(field), at: point.column))
    }

    /// Where there is no room for the page: the fields alone, around the one with the focus.
    private func drawSmall(on canvas: inout Canvas) {
        let rows = canvas.size.rows
        // Without a row for what the keys do the last one says how to start.
        let start = canvas.size.columns >= 24 ? "Enter start  Alt-d: demo" : "Enter start"
        let labels: [(FirstRunForm.Field, String)] = [
            (.name, "name "), (.port, "port "), (.downloads, "files "), (.address, "add "),
            (.demo, rows >= 7 ? "Alt-d: demo" : start),
        ]
        let focus = form.focus.rawValue
        let title = form.defaults.lacksOldKey ? "! The old key is gone (id restore)" : "Welcome to blipchat"
        let head: [String] = rows >= 8 ? [title] : []
        for (row, words) in head.enumerated() {
            canvas.draw(SafeText(words, as: .line), at: Point(column: 0, row: row), style: Theme.title)
        }
        // What is wrong has a row in any case; what the keys do only where there is room.
        let foot = rows >= 7 ? 2 : form.problem == nil ? 0 : 1
        let room = max(1, rows - head.count - foot)
        let first = max(0, min(focus - room + 1, labels.count - room))
        for (place, entry) in labels.dropFirst(max(0, first)).prefix(room).enumerated() {
            let point = Point(column: 0, row: head.count + place)
            if entry.0 == .demo {
                canvas.draw(SafeText(entry.1, as: .line), at: point, style: focus == 4 ? Theme.selected : .plain)
            } else {
                canvas.drawField(
                    form.line(entry.0), named: .form(entry.0), after: entry.1, at: point, width: canvas.size.columns,
                    hasFocus: form.focus == entry.0)
            }
        }
        if let problem = form.problem {
            canvas.draw(
                SafeText("! \(problem.words)", as: .line).truncated(to: canvas.size.columns),
                at: Point(column: 0, row: rows - (rows >= 7 ? 2 : 1)),
                style: Theme.error)
        }
        guard rows >= 7 else { return }
        canvas.draw(
            SafeText(literal: "Tab next  Enter start  Esc quit"), at: Point(column: 0, row: rows - 1),
            style: Theme.quiet)
    }

    private var terminalWords: String {
        let colors = capabilities.colors == 0 ? "no colours" : "\(capabilities.colors) colours"
        var words = [colors, capabilities.unicode ? "UTF-8" : "ASCII"]
        if capabilities.mouse { words.append("mouse") }
        if capabilities.bracketedPaste { words.append("paste guard on") }
        return "terminal: \(words.joined(separator: ", ")) · /doctor explains"
    }
}
