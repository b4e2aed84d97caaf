// A cell of the screen that shows a part of a picture: how PictureRows writes it into the canvas and NcursesTerminal
// finds it there again, be it scrolled, cut or half covered.

import ChatWords

/// Which part of which picture a cell shows. Drawn as a placeholder of kitty's protocol, in the colour of the number.
struct PictureCell: Sendable, Equatable {
    /// The number of the picture in the terminal, 1 to 255.
    var number: UInt8
    /// Its place in the picture, in cells from the upper left.
    var column: Int
    var row: Int

    /// No picture has more columns or rows.
    static let limit = KittyGraphics.marks.count
    private static let base: Unicode.Scalar = "\u{10EEEE}"
    private static let numbers = Dictionary(uniqueKeysWithValues: zip(KittyGraphics.marks, 0...))

    var cluster: Cluster {
        var text = String.UnicodeScalarView([Self.base])
        text.append(KittyGraphics.marks[row])
        text.append(KittyGraphics.marks[column])
        return Cluster(text: String(text), width: 1)
    }

    init(number: UInt8, column: Int, row: Int) {
        self.number = number
        self.column = column
        self.row = row
    }

    /// `nil` when the cell shows something else. No text from outside looks like it: the filter lets no private use
    /// character through.
    init?(_ cell: Canvas.Cell) {
        guard let cluster = cell.cluster, Self.isOne(cluster), case .palette(let number) = cell.style.foreground else {
            return nil
        }
        let marks = cluster.text.unicodeScalars.dropFirst().compactMap { Self.numbers[$0] }
        guard marks.count == 2 else { return nil }
        self.init(number: number, column: marks[1], row: marks[0])
    }

    static func isOne(_ cluster: Cluster) -> Bool { cluster.text.unicodeScalars.first == base }
}

/// A rectangle of cells that shows one picture, or as much of it as is neither covered nor scrolled away.
struct PicturePiece: Sendable, Equatable {
    var number: UInt8
    /// The part of the picture, in its cells.
    var part: Rect
    /// Where its upper left corner is on the screen.
    var place: Point

    var area: Rect { Rect(origin: place, size: part.size) }

    /// The same piece with one more row below, if `next` is that row.
    fileprivate func joined(with next: PicturePiece) -> PicturePiece? {
        guard number == next.number, part.columns == next.part.columns, place.column == next.place.column,
            next.part.origin.row == part.rows.upperBound, next.place.row == area.rows.upperBound
        else { return nil }
        var piece = self
        piece.part = Rect(
            origin: part.origin, size: Size(columns: part.size.columns, rows: part.size.rows + next.part.size.rows))
        return piece
    }
}

extension Canvas {
    /// The pictures on the screen, from top to bottom.
    var picturePieces: [PicturePiece] {
        var pieces: [PicturePiece] = []
        for row in 0..<size.rows {
            for piece in self.pieces(inRow: row) {
                if let index = pieces.lastIndex(where: { $0.joined(with: piece) != nil }),
                    let joined = pieces[index].joined(with: piece)
                {
                    pieces[index] = joined
                } else {
                    pieces.append(piece)
                }
            }
        }
        return pieces
    }

    /// Neighbouring cells of one row that show neighbouring parts of the same picture.
    private func pieces(inRow row: Int) -> [PicturePiece] {
        var pieces: [PicturePiece] = []
        for (column, cell) in self.row(row).enumerated() {
            guard let shown = PictureCell(cell) else { continue }
            if let last = pieces.last, last.number == shown.number, last.part.origin.row == shown.row,
                last.part.columns.upperBound == shown.column, last.area.columns.upperBound == column
            {
                pieces[pieces.count - 1].part = Rect(
                    origin: last.part.origin, size: Size(columns: last.part.size.columns + 1, rows: 1))
            } else {
                pieces.append(
                    PicturePiece(
                        number: shown.number, part: Rect(column: shown.column, row: shown.row, columns: 1, rows: 1),
                        place: Point(column: column, row: row)))
            }
        }
        return pieces
    }
}
