// A small picture in memory: from PictureLibrary into the state, drawn as half blocks or handed to the terminal.

import ChatWords

/// Rows of pixels, each three bytes: red, green, blue.
package struct PixelImage: Sendable, Equatable {
    package let width: Int
    package let height: Int
    /// `3 * width * height` bytes, from the top left.
    package let bytes: [UInt8]

    /// `nil` when the number of bytes is not that of the pixels.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, width <= 4_096, height <= 4_096, bytes.count == 3 * width * height else {
            return nil
        }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    subscript(x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
        let place = 3 * (y * width + x)
        return (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
    }

    /// The same picture with at most so many pixels, by averaging: at least one in each direction.
    func scaled(toFit limit: (width: Int, height: Int)) -> PixelImage {
        let scale = min(1, Double(limit.width) / Double(width), Double(limit.height) / Double(height))
        guard scale < 1 else { return self }
        let newWidth = max(1, Int(Double(width) * scale))
        let newHeight = max(1, Int(Double(height) * scale))
        var small: [UInt8] = []
        small.reserveCapacity(3 * newWidth * newHeight)
        for y in 0..<newHeight {
            let rows = y * height / newHeight..<max(y * height / newHeight + 1, (y + 1) * height / newHeight)
            for x in 0..<newWidth {
                let columns = x * width / newWidth..<max(x * width / newWidth + 1, (x + 1) * width / newWidth)
                small += average(columns, rows)
            }
        }
        return PixelImage(width: newWidth, height: newHeight, bytes: small) ?? self
    }

    private func average(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
        var sum = (red: 0, green: 0, blue: 0)
        for y in rows {
            for x in columns {
                let pixel = self[x, y]
                sum = (sum.red + pixel.red, sum.green + pixel.green, sum.blue + pixel.blue)
            }
        }
        let count = columns.count * rows.count
        return [sum.red, sum.green, sum.blue].map { UInt8(clamping: $0 / count) }
    }
}
