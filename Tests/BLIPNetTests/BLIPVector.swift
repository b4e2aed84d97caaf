// The recorded conversations of Vectors/blip3 and Vectors/blip (their README explains the format).

import FoundationEssentials

@testable import BLIPNet

/// One vector file.
struct BLIPVector: Decodable, Sendable, CustomStringConvertible {
    struct Frame: Decodable, Sendable {
        var dir: String
        var number: UInt64
        var flags: UInt64
        var acked: UInt64?
        var hex: String
    }

    struct Body: Decodable, Sendable {
        var length: Int
        var sha256: String
    }

    struct Message: Decodable, Sendable {
        var dir: String
        var type: String
        var number: UInt64
        var urgent: Bool
        var noreply: Bool
        var compressed: Bool
        var properties: [[String]]
        var body: Body
    }

    var name: String
    private var dialectName: String
    var subprotocol: String?
    var frames: [Frame]
    var messages: [Message]

    private enum CodingKeys: String, CodingKey {
        case name, subprotocol, frames, messages
        case dialectName = "dialect"
    }

    var dialect: BLIPDialect { dialectName == "BLIP_3" ? .blip3 : .blip2013 }

    var description: String { name }

    /// Frames of one direction, ACKs included or not.
    func frames(_ direction: String, acks: Bool) -> [[UInt8]] {
        frames.filter { $0.dir == direction && ($0.acked != nil) == acks }.map { bytes(hex: $0.hex) }
    }

    func messages(_ direction: String) -> [Message] { messages.filter { $0.dir == direction } }

    static let all: [BLIPVector] = ["blip3", "blip"].flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: vectorsFolder + folder)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix("90") }.sorted().compactMap {
            load(BLIPVector.self, folder + "/" + $0)
        }
    }

    static func named(_ prefix: String, _ dialect: BLIPDialect = .blip3) -> BLIPVector? {
        all.first { $0.dialect == dialect && $0.name.hasPrefix(prefix) }
    }
}

/// Vectors/blip3/90_malformed.json.
struct BLIPMalformedInput: Decodable, Sendable {
    struct Case: Decodable, Sendable, CustomStringConvertible {
        var name: String
        var expect: String
        var frames: [String]
        var description: String { name }
    }

    var cases: [Case]

    static let all: [Case] = load(BLIPMalformedInput.self, "blip3/90_malformed.json")?.cases ?? []
}

private let vectorsFolder = String(#filePath.dropLast("BLIPVector.swift".count)) + "Vectors/"

func load<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    guard let data = FileManager.default.contents(atPath: vectorsFolder + name) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
}

func bytes(hex: String) -> [UInt8] {
    var result: [UInt8] = []
    var high: UInt8?
    for character in hex.utf8 {
        let digit = character < UInt8(ascii: "a") ? character - UInt8(ascii: "0") : character - UInt8(ascii: "a") + 10
        if let first = high {
            result.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return result
}
