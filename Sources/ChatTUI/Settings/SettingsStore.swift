// The settings as the screen can ask for them and change them. The program keeps them in config.toml.

import ChatWords

/// Where the settings are kept. Everything that it says is words for the user.
package protocol SettingsStore: SettingNames {
    func carryOut(_ request: SettingsRequest) async -> SettingsReply
}

/// The keys and values that can be completed. Asked for when somebody completes, not at the start.
package protocol SettingNames: Sendable {
    /// All keys.
    var keys: [String] { get }
    /// The values of the keys that have few, as they are typed.
    var choices: [String: [String]] { get }
}

/// Settings that nobody keeps: tests, and front ends without a file.
struct NoSettings: SettingsStore {
    var keys: [String] { [] }
    var choices: [String: [String]] { [:] }

    func carryOut(_ request: SettingsRequest) async -> SettingsReply {
        switch request {
        case .follow: return SettingsReply([])
        default: break
        }
        return SettingsReply(["There is no configuration file here"], isError: true)
    }
}

/// A request of the user to the settings.
package enum SettingsRequest: Sendable, Equatable {
    /// Shows the present settings; of one key or section, everything.
    case show(String?)
    case set(key: String, words: String)
    /// Goes back to the default.
    case unset(key: String)
    /// A change that the user wants although it deletes messages at once.
    indirect case confirmed(SettingsRequest)
    /// Reads the file again.
    case reload
    /// Reads the file again, and says nothing: it has changed (another front end has done it, or the chat when it
    /// renamed a contact), and the chat knows.
    case follow
    case themes

    /// The key that is changed.
    var key: String? {
        switch self {
        case .set(let key, _), .unset(let key): key
        case .confirmed(let request): request.key
        case .show, .reload, .follow, .themes: nil
        }
    }
}

/// The result of a request.
package struct SettingsReply: Sendable, Equatable {
    /// As they are now; `nil`: nothing has changed.
    package var settings: ScreenSettings?
    package var theme: Theme?
    /// The words for the user.
    package var lines: [String]
    package var isError: Bool
    /// Nothing was changed, because messages would be deleted: `confirmed` does it.
    package var asks = false

    /// The answer to a change that would delete messages.
    package static let question: SettingsReply = {
        var reply = SettingsReply([
            "This deletes messages older than that from this disk at once. Enter y, or the same command again, to do it."
        ])
        reply.asks = true
        return reply
    }()

    package init(_ lines: [String], settings: ScreenSettings? = nil, theme: Theme? = nil, isError: Bool = false) {
        self.settings = settings
        self.theme = theme
        self.lines = lines
        self.isError = isError
    }
}
