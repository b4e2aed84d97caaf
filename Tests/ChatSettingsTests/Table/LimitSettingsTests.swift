// [limits] in config.toml: every limit has a key, and what is written there is what the chat is started with.

import BLIPNet
import ChatCore
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct LimitSettingsTests {
    @Test("the defaults are those of RELIABILITY 3")
    func defaults() {
        let values = Dictionary(uniqueKeysWithValues: LimitSetting.all.map { ($0.name, $0.value(ChatLimits())) })
        let expected: [String: Int64] =
            [
                "known_connections": 128, "file_connections": 6, "unknown_connections": 32,
                "connections_per_address": 8,
                "handshakes_per_second": 50, "handshakes_per_network": 20,
                "first_byte_seconds": 2, "hello_seconds": 3, "handshake_seconds": 10, "head_bytes": 16_384,
                "head_fields": 100,
                "frame_bytes": 65_536, "properties_bytes": 102_400, "partial_messages": 64,
                "partial_bytes": 32 << 20, "inflated_bytes": 128 << 10,
                "unpacked_before_hello": 64 << 10, "unpacked_per_second": 16 << 20, "unsent_bytes": 8 << 20,
                "messages_per_second": 20, "message_burst": 100, "waiting_requests": 1_024,
                "waiting_bytes": 16 << 20,
                "outbox_messages": 100_000, "running_files": 4, "ranges_of_a_file": 32, "idle_file_seconds": 10,
                "stored_bytes_per_day": 256 << 20, "free_bytes": 1 << 30, "free_percent": 5,
                "contact_requests": 32, "contact_requests_per_day": 10, "retry_seconds": 4,
                "private_routes": 0,
            ]
        #expect(values == expected)
    }

    @Test("every limit can be set, and only within its range", arguments: LimitSetting.all.map(\.name))
    func setting(name: String) throws {
        let setting = try #require(LimitSetting.of("limits." + name))
        for number in [setting.range.lowerBound, min(setting.range.upperBound, setting.value(ChatLimits()) + 1)] {
            let configuration = try Configuration(text: "[limits]\n\(name) = \(number)", home: nil)
            var limits = ChatLimits()
            configuration.apply(to: &limits)
            #expect(setting.value(limits) == number)
            for other in LimitSetting.all where other.name != name {
                #expect(other.value(limits) == other.value(ChatLimits()), "\(name) changes \(other.name)")
            }
        }
        let below = "\(name) = \(setting.range.lowerBound - 1)"
        let texts = [below, "\(name) = \"many\"", "\(name) = true"]
        for text in texts {
            #expect(throws: ConfigurationError.self, "\(text)") {
                try Configuration(text: "[limits]\n\(text)", home: nil)
            }
        }
    }

    @Test("sizes may be written as people do")
    func sizes() throws {
        var limits = ChatLimits()
        try Configuration(text: "[limits]\nunsent_bytes = \"2M\"", home: nil).apply(to: &limits)
        #expect(limits.network.unsentBytes == 2_000_000)
    }

    @Test("the limits of the network reach links and listeners")
    func network() {
        var limits = NetworkLimits()
        limits.knownConnections = 7
        limits.unknownConnections = 5
        limits.unknownConnectionsPerAddress = 3
        limits.handshakesPerSecond = 2
        limits.handshakesPerSecondPerNetwork = 1
        limits.firstByteTime = .seconds(4)
        limits.helloTime = .seconds(6)
        #expect(limits.admission.maxConnections == 12)
        #expect(limits.admission.maxHandshakes == 5)
        #expect(limits.admission.maxHandshakesPerAddress == 3)
        #expect(limits.admission.handshakesPerSecond == 2)
        #expect(limits.admission.handshakesPerSecondPerNetwork == 1)
        #expect(limits.admission.firstByteTime == .seconds(4) && limits.admission.helloTime == .seconds(6))
    }

    @Test("every limit stands in the document with its default")
    func document() throws {
        let text = TestFile.text(TestFile.repository + "/Docs/settings.md")
        for setting in LimitSetting.all {
            #expect(text.contains("`\(setting.name)`"), "\(setting.name) is not in Docs/settings.md")
        }
    }
}
