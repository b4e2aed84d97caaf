// The previews that the screen has: which files it has asked for, and what came.

import ChatCore
import ChatWords

/// Previews by message. It forgets the oldest, and asks again when somebody looks at them again.
struct PictureShelf: Sendable, Equatable {
    static let limit = 16

    struct Preview: Sendable, Equatable {
        /// `nil` until it was read, and when it cannot be shown.
        var image: PixelImage?
        /// Its number in the terminal (1 to 255), when it was handed over as a picture.
        var number: UInt8?
        /// The cells that it takes there.
        var size = Size(columns: 1, rows: 1)
    }

    private(set) var previews: [MessageID: Preview] = [:]
    private var order: [MessageID] = []
    private var lastNumber: UInt8 = 0

    /// All pictures have to be read again.
    mutating func forget() { self = PictureShelf() }

    /// Notes that the screen asks for `id`; `false` when it did already.
    mutating func ask(for id: MessageID) -> Bool {
        guard previews[id] == nil else { return false }
        previews[id] = Preview()
        order.append(id)
        if order.count > Self.limit { previews[order.removeFirst()] = nil }
        return true
    }

    /// Puts a picture in its place, if it is still wanted, and returns its preview.
    mutating func put(_ image: PixelImage?, for id: MessageID, asPicture: Bool) -> Preview? {
        guard previews[id] != nil else { return nil }
        var preview = Preview(image: image)
        if asPicture, let image {
            lastNumber = lastNumber % 255 + 1
            preview.number = lastNumber
            preview.size = PictureRows.cells(of: image, columns: PictureRows.maxColumns)
        }
        previews[id] = preview
        return preview
    }

    /// The commands that we must send again after the terminal has shown something else.
    var commands: [TerminalCommand] { order.compactMap { previews[$0]?.command } }
}

extension PictureShelf.Preview {
    /// Hands the picture to the terminal.
    var command: TerminalCommand? {
        guard let image, let number else { return nil }
        return .picture(image, number: number, size: size)
    }
}
