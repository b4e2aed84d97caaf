// The small codecs of BLIP: varints, properties, compressed frames.

import TestSupport

@testable import BLIPNet

/// Any bytes as a varint: the same as arithmetic says, in any cut; any number there and back.
func fuzzVarint(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    let value = Varint.decode(&rest)
    let used = bytes.count - rest.count
    let expected = varintByArithmetic(bytes)
    try require(value == expected?.value, "\(String(describing: value)) where \(String(describing: expected)) is due")
    if let expected { try require(used == expected.count, "took \(used) bytes instead of \(expected.count)") }

    for cut in 0...min(bytes.count, Varint.maxBytes + 1) {
        var partial = PartialVarint()
        var first = UnsafeRawBufferPointer(rebasing: bytes[..<cut])
        var second = UnsafeRawBufferPointer(rebasing: bytes[cut...])
        var progress = partial.take(from: &first)
        if progress == .incomplete {
            try require(first.isEmpty, "bytes are left though the varint is not complete")
            progress = partial.take(from: &second)
        }
        switch progress {
        case .complete(let whole):
            try require(whole == value && first.count + second.count == rest.count, "cut at \(cut) it is \(whole)")
        case .incomplete, .malformed: try require(value == nil, "cut at \(cut) it is none")
        }
    }

    var number: UInt64 = 0
    for byte in bytes.prefix(8) { number = number << 8 | UInt64(byte) }
    var encoded: [UInt8] = []
    Varint.append(number, to: &encoded)
    try require(encoded.count == Varint.encodedCount(number), "\(number) has \(encoded.count) bytes")
    try require(encoded.count <= Varint.maxBytes, "\(number) is too long")
    var room = [UInt8](repeating: 0xAA, count: encoded.count)
    let written = room.withUnsafeMutableBytes { Varint.encode(number, into: $0) }
    try require(written == encoded.count && room == encoded, "two ways of encoding \(number) differ")
    try encoded.withUnsafeBytes { encoded in
        var rest = encoded
        try require(Varint.decode(&rest) == number && rest.isEmpty, "\(number) does not come back")
    }
}

/// A second opinion on what the bytes say.
private func varintByArithmetic(_ bytes: UnsafeRawBufferPointer) -> (value: UInt64, count: Int)? {
    var value: UInt64 = 0
    for (index, byte) in bytes.prefix(Varint.maxBytes).enumerated() {
        var digit = UInt64(byte & 0x7F)
        for _ in 0..<index {
            let (product, overflow) = digit.multipliedReportingOverflow(by: 128)
            if overflow { return nil }
            digit = product
        }
        value += digit
        if byte < 0x80 { return (value, index + 1) }
    }
    return nil
}

/// Any bytes as properties: what can be read comes back when written, and what cannot is refused for its reason.
func fuzzProperties(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let hasTokens = input.byte() & 1 == 1
    let coding = BLIPPropertiesCoding(tokens: hasTokens ? ["Profile", "Error-Code", "Error-Domain"] : [])
    let wire = Array(input.remainder())
    let decoded: BLIPProperties
    switch wire.withUnsafeBytes({ bytes in Result { () throws(BLIPPropertiesError) in try coding.decode(bytes) } }) {
    case .success(let properties): decoded = properties
    case .failure(let error): return try checkPropertiesError(error, wire, hasTokens: hasTokens)
    }
    let names = decoded.pairs.map { Array($0.name.utf8) }
    try require(Set(names).count == names.count, "a name stands twice")
    for pair in decoded.pairs {
        try require(decoded[pair.name] == pair.value, "\(pair.name) cannot be looked up")
    }
    let encoded = try coding.encode(decoded, limit: .max)
    try encoded.withUnsafeBytes { encoded in
        var pairs = encoded
        try require(Varint.decode(&pairs) == UInt64(pairs.count), "the byte count is wrong")
        try require(try coding.decode(pairs) == decoded, "the properties do not come back")
        if !hasTokens { try require(pairs.elementsEqual(wire), "other bytes for the same properties") }
    }
    guard !decoded.isEmpty else { return }
    let overLimit = Result { () throws(BLIPPropertiesError) in try coding.encode(decoded, limit: 0) }
    try require(overLimit == .failure(.tooLarge(limit: 0)), "the limit does not hold")
}

private func checkPropertiesError(_ error: BLIPPropertiesError, _ wire: [UInt8], hasTokens: Bool) throws(FuzzFinding) {
    let strings = wire.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    switch error {
    case .unterminated: try require(wire.last.map { $0 != 0 } ?? false, "it ends with NUL")
    case .oddCount: try require(strings.count % 2 == 1, "\(strings.count) strings are even")
    case .invalidUTF8:
        try require(strings.contains { String(validating: $0, as: UTF8.self) == nil }, "all of it is UTF-8")
    case .unknownToken:
        try require(hasTokens && strings.contains { $0.count == 1 && $0.first ?? 32 < 32 }, "there is no token")
    case .duplicateName: try require(strings.count >= 4, "two names take four strings")
    case .containsNUL, .tooLarge: throw FuzzFinding(description: "reading cannot end with \(error)")
    }
}

/// A stream of compressed frames: ours come back, and anything else stays within the limit.
func fuzzInflate(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let limit = 1 + Int(input.byte()) * 1024
    let allowance = UnpackingAllowance(bytes: limit, bound: .frame)
    let inflater = FrameInflater()
    let deflater = FrameDeflater(level: Int32(kind >> 1 % 9) + 1)
    while !input.isEmpty {
        var frame = Array(input.piece())
        var plain: [UInt8]?
        if kind & 1 == 0 {
            // A run of repetitions, so that much comes out of little.
            let repeats = Int(input.byte() & 15) + 1
            let original = Array((0..<repeats).map { _ in frame }.joined())
            var room = [UInt8](repeating: 0, count: original.count + FrameDeflater.maxGrowth(original.count))
            let count = original.withUnsafeBytes { data in
                room.withUnsafeMutableBytes { deflater.deflate(data, into: $0) }
            }
            frame = Array(room[..<count])
            plain = original
        }
        let outcome = frame.withUnsafeBytes { bytes in
            Result { () throws(BLIPViolation) in Array(try inflater.inflate(bytes, allowance)) }
        }
        switch outcome {
        case .success(let unpacked):
            try require(unpacked.count <= limit, "\(unpacked.count) bytes, at most \(limit) are allowed")
            if let plain { try require(unpacked == plain, "other bytes came back") }
            inflater.shrink()
        case .failure(let violation):
            if let plain { try require(plain.count > limit, "our own frame: \(violation.reason)") }
            try require([1002, 1009].contains(violation.closeCode), "close code \(violation.closeCode)")
            return
        }
    }
}

/// A gzip body (dialects 2013 and 2.0) in any cut: ours comes back, and anything else stays within the limit.
func fuzzGzipBody(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let limit = 1 + Int(input.byte()) * 4_096
    let room = 1 + input.word() & 0x3FFF
    var member: [UInt8] = []
    var original: [UInt8]?
    if kind & 1 == 0 {
        var body: [UInt8] = []
        while !input.isEmpty, body.count < 200_000 {
            let piece = Array(input.piece().prefix(4_096))
            body += Array((0...Int(input.byte() & 15)).map { _ in piece }.joined())
        }
        original = body
        member = try gzipped(body, room: room, isSizeKnown: kind & 2 != 0)
    } else {
        member = Array(input.remainder())
    }
    let inflater = BodyInflater()
    let allowance = UnpackingAllowance(bytes: limit, bound: .frame)
    var unpacked: [UInt8] = []
    var failure: IncomingFailure?
    var cuts = FuzzCuts(seed: kind)
    try member.withUnsafeBytes { member in
        try cuts.forEachPiece(of: member) { piece in
            guard failure == nil else { return }
            let before = unpacked.count
            var made = 0
            let outcome = Result { () throws(IncomingFailure) in
                try inflater.inflate(piece, allowance, unpacked: &made) { unpacked.append(contentsOf: $0) }
            }
            if case .failure(let reason) = outcome { failure = reason }
            try require(unpacked.count - before <= limit, "\(unpacked.count - before) bytes of a frame")
        }
    }
    guard let original else { return }
    if let failure {
        guard case .tooLarge = failure else { throw FuzzFinding(description: "our own body: \(failure)") }
    } else {
        try require(unpacked == original && inflater.isComplete != original.isEmpty, "another body comes back")
    }
}

/// The member as frames of at most `room` bytes would carry it.
private func gzipped(_ body: [UInt8], room: Int, isSizeKnown: Bool) throws -> [UInt8] {
    let deflater = BodyDeflater(byteCount: isSizeKnown ? body.count : nil)
    var member: [UInt8] = []
    var offset = 0
    for _ in 0...(body.count + 200) {
        var frame = [UInt8](repeating: 0, count: room)
        let part = try frame.withUnsafeMutableBytes { frame in
            Result { () throws(BodySourceFailure) in
                try deflater.fill(frame) { buffer in
                    let count = min(buffer.count, body.count - offset)
                    buffer.copyBytes(from: body[offset..<(offset + count)])
                    offset += count
                    return count
                }
            }
        }.get()
        member += frame[..<part.count]
        if part.isLast { return member }
    }
    throw FuzzFinding(description: "the body does not end")
}
