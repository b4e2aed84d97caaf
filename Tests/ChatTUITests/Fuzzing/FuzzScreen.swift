// The fuzz targets of the screen: what others write on its way to cells, and the bytes of a keyboard.

import TestSupport

@testable import ChatTUI
@testable import ChatWords

extension FuzzTarget {
    /// The targets of this folder.
    static let screen: [FuzzTarget] = [
        FuzzTarget(name: "text-cells", run: fuzzTextCells),
        FuzzTarget(name: "input", run: fuzzInputDecoder),
    ]
}

/// Any text as each kind of safe text: nothing in it controls the terminal, and its width is the columns it takes.
func fuzzTextCells(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kinds: [SafeText.Kind] = [.line, .multiline, .name, .fileName]
    let (kind, width) = (kinds[Int(input.byte() & 3)], 2 + Int(input.byte() & 63))
    let column = Int(Int8(bitPattern: input.byte()))
    let text = SafeText(String(decoding: input.remainder(), as: UTF8.self), as: kind)
    try require(text.width == text.clusters.reduce(0) { $0 + $1.width }, "the width is another one")
    for cluster in text.clusters {
        try require((0...2).contains(cluster.width), "a cluster of \(cluster.width) columns")
        try require(cluster.width > 0 || cluster.isLineBreak && kind == .multiline, "a cluster without a column")
    }
    try checkHarmless(text.terminalString(), mayBreak: kind == .multiline)
    let ascii = text.terminalString(unicode: false)
    try require(
        ascii.utf8.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 0x0A) }, "not ASCII: \(ascii.debugDescription)")

    let lines = TextWrap.wrap(text, width: width)
    for line in lines { try require(line.width <= width, "a line of \(line.width) in \(width) columns") }
    for line in TextWrap.wrap(text, width: width, reordering: true) {
        try require(line.width <= width, "a turned line of \(line.width) in \(width) columns")
    }
    var canvas = Canvas(size: Size(columns: width, rows: 3))
    for (row, line) in lines.prefix(3).enumerated() { canvas.draw(line, at: Point(column: column, row: row)) }
    for row in 0..<3 {
        let cells = canvas.row(row)
        try require(cells.count == width, "\(cells.count) cells in \(width) columns")
        for (index, cell) in cells.enumerated() {
            guard let cluster = cell.cluster else {
                try require(index > 0 && cells[index - 1].cluster?.width == 2, "a right half without a left one")
                continue
            }
            let fits = cluster.width == 1 || index + 1 < width && cells[index + 1].cluster == nil
            try require(fits, "a left half without a right one")
        }
    }
    try checkHarmless(canvas.text(), mayBreak: true)
}

/// No byte that a terminal would obey, nothing that turns text around or cannot be seen.
private func checkHarmless(_ text: String, mayBreak: Bool) throws {
    for scalar in text.unicodeScalars {
        let isBreak = scalar == "\n" && mayBreak
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        try require(isBreak || !isControl, "the control character \(scalar.value)")
        try require(!scalar.properties.isBidiControl, "the bidi control \(scalar.value)")
        try require(!(0xE0000...0xE007F).contains(scalar.value), "the tag \(scalar.value)")
    }
}

/// Any bytes from a keyboard, in any cuts and with any pauses: keys are characters that can be seen, pastes are bounded
/// text with LF for its line ends, and nothing is left waiting without a deadline.
func fuzzInputDecoder(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    let pause = Duration.milliseconds(Int(input.byte()) * 4)
    var now = ContinuousClock.now
    var decoder = InputDecoder(marksPastes: configuration & 1 == 0)
    decoder.awaitsReports = configuration & 2 == 2
    var cuts = FuzzCuts(seed: configuration)
    let stream = input.remainder()
    var typed = 0
    func drain() throws {
        while let event = decoder.nextEvent() {
            switch event {
            case .key(let key):
                typed += 1
                guard case .character(let text) = key.code else { continue }
                let scalars = text.unicodeScalars
                try require(scalars.count == 1, "a key of \(scalars.count) scalars")
                let value = scalars.first?.value ?? 0
                try require(value >= 0x20 && !(0x7F...0x9F).contains(value), "the control character \(value) as a key")
            case .paste(let text):
                try require(text.utf8.count <= 3 * InputDecoder.maxPasteBytes, "a paste of \(text.utf8.count) bytes")
                try require(!text.utf8.contains(0x0D), "a CR in a paste")
            case .mouse(let event):
                try require(event.point.column >= 0 && event.point.row >= 0, "a click outside of the screen")
            case .focus: break
            case .resize, .terminate, .reload, .hangup:
                throw FuzzFinding(description: "bytes became \(event)")
            }
        }
        for report in decoder.takeReports() { _ = report }
    }
    try cuts.forEachPiece(of: stream) { piece in
        decoder.receive(Array(piece), now: now)
        try drain()
        now += pause
        if let deadline = decoder.deadline, now >= deadline {
            decoder.handleTimeout(now: now)
            try drain()
        }
    }
    for _ in 0..<8 {
        guard let deadline = decoder.deadline else { break }
        now = deadline
        decoder.handleTimeout(now: now)
        try drain()
    }
    try require(decoder.deadline == nil, "it waits for ever")
    try require(typed <= 2 * stream.count, "\(typed) keys of \(stream.count) bytes")
}
