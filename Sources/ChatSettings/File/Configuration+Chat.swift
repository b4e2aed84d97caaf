// The meaning of the settings for the chat itself: from config.toml's values to a ChatConfiguration.

import BLIPNet
package import ChatCore
import ChatTUI

extension Configuration {
    /// How long conversations are kept that have no setting of their own.
    package var retentionRules: RetentionRules {
        RetentionRules(standard: keep, byName: contacts.compactMapValues(\.keep))
    }

    /// Sets everything that the file decides about the chat. Name, listener and folders depend on the command line, too,
    /// and are set by CommandContext.
    package func apply(to chat: inout ChatConfiguration) {
        chat.uploadLimit = uploadLimit > 0 ? uploadLimit : nil
        chat.downloadLimit = downloadLimit > 0 ? downloadLimit : nil
        chat.partialKeepDays = partialKeepDays > 0 ? partialKeepDays : nil
        if chat.acceptsFilesUpTo == nil { chat.acceptsFilesUpTo = standardAcceptance }
        chat.retention = retentionRules
        chat.deletesFiles = deletesFiles
        chat.sendsReceipts = screen.receipts == .send
        chat.sendsTyping = screen.sendsTyping
        chat.requiresVerified = screen.requiresVerified
        chat.hidesAddress = hidesAddress
        chat.proxy = Self.proxyChoice(proxy) ?? .direct
        do throws(RelaySetting.Problem) { chat.relays = try RelaySetting.list(reach.relay) } catch { chat.relays = [] }
        chat.reach.relayLimit = reach.relayLimit > 0 ? reach.relayLimit : nil
        chat.reach.findsNeighbours = reach.findsNeighbours
        chat.reach.mapping = reach.mapping
        chat.reach.punches = reach.punches
        chat.reach.observer = OutsideObserver(setting: reach.observer)
        chat.reach.tor = reach.tor
        chat.reach.torControl = Self.torControl(reach.torControl)
        chat.contactRules = ContactRules(
            byName: contacts.mapValues { contact in
                ContactRules.Rule(
                    sendsReceipts: contact.receipts.map { $0 == .send }, sendsTyping: contact.sendsTyping,
                    acceptsFilesUpTo: contact.acceptsFilesUpTo)
            })
        apply(to: &chat.limits)
        let maximum = Duration.seconds(reconnectMaximum)
        chat.reconnect = ReconnectPolicy(base: min(.milliseconds(500), maximum), maximum: maximum)
    }

    /// The choice in `net.proxy`: nothing, `environment`, or a proxy; `nil`: it is something else.
    static func proxyChoice(_ text: String) -> ProxyChoice? {
        switch text {
        case "": .direct
        case "environment": .environment
        default: HTTPProxy(text).map(ProxyChoice.proxy)
        }
    }

    /// The place that `reach.tor_control` names: a socket, or a port of this machine. `nil`: it is none.
    static func torControl(_ text: String) -> Endpoint? {
        switch Endpoint(text) {
        case .unix(let path) where path.utf8.first == UInt8(ascii: "/"): .unix(path: path)
        case .host(let host, let port) where ["127.0.0.1", "::1", "localhost"].contains(host) && port > 0:
            .host(host, port: port)
        default: nil
        }
    }

    /// The router may be asked by a program, where it does not understand us.
    package var runsUpnpc: Bool { reach.mapping == .on }

    /// A tor is a child of ours.
    package var startsTor: Bool { reach.tor != .off && reach.torControl.isEmpty }

    /// Files up to this size are taken without asking; `nil`: none.
    private var standardAcceptance: UInt64? {
        asksForFiles ? (acceptsFilesUpTo > 0 ? acceptsFilesUpTo : nil) : .max
    }

    /// Sets what [limits] and [net] change of the limits.
    func apply(to chatLimits: inout ChatLimits) {
        for setting in LimitSetting.all {
            if let number = limits[setting.name] { setting.apply(&chatLimits, number) }
        }
        chatLimits.network.connectTime = .seconds(connectTimeout)
        chatLimits.network.keepalive = .seconds(keepalive)
    }
}

extension ChatConfiguration {
    /// Takes calls where the process before did (`host:port`): others know that place, and it may be none for everybody.
    package mutating func goOn(at listening: String?) {
        guard let place = listening.flatMap({ Endpoint($0, defaultPort: PeerAddress.defaultPort) }) else { return }
        listen = place
        fallbackToAnyPort = true
    }
}
