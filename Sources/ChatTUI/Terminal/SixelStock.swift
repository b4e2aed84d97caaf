// The pictures that a sixel terminal was handed, and what it says about its pixels and colours. The terminal keeps no
// picture that is not on its screen, so they are kept here. Pure; filled and asked by NcursesTerminal+Pictures.

import ChatWords

/// Makes the sequences for pieces of pictures.
struct SixelStock {
    /// DA1: what are you?
    static let query = "\u{1B}[c"
    /// The number in its answer that means sixel graphics.
    static let attribute = 4
    /// How many colours (XTSMGRAPHICS), and how many pixels a character has (XTWINOPS). A terminal that knows answers.
    static let detailsQuery = "\u{1B}[?1;1;0S\u{1B}[16t"
    /// The sizes in pixels that an answer may give, so that none fills the memory.
    private static let cellLimit = 1...128

    private struct Handed {
        var number: UInt8
        var image: PixelImage
        var size: Size
    }
    private var handed: [Handed] = []
    private var registers = 256
    /// Of one character, in pixels: as of the VT340, until the terminal tells.
    private var cell = (width: 10, height: 20)
    /// The terminal driver tells the size of the window in pixels; no answer of the terminal is better.
    private var isCellKnown = false

    /// Keeps a picture that takes `size` cells, and forgets the oldest, as PictureShelf does.
    mutating func take(_ image: PixelImage, number: UInt8, size: Size) {
        handed.removeAll { $0.number == number }
        handed.append(Handed(number: number, image: image, size: size))
        if handed.count > PictureShelf.limit { handed.removeFirst() }
    }

    /// The window's size in pixels and in cells; zero pixels where nobody knows.
    mutating func learnCellSize(ofWindow pixels: (width: Int, height: Int), _ size: Size) {
        let width = pixels.width / max(1, size.columns)
        let height = pixels.height / max(1, size.rows)
        isCellKnown = Self.cellLimit.contains(width) && Self.cellLimit.contains(height)
        if isCellKnown { cell = (width, height) }
    }

    /// An answer to `detailsQuery`; `true` when it changes what is drawn.
    mutating func receive(cellWidth width: Int, height: Int) -> Bool {
        guard !isCellKnown, Self.cellLimit.contains(width), Self.cellLimit.contains(height), (width, height) != cell
        else { return false }
        cell = (width, height)
        return !handed.isEmpty
    }

    /// An answer to `detailsQuery`; `true` when it changes what is drawn.
    mutating func receive(registers count: Int) -> Bool {
        guard count >= 2, count != registers else { return false }
        registers = count
        return !handed.isEmpty
    }

    /// The sixels of a piece; `nil` when its picture was forgotten.
    func sequence(for piece: PicturePiece) -> [UInt8]? {
        guard let picture = handed.last(where: { $0.number == piece.number }) else { return nil }
        let sixels = SixelPicture(
            picture.image, width: picture.size.columns * cell.width, height: picture.size.rows * cell.height,
            registers: registers)
        let (columns, rows) = (piece.part.columns, piece.part.rows)
        return sixels.sequence(
            columns: columns.lowerBound * cell.width..<columns.upperBound * cell.width,
            rows: rows.lowerBound * cell.height..<rows.upperBound * cell.height)
    }
}
