// The picture that the demo's echo sends: rings of colour, drawn by arithmetic.

enum DemoPicture {
    static let name = "rings.png"

    /// A PNG file of about one megabyte.
    static func file() -> [UInt8] {
        let width = 720
        let height = 480
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                // Squared distances from two centres give two sets of rings that interfere.
                let left = (column - 240) * (column - 240) + (row - 240) * (row - 240)
                let right = (column - 480) * (column - 480) + (row - 240) * (row - 240)
                pixels.append(UInt8(truncatingIfNeeded: left >> 6))
                pixels.append(UInt8(truncatingIfNeeded: (left + right) >> 8))
                pixels.append(UInt8(truncatingIfNeeded: right >> 6))
            }
        }
        return PNGEncoder.encode(width: width, height: height, pixels: pixels)
    }
}
