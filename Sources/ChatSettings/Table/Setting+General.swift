// The settings of the chat itself: who we are, the network, files, the history, security.

import BLIPNet
package import ChatCore
import ChatTUI

extension Setting {
    static let general: [Setting] = [
        Setting(
            key: "name", form: .name,
            summary: "the name that others see",
            effect: .atOnce,
            put: { configuration, value, _ in
                guard case .string(let name) = value, ContactNames.isWellFormed(name) else { return false }
                configuration.name = name
                return true
            },
            value: { configuration, _ in configuration.name.map(ConfigurationValue.string) }),
        Setting(
            key: "listen", form: .other("an address like \"[::]:4985\""), summary: "where others can reach you",
            effect: .nextStart,
            put: { configuration, value, _ in
                guard case .string(let text) = value,
                    let endpoint = Endpoint(text, defaultPort: PeerAddress.defaultPort)
                else { return false }
                configuration.listen = endpoint
                return true
            },
            value: { configuration, _ in configuration.listen.map { .string($0.description) } }),
        number(
            "net.connect_timeout", 1...120, \.connectTimeout, "seconds before an unanswered call fails",
            .nextStart),
        number(
            "net.keepalive", 1...86_400, \.keepalive, "seconds of silence before blipchat pings a contact",
            .nextStart),
        number(
            "net.reconnect_max", 1...86_400, \.reconnectMaximum, "the most seconds between two attempts to call",
            .nextStart),
        choice("net.tls", \.tls, "encrypt links, and know contacts by the key of their certificate"),
        text(
            "net.proxy", \.proxy, form: .choice(["http://HOST:PORT", "environment", ""]),
            "the HTTP proxy for calls to others; environment: what https_proxy and no_proxy say"
        ) { Configuration.proxyChoice($0) != nil },
        size("net.limit_up", \.uploadLimit, "bytes per second for all files that you send; 0: no limit"),
        size("net.limit_down", \.downloadLimit, "bytes per second for all files that you receive; 0: no limit"),
        flag(
            "reach.lan", \.reach.findsNeighbours,
            "find contacts in this network, and be found by them (needs avahi-daemon)"),
        relay,
        size(
            "reach.relay_limit", \.reach.relayLimit,
            "bytes per second for all files that go through relays, both ways; 0: no limit"),
        choice(
            "reach.map", \.reach.mapping,
            "ask your router for a port: auto by PCP and NAT-PMP, on by UPnP as well (with upnpc), off not at all"),
        flag(
            "reach.punch", \.reach.punches,
            "open your routers for each other: you and a contact call at the same moment, as a relay lets you agree"),
        text(
            "reach.observer", \.reach.observer, form: .choice(["HOST:PORT/ID", ""]),
            "a stdiscosrv that says where your calls come out, which reach.punch needs to know"
        ) { $0.isEmpty || OutsideObserver(setting: $0) != nil },
        choice(
            "reach.tor", \.reach.tor,
            "be reached and reach others by Tor: on where nothing else leads there (needs tor), only by nothing else",
            .nextStart),
        text(
            "reach.tor_control", \.reach.torControl, form: .choice(["unix:/PATH", "127.0.0.1:PORT", ""]),
            "the control port of a tor of your own; without it blipchat starts one", .nextStart
        ) { $0.isEmpty || Configuration.torControl($0) != nil },
        Setting(
            key: "files.dir", form: .other("a full path that begins with / or ~/"), summary: "where received files go",
            effect: .atOnce,
            put: { configuration, value, context in
                guard case .string(let text) = value, let path = fullPath(text, home: context.home) else {
                    return false
                }
                configuration.downloads = path
                return true
            },
            value: { configuration, _ in configuration.downloads.map(ConfigurationValue.string) }),
        flag("files.ask", \.asksForFiles, "ask before accepting a file; false accepts every file from every contact"),
        size("files.auto_accept_max", \.acceptsFilesUpTo, "accept files up to this size without asking; 0: no file"),
        number(
            "files.partial_keep_days", 0...36_500, \.partialKeepDays,
            "days to keep unfinished files; 0: forever"),
        choice("files.hash", \.hash, "the digest for verifying files"),
        Setting(
            key: "history.keep", form: .choice(["forever"], or: .other("a number of days")),
            summary: "how long to keep messages",
            effect: .atOnce,
            put: { configuration, value, _ in
                guard let retention = retention(value) else { return false }
                configuration.keep = retention
                return true
            },
            value: { configuration, _ in retentionValue(configuration.keep) }),
        flag(
            "history.delete_files", \.deletesFiles,
            "delete received files along with messages that are too old"),
        flag(
            "security.require_verified", \.screen.requiresVerified,
            "send nothing to contacts whom you have not verified"),
        choice("security.key_change", \.keyChange, "what happens when a key changes: sending stops until you decide"),
        flag(
            "security.hide_address", \.hidesAddress, "do not tell the people you call where they can call you back"),
        flag(
            "security.sandbox", \.confinesService,
            "keep serve to its own folders, your downloads and files that are not hidden",
            .nextStart),
    ]

    /// The relays of our user's.
    private static var relay: Setting {
        var setting = text(
            "reach.relay", \.reach.relay,
            form: .other("relay://HOST:PORT/?id=ID, at most two with a space between them"),
            "your own relays: where others reach you who cannot call this machine (Docs/relay.md)"
        ) { text in
            do throws(RelaySetting.Problem) { _ = try RelaySetting.list(text) } catch { return false }
            return true
        }
        setting.advice = { value, _ in
            guard case .string(let text) = value else { return nil }
            do throws(RelaySetting.Problem) { _ = try RelaySetting.list(text) } catch {
                return error == .pool ? "that pool is for syncthing; a relay of your own: Docs/relay.md" : nil
            }
            return nil
        }
        return setting
    }

    package static let limits: [Setting] = LimitSetting.all.map { limit in
        Setting(
            key: limit.key, form: limit.form, summary: "a limit, see Docs/settings.md", effect: .nextStart,
            put: { configuration, value, _ in
                guard let number = limit.number(of: value) else { return false }
                configuration.limits[limit.name] = number
                return true
            },
            value: { configuration, _ in .integer(configuration.limits[limit.name] ?? limit.value(ChatLimits())) })
    }

    static func retention(_ value: ConfigurationValue) -> Retention? {
        switch value {
        case .string(let text): Retention(text)
        case .integer(let days): Retention(String(days))
        case .bool: nil
        }
    }

    package static func retentionValue(_ retention: Retention) -> ConfigurationValue {
        if case .days(let days) = retention { .integer(Int64(days)) } else { .string(retention.text) }
    }

    private static func fullPath(_ text: String, home: String?) -> String? {
        guard !text.utf8.contains(0) else { return nil }
        if text.utf8.first == UInt8(ascii: "/") { return text }
        if text.utf8.starts(with: "~/".utf8), let home { return home + text.dropFirst() }
        return nil
    }
}
