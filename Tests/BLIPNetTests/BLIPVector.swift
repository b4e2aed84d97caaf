// The recorded conversations of Vectors/blip3 (their README explains the format).

import FoundationEssentials

@testable import BLIPNet

/// One vector file.
struct BLIPVector: Decodable, Sendable, CustomStringConvertible {
    struct Frame: Decodable, Sendable {
        var dir: String
        var number: UInt64
        var flags: UInt64
        var type: String
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
    var subprotocol: String?
    var frames: [Frame]
    var messages: [Message]

    var description: String { name }

    /// Frames of one direction, ACKs included or not.
    func frames(_ direction: String, acks: Bool) -> [[UInt8]] {
        frames.filter { $0.dir == direction && ($0.acked != nil) == acks }.map { bytes(hex: $0.hex) }
    }

    func messages(_ direction: String) -> [Message] { messages.filter { $0.dir == direction } }

    static let all: [BLIPVector] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix("90") }.sorted().compactMap {
            load(BLIPVector.self, $0)
        }
    }()
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

    static let all: [Case] = load(BLIPMalformedInput.self, "90_malformed.json")?.cases ?? []
}

private let folder = String(#filePath.dropLast("BLIPVector.swift".count)) + "Vectors/blip3"

private func load<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { return nil }
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
