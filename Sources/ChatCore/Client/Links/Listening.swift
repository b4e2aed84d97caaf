// Where calls are taken: at the wanted port; where any port will do, that one was taken, or contacts know another one, at that
// of the last time. The port is kept in the settings of the history.

import BLIPNet

/// Belongs to one actor.
final class Listening {
    private let core: ClientCore
    private let connecting: any PeerConnecting
    /// The memory that the waiting lines of all links share.
    private let memory: WaitingMemory
    private var listener: (any PeerListening)?
    /// A fault of the listener. Everybody who watches hears it, including those who come after the start.
    private(set) var notice: ChatNotice?

    init(core: ClientCore, connecting: any PeerConnecting, memory: WaitingMemory) {
        self.core = core
        self.connecting = connecting
        self.memory = memory
    }

    /// Where we take calls; `nil` while we do not.
    var endpoint: Endpoint? { listener?.localEndpoint }

    func close() {
        listener?.close()
        listener = nil
    }

    func lastPort() async throws(ChatError) -> UInt16? {
        let text = try await core.records.stored { () async throws(StoreError) in
            try await core.store.setting(ChatClient.lastPortSetting)
        }
        return text.flatMap { UInt16($0) }
    }

    /// Takes calls. Throws only where another port is not allowed; else a notice says what became of the wanted one.
    func listen(lastPort: UInt16?) throws(LinkError) {
        guard let wanted = core.configuration.listen, core.configuration.reach.tor.allows(.door) else { return }
        var failure: LinkError?
        let isKnown = !core.links.contacts.isEmpty
        for endpoint in core.configuration.places(from: wanted, lastPort, isKnown: isKnown) where listener == nil {
            do throws(LinkError) {
                listener = try listen(on: endpoint)
            } catch {
                failure = failure ?? error
            }
        }
        guard let failure else { return }
        if let listener {
            if case .host(_, port: 0) = wanted { return }
            notice = .listensElsewhere(
                wanted: wanted.description, reason: LinkReason(failure),
                listening: listener.localEndpoint.description)
        } else {
            guard core.configuration.fallbackToAnyPort else { throw failure }
            notice = .cannotListen(endpoint: wanted.description, reason: LinkReason(failure))
        }
        if let notice { core.hub.publish(.notice(notice)) }
    }

    /// Remembers the port where nobody asked for it by number.
    func rememberPort(lastPort: UInt16?) async {
        guard let port, port != lastPort, case .host(_, let wanted)? = core.configuration.listen,
            port != wanted
        else { return }
        _ = await core.records.quietly { () async throws(StoreError) in
            try await core.store.setSetting(ChatClient.lastPortSetting, to: "\(port)")
        }
    }

    private func listen(on endpoint: Endpoint) throws(LinkError) -> any PeerListening {
        try connecting.listen(on: endpoint, accept: core.acceptance(memory, takesLanes: true))
    }

    /// Tells the listener for which networks it keeps places.
    func favourNetworks() {
        listener?.favour(networks: core.links.favoured)
    }

    /// The port at which we take calls.
    var port: UInt16? {
        guard case .host(_, let port)? = endpoint else { return nil }
        return port
    }
}

extension ChatConfiguration {
    /// The endpoints to try, in this order. A port that contacts know is kept, also when the wanted one is free by now.
    fileprivate func places(from wanted: Endpoint, _ lastPort: UInt16?, isKnown: Bool) -> [Endpoint] {
        guard case .host(let host, let port) = wanted, port == 0 || fallbackToAnyPort else {
            return [wanted]
        }
        let asked = port == 0 ? [] : [port]
        let last = lastPort.map { $0 == port ? [] : [$0] } ?? []
        return ((isKnown ? last + asked : asked + last) + [0]).map { .host(host, port: $0) }
    }
}
