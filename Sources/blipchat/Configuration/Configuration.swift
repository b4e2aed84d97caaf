// The settings of one profile: from config.toml, else the defaults. Read at start, written by the first-run page.

import BLIPNet
import ChatCore
import ChatTUI
import Glibc

/// What the user has set. `nil`: not set.
struct Configuration: Sendable, Equatable {
    /// The name that others see.
    var name: String?
    /// Where to listen.
    var listen: Endpoint?
    /// Where received files go.
    var downloads: String?
    var glyphs: Glyphs?
    /// Bytes per second of all files together; 0 is no limit.
    var uploadLimit: UInt64?
    var downloadLimit: UInt64?
    /// Accept offered files up to this many bytes without asking; 0 asks always.
    var acceptsFilesUpTo: UInt64?
    /// How many days unfinished files are kept; 0 keeps them for ever.
    var partialKeepDays: Int?
    /// How long messages are kept.
    var keep: Retention?
    /// The same for single contacts, by name.
    var keepByName: [String: Retention] = [:]

    /// What [limits] says: the values of its keys, without the section.
    var limits: [String: Int64] = [:]
    /// Seconds: the longest wait before a call is tried again, and the silence after which a peer is pinged.
    var reconnectMaximum: Int64?
    var keepalive: Int64?

    enum Glyphs: String, Sendable, CaseIterable {
        case unicode, ascii
    }

    /// Where the chat listens when nothing is set: all addresses, both families.
    static let standardListen = Endpoint.host("::", port: PeerAddress.defaultPort)

    private static let knownKeys = ownKeys + LimitSetting.all.map(\.key)
    private static let ownKeys = [
        "name", "listen", "net.limit_up", "net.limit_down", "net.reconnect_max", "net.keepalive", "files.dir",
        "files.auto_accept_max",
        "files.partial_keep_days", "ui.glyphs", "history.keep", "contact.keep",
    ]

    /// Reads the file; a missing one gives the defaults.
    static func load(from path: String, home: String?) throws(CommandError) -> Configuration {
        switch SmallFile.contents(of: path, limit: 1 << 20) {
        case .failure(let error) where error.code == ENOENT || error.code == ENOTDIR: return Configuration()
        case .failure(let error): throw .system(path, "cannot read the configuration", error.code)
        case .success(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(.usage, path, "not UTF-8 text", advice: "save it as UTF-8")
            }
            do {
                return try Configuration(text: text, home: home)
            } catch {
                throw CommandError(
                    .usage, "\(path):\(error.position.line):\(error.position.column)", error.reason,
                    advice: error.advice)
            }
        }
    }

    init() {}

    /// `home` stands for `~/` in paths.
    init(text: String, home: String?) throws(ConfigurationError) {
        for entry in try ConfigurationReader.read(text) {
            switch entry.key {
            case "name":
                let value = try Self.string(entry)
                guard (1...64).contains(value.utf8.count) else {
                    throw Self.error(entry, "the name must have 1 to 64 bytes")
                }
                name = value
            case "listen":
                guard let endpoint = Endpoint(try Self.string(entry), defaultPort: PeerAddress.defaultPort) else {
                    throw Self.error(entry, "not a place to listen", "write it like \"[::]:4985\"")
                }
                listen = endpoint
            case "files.dir":
                downloads = try Self.path(entry, home: home)
            case "net.limit_up": uploadLimit = try Self.size(entry)
            case "net.limit_down": downloadLimit = try Self.size(entry)
            case "files.auto_accept_max": acceptsFilesUpTo = try Self.size(entry)
            case "files.partial_keep_days":
                guard case .integer(let days) = entry.value, let days = Int(exactly: days), (0...36_500).contains(days)
                else { throw Self.error(entry, "not a number of days", "write 0 to 36500; 0 keeps them for ever") }
                partialKeepDays = days
            case "history.keep": keep = try Self.retention(entry)
            case "contact.keep":
                guard let contact = entry.contact else {
                    throw Self.error(entry, "whose?", "write it below [contact.\"NAME\"]")
                }
                keepByName[contact] = try Self.retention(entry)
            case "ui.glyphs":
                guard let value = Glyphs(rawValue: try Self.string(entry)) else {
                    throw Self.error(entry, "unknown glyphs", "write \"unicode\" or \"ascii\"")
                }
                glyphs = value
            case "net.reconnect_max": reconnectMaximum = try Self.seconds(entry)
            case "net.keepalive": keepalive = try Self.seconds(entry)
            default:
                guard let limit = LimitSetting.of(entry.key) else { throw Self.unknown(entry) }
                limits[limit.name] = try limit.number(of: entry)
            }
        }
    }

    /// The file's text, to be read back by `init(text:home:)`.
    var text: String {
        var lines = ["# blipchat's settings. What is not set here has its default."]
        if let name { lines.append("name = \(Self.quoted(name))") }
        if let listen { lines.append("listen = \(Self.quoted(listen.description))") }
        var net = [("limit_up", uploadLimit), ("limit_down", downloadLimit)].compactMap { key, value in
            value.map { "\(key) = \($0)" }
        }
        if let reconnectMaximum { net.append("reconnect_max = \(reconnectMaximum)") }
        if let keepalive { net.append("keepalive = \(keepalive)") }
        if !net.isEmpty { lines += ["", "[net]"] + net }
        var files = downloads.map { ["dir = \(Self.quoted($0))"] } ?? []
        if let acceptsFilesUpTo { files.append("auto_accept_max = \(acceptsFilesUpTo)") }
        if let partialKeepDays { files.append("partial_keep_days = \(partialKeepDays)") }
        if !files.isEmpty { lines += ["", "[files]"] + files }
        if let glyphs { lines += ["", "[ui]", "glyphs = \(Self.quoted(glyphs.rawValue))"] }
        if !limits.isEmpty {
            lines += ["", "[limits]"] + limits.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        }
        if let keep { lines += ["", "[history]", "keep = \(Self.text(of: keep))"] }
        for (name, keep) in keepByName.sorted(by: { $0.key < $1.key }) {
            lines += ["", "[contact.\(Self.quoted(name))]", "keep = \(Self.text(of: keep))"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Sets what [limits] and [net] change of the limits.
    func apply(to chatLimits: inout ChatLimits) {
        for setting in LimitSetting.all {
            if let number = limits[setting.name] { setting.apply(&chatLimits, number) }
        }
        if let keepalive { chatLimits.network.keepalive = .seconds(keepalive) }
    }

    func save(to path: String) throws(CommandError) {
        do {
            try SmallFile.replace(path, with: text)
        } catch {
            throw .system(path, "cannot write the configuration", error.code)
        }
    }

    /// The name for somebody who has set none: the user's login name, else the host's name.
    static func defaultName(environment: [String: String]) -> String {
        for variable in ["USER", "LOGNAME"] {
            if let name = environment[variable], (1...64).contains(name.utf8.count) { return name }
        }
        var buffer = [UInt8](repeating: 0, count: 65)
        let code = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { gethostname($0, 64) } ?? -1
        }
        guard code == 0,
            let name = String(validating: buffer.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
        else { return "me" }
        return name
    }

    // MARK: Values

    private static func string(_ entry: ConfigurationEntry) throws(ConfigurationError) -> String {
        guard case .string(let value) = entry.value else {
            throw error(entry, "\(entry.key) must be a text", "put it in quotation marks")
        }
        return value
    }

    /// A count of bytes: a whole number, or text like "500k".
    private static func size(_ entry: ConfigurationEntry) throws(ConfigurationError) -> UInt64 {
        switch entry.value {
        case .integer(let value):
            if let size = UInt64(exactly: value) { return size }
        case .string(let text):
            if let size = Units.bytes(of: text), size <= UInt64(Int64.max) { return size }
        case .bool: break
        }
        throw error(entry, "not a size", "write a number of bytes, or \"500k\", \"20M\", \"2G\"")
    }

    private static func seconds(_ entry: ConfigurationEntry) throws(ConfigurationError) -> Int64 {
        if case .integer(let seconds) = entry.value, (1...86_400).contains(seconds) { return seconds }
        throw error(entry, "not a number of seconds", "write 1 to 86400")
    }

    private static func retention(_ entry: ConfigurationEntry) throws(ConfigurationError) -> Retention {
        let text =
            switch entry.value {
            case .string(let text): text
            case .integer(let days): String(days)
            case .bool: ""
            }
        guard let retention = Retention(text) else {
            throw error(entry, "not a time to keep messages", "write \"forever\" or a number of days")
        }
        return retention
    }

    private static func text(of retention: Retention) -> String {
        retention == .forever ? "\"forever\"" : retention.text
    }

    private static func path(_ entry: ConfigurationEntry, home: String?) throws(ConfigurationError) -> String {
        let value = try string(entry)
        if value.utf8.first == UInt8(ascii: "/"), !value.utf8.contains(0) { return value }
        if value.utf8.starts(with: "~/".utf8), let home, !value.utf8.contains(0) { return home + value.dropFirst() }
        throw error(entry, "not a full path", "begin it with / or ~/")
    }

    private static func error(
        _ entry: ConfigurationEntry, _ reason: String, _ advice: String? = nil
    ) -> ConfigurationError {
        ConfigurationError(position: entry.position, reason: reason, advice: advice)
    }

    private static func unknown(_ entry: ConfigurationEntry) -> ConfigurationError {
        let nearest = NearestName.to(entry.key, among: knownKeys)
        return error(
            entry, "unknown key \(entry.key)",
            nearest.map { "did you mean \($0)?" } ?? "known are: " + knownKeys.joined(separator: ", "))
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
