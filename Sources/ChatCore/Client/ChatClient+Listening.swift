// Where calls are taken: at the wanted port; where that is taken or any port will do, at the one of the last time, which
// contacts know. The port is kept in the settings of the history.

import BLIPNet

extension ChatClient {
    /// The setting that holds the port of the last run, if any free one was taken then.
    package static let lastPortSetting = "listen.last_port"

    func lastPort() async throws(ChatError) -> UInt16? {
        let text = try await records.stored { () async throws(StoreError) in
            try await store.setting(Self.lastPortSetting)
        }
        return text.flatMap { UInt16($0) }
    }

    /// Takes calls. Throws only where another port is not allowed; else a notice says what became of the wanted one.
    func listen(lastPort: UInt16?) throws(LinkError) {
        guard let wanted = configuration.listen else { return }
        var failure: LinkError?
        for endpoint in configuration.places(from: wanted, lastPort) where listener == nil {
            do throws(LinkError) {
                listener = try listen(on: endpoint)
            } catch {
                failure = failure ?? error
            }
        }
        guard let failure else { return }
        if let listener {
            if case .host(_, port: 0) = wanted { return }
            listenNotice = .listensElsewhere(
                wanted: wanted.description, reason: LinkReason(failure),
                listening: listener.localEndpoint.description)
        } else {
            guard configuration.fallbackToAnyPort else { throw failure }
            listenNotice = .cannotListen(endpoint: wanted.description, reason: LinkReason(failure))
        }
        if let listenNotice { hub.publish(.notice(listenNotice)) }
    }

    /// Keeps the port that was not asked for by number.
    func rememberPort(lastPort: UInt16?) async {
        guard let port = listenPort, port != lastPort, case .host(_, let wanted)? = configuration.listen,
            port != wanted
        else { return }
        _ = await records.quietly { () async throws(StoreError) in
            try await store.setSetting(Self.lastPortSetting, to: "\(port)")
        }
    }

    private func listen(on endpoint: Endpoint) throws(LinkError) -> any PeerListening {
        let (limits, memory) = (configuration.limits, waitingMemory)
        return try connecting.listen(on: endpoint) { [weak self] connection in
            guard let self else { return nil }
            let router = RequestRouter(limits: limits, memory: memory)
            Task { await self.takeCall(connection, router) }
            return router
        }
    }

    /// Tells the listener for which networks it keeps places.
    func favourNetworks() {
        listener?.favour(networks: links.favoured)
    }
}

extension ChatConfiguration {
    /// What is tried, in this order.
    fileprivate func places(from wanted: Endpoint, _ lastPort: UInt16?) -> [Endpoint] {
        guard case .host(let host, let port) = wanted, port == 0 || fallbackToAnyPort else {
            return [wanted]
        }
        let ports = (port == 0 ? [] : [port]) + (lastPort.map { $0 == port ? [] : [$0] } ?? []) + [0]
        return ports.map { .host(host, port: $0) }
    }
}
