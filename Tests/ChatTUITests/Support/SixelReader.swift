// Reads a picture of sixels as a terminal does, and takes whatever is not in their grammar for a violation.

/// A device control string of sixels, taken apart: what stands between `ESC P` and `ESC \`.
struct SixelReader {
    struct Pixel: Equatable {
        var red = 0
        var green = 0
        var blue = 0
    }

    /// As the raster attributes say.
    private(set) var width = 0
    private(set) var height = 0
    private(set) var violations: [String] = []
    /// Defined colours.
    private(set) var registers: [Int: Pixel] = [:]
    /// Row by row; `nil` where nothing was drawn.
    private(set) var pixels: [Pixel?] = []

    private var bytes: ArraySlice<UInt8>
    private var color: Int?
    private var x = 0
    private var band = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)[...]
        read()
    }

    subscript(x: Int, y: Int) -> Pixel? { pixels[y * width + x] }

    private mutating func read() {
        let parameters = numbers()
        guard take("q"), parameters == [0, 1] else { return fail("begins with \(parameters)") }
        guard take("\"") else { return fail("no raster attributes") }
        let raster = numbers()
        guard raster.count == 4, raster[0] == 1, raster[1] == 1, raster[2] > 0, raster[3] > 0 else {
            return fail("raster attributes \(raster)")
        }
        (width, height) = (raster[2], raster[3])
        pixels = Array(repeating: nil, count: width * height)
        while let byte = bytes.first, violations.isEmpty { step(byte) }
    }

    private mutating func step(_ byte: UInt8) {
        bytes.removeFirst()
        switch byte {
        case UInt8(ascii: "#"):
            let numbers = numbers()
            if numbers.count == 5, numbers[1] == 2, numbers[2...].allSatisfy({ (0...100).contains($0) }) {
                registers[numbers[0]] = Pixel(red: numbers[2], green: numbers[3], blue: numbers[4])
            } else if numbers.count == 1, registers[numbers[0]] != nil {
                color = numbers[0]
            } else {
                fail("colour \(numbers)")
            }
        case UInt8(ascii: "!"):
            let numbers = numbers()
            guard numbers.count == 1, numbers[0] > 0, let next = bytes.popFirst() else {
                return fail("repeat \(numbers)")
            }
            draw(next, count: numbers[0])
        case UInt8(ascii: "$"): x = 0
        case UInt8(ascii: "-"): (x, band) = (0, band + 1)
        default: draw(byte, count: 1)
        }
    }

    private mutating func draw(_ byte: UInt8, count: Int) {
        guard (0x3F...0x7E).contains(byte), let color, let pixel = registers[color], x + count <= width else {
            return fail("character \(byte) at \(x)")
        }
        for bit in 0..<6 where (byte - 0x3F) >> UInt8(bit) & 1 == 1 {
            let y = 6 * band + bit
            guard y < height else { return fail("a pixel below the picture") }
            for x in x..<x + count { pixels[y * width + x] = pixel }
        }
        x += count
    }

    /// Numbers between semicolons; none where no digit stands.
    private mutating func numbers() -> [Int] {
        let text = bytes.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
        bytes = bytes.dropFirst(text.count)
        return text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func fail(_ what: String) { violations.append("sixels: \(what)") }
}
