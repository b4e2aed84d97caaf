// The section [limits] of config.toml: every limit of RELIABILITY 3 under a key of its own (Docs/settings.md).

import ChatCore
import ChatWords

/// One limit: its key, what may be written, and where it goes.
struct LimitSetting: Sendable {
    enum Unit: Sendable {
        /// A whole number.
        case count
        /// A number of bytes, or a text like "8M".
        case bytes
        /// Whole seconds.
        case seconds
        case percent
    }

    /// Without the section.
    let name: String
    let unit: Unit
    let range: ClosedRange<Int64>
    /// Reads the limit out of the whole.
    let value: @Sendable (ChatLimits) -> Int64
    /// Writes it there.
    let apply: @Sendable (inout ChatLimits, Int64) -> Void

    var key: String { "limits." + name }

    /// The setting of a key with its section.
    static func of(_ key: String) -> LimitSetting? { all.first { $0.key == key } }

    /// In the order of the document.
    static let all: [LimitSetting] = [
        .number("known_connections", 1...10_000, \.network.knownConnections),
        .number("file_connections", 0...16, \.network.fileLanes),
        .number("unknown_connections", 1...10_000, \.network.unknownConnections),
        .number("connections_per_address", 1...10_000, \.network.unknownConnectionsPerAddress),
        .number("handshakes_per_second", 1...100_000, \.network.handshakesPerSecond),
        .number("handshakes_per_network", 1...100_000, \.network.handshakesPerSecondPerNetwork),
        .seconds("first_byte_seconds", 1...600, \.network.firstByteTime),
        .seconds("hello_seconds", 1...600, \.network.helloTime),
        .seconds("handshake_seconds", 1...600, \.network.handshakeTime),
        .number("head_bytes", 1_024...1 << 20, \.network.headBytes, .bytes),
        .number("head_fields", 16...10_000, \.network.headFields),
        // A peer's frames have up to 16 KiB and their own headers.
        .number("frame_bytes", 32_768...16 << 20, \.network.frameBytes, .bytes),
        .number("properties_bytes", 4_096...1 << 20, \.network.propertiesBytes, .bytes),
        .number("partial_messages", 8...10_000, \.network.partialMessages),
        .number("partial_bytes", 1 << 20...1 << 30, \.network.partialBytes, .bytes),
        .number("inflated_bytes", 65_536...1 << 30, \.network.inflatedBytes, .bytes),
        .number("unpacked_before_hello", 4_096...1 << 30, \.network.unpackedBeforeHello, .bytes),
        .number("unpacked_per_second", 1 << 20...1 << 40, \.network.unpackedPerSecond, .bytes),
        .number("unsent_bytes", 131_072...1 << 30, \.network.unsentBytes, .bytes),
        .fraction("messages_per_second", 1...100_000, \.operationsPerSecond),
        .fraction("message_burst", 1...1_000_000, \.operationBurst),
        .number("waiting_requests", 16...1_000_000, \.waitingRequests),
        .number("waiting_bytes", 1 << 20...1 << 30, \.waitingBytes, .bytes),
        .number("outbox_messages", 1...100_000_000, \.outboxMessages),
        .number("running_files", 1...64, \.runningTransfers),
        .number("ranges_of_a_file", 6...1_000, \.servedRanges),
        .seconds("idle_file_seconds", 1...86_400, \.uploadPatience),
        LimitSetting(
            name: "stored_bytes_per_day", unit: .bytes, range: 1 << 20...Int64.max,
            value: { Int64(clamping: $0.storedBytesPerDay) },
            apply: { $0.storedBytesPerDay = UInt64(clamping: $1) }),
        LimitSetting(
            name: "free_bytes", unit: .bytes, range: 0...Int64.max,
            value: { Int64(clamping: $0.freeBytesKept) }, apply: { $0.freeBytesKept = UInt64(clamping: $1) }),
        LimitSetting(
            name: "free_percent", unit: .percent, range: 0...100,
            value: { Int64(($0.freeShareKept * 100).rounded()) }, apply: { $0.freeShareKept = Double($1) / 100 }),
        .number("contact_requests", 0...10_000, \.storedContactRequests),
        .number("contact_requests_per_day", 0...10_000, \.contactRequestsPerDay),
        .seconds("retry_seconds", 0...3_600, \.retryDelay),
        .number("private_routes", 0...1, \.network.privateRoutes),
    ]

    private static func number(
        _ name: String, _ range: ClosedRange<Int64>, _ path: any WritableKeyPath<ChatLimits, Int> & Sendable,
        _ unit: Unit = .count
    ) -> LimitSetting {
        LimitSetting(
            name: name, unit: unit, range: range, value: { Int64($0[keyPath: path]) },
            apply: { $0[keyPath: path] = Int(clamping: $1) })
    }

    private static func fraction(
        _ name: String, _ range: ClosedRange<Int64>, _ path: any WritableKeyPath<ChatLimits, Double> & Sendable
    ) -> LimitSetting {
        LimitSetting(
            name: name, unit: .count, range: range, value: { Int64($0[keyPath: path]) },
            apply: { $0[keyPath: path] = Double($1) })
    }

    private static func seconds(
        _ name: String, _ range: ClosedRange<Int64>, _ path: any WritableKeyPath<ChatLimits, Duration> & Sendable
    ) -> LimitSetting {
        LimitSetting(
            name: name, unit: .seconds, range: range, value: { $0[keyPath: path].components.seconds },
            apply: { $0[keyPath: path] = .seconds($1) })
    }
}

extension LimitSetting {
    /// The values that may be written.
    var form: Setting.Form { .number(range, unit: unit.words) }

    /// The number that a value of the file gives; `nil` when it cannot be this.
    func number(of value: ConfigurationValue) -> Int64? {
        var number: Int64?
        switch value {
        case .integer(let value): number = value
        case .string(let text): if unit == .bytes { number = Units.bytes(of: text).flatMap { Int64(exactly: $0) } }
        case .bool: break
        }
        return number.flatMap { range.contains($0) ? $0 : nil }
    }
}

extension LimitSetting.Unit {
    fileprivate var words: String {
        switch self {
        case .count: ""
        case .bytes: " bytes, or text like \"8M\""
        case .seconds: " seconds"
        case .percent: " percent"
        }
    }
}
