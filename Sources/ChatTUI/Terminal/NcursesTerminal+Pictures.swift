// Pictures: what the terminal says it can do, and sixels, which are written beside curses after each doupdate().
// For kitty's protocol the pixels go to the terminal once, and curses writes the placeholders as any text.

import ChatWords

extension NcursesTerminal {
    /// Asks what the user's wish leaves open. All terminals answer DA1, which the probe of widths asks for, too.
    func askAboutPictures() {
        guard capabilities.unicode else { return }
        switch wish.preview {
        case .off, .blocks: return
        case .auto: write(KittyGraphics.query + (session?.probe == nil ? SixelStock.query : ""))
        case .kitty: write(KittyGraphics.query)
        case .sixel: if session?.probe == nil { write(SixelStock.query) }
        }
    }

    /// A terminal that knows both gets sixels: those are the ones whose kitty protocol lacks the placeholders.
    func receiveAboutPictures(_ report: TerminalReport) {
        switch report {
        case .graphics:
            guard wishes(.kitty), capabilities.graphics == .none else { return }
            show(picturesBy: .kitty)
        case .attributes(let numbers):
            guard wishes(.sixel), numbers.contains(SixelStock.attribute), capabilities.graphics != .sixel else {
                return
            }
            write(SixelStock.detailsQuery)
            show(picturesBy: .sixel)
        case .colorRegisters(let count): if sixels.receive(registers: count) { show(picturesBy: .sixel) }
        case .cellSize(let width, let height):
            if sixels.receive(cellWidth: width, height: height) { show(picturesBy: .sixel) }
        case .cursor: break
        }
    }

    private func wishes(_ kind: ScreenSettings.ImagePreview) -> Bool { wish.preview == .auto || wish.preview == kind }

    /// Draws everything anew, with pictures of this kind.
    func show(picturesBy graphics: TerminalCapabilities.Graphics) {
        if capabilities.graphics == .kitty { write(KittyGraphics.deleteAll) }
        capabilities.graphics = graphics
        redraw()
        session?.onInput(.resize(size))
    }

    func take(_ image: PixelImage, number: UInt8, size: Size) {
        switch capabilities.graphics {
        case .none: break
        case .kitty: write(KittyGraphics.transmit(image, number: number, size: size))
        case .sixel: sixels.take(image, number: number, size: size)
        }
    }

    /// Whether this is a cell that curses leaves blank for sixels.
    func showsPicture(_ cluster: Cluster) -> Bool { capabilities.graphics == .sixel && PictureCell.isOne(cluster) }

    /// The pictures, or the parts of them, that are not there yet. A picture goes when curses writes its cells.
    func pictures(of canvas: Canvas, before: Canvas?) -> [UInt8] {
        guard capabilities.graphics == .sixel else { return [] }
        let known = before?.picturePieces ?? []
        var bytes: [UInt8] = []
        for piece in canvas.picturePieces {
            if known.contains(piece), let before, canvas.isSame(as: before, in: piece.area) { continue }
            guard let sixels = sixels.sequence(for: piece) else { continue }
            bytes += TerminalCodes.string("cup", Int32(piece.place.row), Int32(piece.place.column)) + sixels
        }
        return bytes.isEmpty ? [] : bytes + codes(forCursorOf: canvas)
    }
}

extension Canvas {
    fileprivate func isSame(as other: Canvas, in area: Rect) -> Bool {
        area.rows.allSatisfy { row in
            area.columns.allSatisfy { column in
                let point = Point(column: column, row: row)
                return self[point] == other[point]
            }
        }
    }
}
