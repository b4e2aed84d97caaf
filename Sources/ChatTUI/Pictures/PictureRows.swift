// A picture as rows of the screen: two pixels in each cell as half blocks, or cells where a terminal that can (by
// kitty's protocol or by sixels) shows the picture itself.

import ChatWords

/// Makes rows of at most `columns` by `rows` cells.
enum PictureRows {
    /// The largest preview in the history.
    static let maxColumns = 40
    static let maxRows = 12

    /// The pixels that half blocks can show there: a pixel is one column wide and half a row high.
    static func pixelLimit(columns: Int) -> (width: Int, height: Int) {
        (max(1, min(columns, maxColumns)), 2 * maxRows)
    }

    /// Upper half blocks: the foreground is the upper pixel, the background the lower one, both of the 256 colours.
    static func halfBlocks(_ image: PixelImage, columns: Int) -> [StyledLine] {
        let image = image.scaled(toFit: pixelLimit(columns: columns))
        let block = SafeText(literal: "▀")
        return stride(from: 0, to: image.height, by: 2).map { y in
            var line = StyledLine()
            for x in 0..<image.width {
                let upper = Color.palette(nearest(image[x, y]))
                let lower = y + 1 < image.height ? Color.palette(nearest(image[x, y + 1])) : .standard
                line.add(block, Style(upper, on: lower))
            }
            return line
        }
    }

    /// For terminals without colours: the brightness of two pixels as one character.
    static func shades(_ image: PixelImage, columns: Int) -> [StyledLine] {
        let image = image.scaled(toFit: pixelLimit(columns: columns))
        let ramp = Array(" .:-=+*#%@")
        return stride(from: 0, to: image.height, by: 2).map { y in
            var text = ""
            for x in 0..<image.width {
                let lower = y + 1 < image.height ? y + 1 : y
                let light = brightness(image[x, y]) + brightness(image[x, lower])
                text.append(ramp[min(ramp.count - 1, light * ramp.count / 512)])
            }
            return StyledLine(text)
        }
    }

    private static func brightness(_ pixel: (red: Int, green: Int, blue: Int)) -> Int {
        (pixel.red * 299 + pixel.green * 587 + pixel.blue * 114) / 1000
    }

    /// The nearest colour of the cube (16...231) or of the greys (232...255).
    static func nearest(_ pixel: (red: Int, green: Int, blue: Int)) -> UInt8 {
        let levels = [0, 95, 135, 175, 215, 255]
        func step(_ value: Int) -> Int { levels.indices.min { abs(levels[$0] - value) < abs(levels[$1] - value) } ?? 0 }
        func distance(_ red: Int, _ green: Int, _ blue: Int) -> Int {
            let parts = [red - pixel.red, green - pixel.green, blue - pixel.blue]
            return parts.reduce(0) { $0 + $1 * $1 }
        }
        let (red, green, blue) = (step(pixel.red), step(pixel.green), step(pixel.blue))
        let mean = (pixel.red + pixel.green + pixel.blue) / 3
        let grey = min(23, max(0, (mean - 3) / 10))
        let greyLevel = 8 + 10 * grey
        let cubeDistance = distance(levels[red], levels[green], levels[blue])
        return distance(greyLevel, greyLevel, greyLevel) < cubeDistance
            ? UInt8(232 + grey) : UInt8(16 + 36 * red + 6 * green + blue)
    }

    // MARK: The picture itself

    /// The cells that a picture takes there: about twice as high as wide each.
    static func cells(of image: PixelImage, columns: Int) -> Size {
        let limit = pixelLimit(columns: columns)
        let scale = min(1, Double(limit.width) / Double(image.width), Double(limit.height) / Double(image.height))
        return Size(
            columns: max(1, Int(Double(image.width) * scale)), rows: max(1, (Int(Double(image.height) * scale) + 1) / 2)
        )
    }

    /// Cells in which the terminal shows the picture of this number (1 to 255). Each names its row and column, so that
    /// they may be written in any order, and be cut and covered.
    static func cells(ofPicture number: UInt8, size: Size) -> [StyledLine] {
        let columns = min(size.columns, PictureCell.limit)
        return (0..<min(size.rows, PictureCell.limit)).map { row in
            let clusters = (0..<columns).map { PictureCell(number: number, column: $0, row: row).cluster }
            return StyledLine(SafeText(clusters: clusters), Style(.palette(number)))
        }
    }
}
