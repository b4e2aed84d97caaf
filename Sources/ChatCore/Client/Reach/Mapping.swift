// A port of our router's that leads to ours, as long as the chat takes calls: asked for, renewed, given back (REACH 5).

import BLIPNet

/// Belongs to one actor.
final class Mapping {
    private let core: ClientCore
    private let connecting: any PeerConnecting
    private let listening: Listening
    private(set) var state = MappingState.off
    private var mapped: MappedPort?
    private var task: Task<Void, Never>?

    /// A command that is over in a moment needs no port.
    static let openingTime = Duration.seconds(1)
    /// How long a router is left alone that gives none. A change of our networks ends that.
    static let rest = Duration.seconds(900)
    /// Between two tries to renew one that lasts.
    private static let retry = Duration.seconds(60)

    init(core: ClientCore, connecting: any PeerConnecting, listening: Listening) {
        self.core = core
        self.connecting = connecting
        self.listening = listening
    }

    /// How we are reached by it.
    var route: Route? { mapped.map { .direct(host: $0.host, port: $0.port) } }

    /// Asks if that is wanted, now or once more: at the start, and when settings or networks have changed. A new network may
    /// have another router: what an earlier one has given is worth nothing where the present one is silent.
    func begin(onNewNetwork isNew: Bool = false) {
        task?.cancel()
        guard core.isRunning, core.configuration.wantsMapping, let port = port else {
            task = nil
            core.tasks.spawn { await $0.reach.mapping.end() }
            return
        }
        if mapped == nil { state = .asking }
        task = core.tasks.spawn { await $0.reach.mapping.keep(port, onNewNetwork: isNew) }
    }

    /// The port that is to be reached: none where only this machine can call it, or where it is bound to an address that the
    /// router does not know.
    private var port: UInt16? {
        guard case .host(let host, let port)? = listening.endpoint,
            LocalHost.isWildcard(host)
                || LocalHost.isNumeric(host) && !LocalHost.isLoopback(host) && !host.contains(":")
        else { return nil }
        return port
    }

    private func keep(_ port: UInt16, onNewNetwork: Bool) async {
        var isNew = onNewNetwork
        while core.isRunning, !Task.isCancelled {
            var wait = Self.rest
            do throws(MappingFailure) {
                let given = try await connecting.mapPort(
                    port, earlier: mapped, usesUPnP: core.configuration.reach.mapping == .on)
                guard core.isRunning, !Task.isCancelled else { return mapped = given }
                wait = given.lifetime / 2
                isNew = false
                note(given)
            } catch {
                guard core.isRunning, !Task.isCancelled else { return }
                if case .mapped(_, let until) = state, !isNew, core.now() < until, error == .silent {
                    wait = Self.retry
                } else {
                    note(failure: error)
                }
            }
            do { try await core.clock.wait(wait) } catch { return }
        }
    }

    private func note(_ given: MappedPort) {
        let old = route
        mapped = given
        let until = Timestamp(milliseconds: core.now().milliseconds + given.lifetime.components.seconds * 1000)
        state = .mapped(MappedPlace(host: given.host, port: given.port, way: given.way), until: until)
        if route != old { changed() }
    }

    private func note(failure: MappingFailure) {
        let old = route
        mapped = nil
        state = .failed(failure)
        if route != old { changed() }
    }

    private func changed() { core.tasks.client?.assumeIsolated { $0.reach.relays.changed() } }

    /// Gives back what we have: nobody is to reach whoever listens at our port later.
    func end() async {
        task?.cancel()
        state = .off
        guard let mapped else { return }
        self.mapped = nil
        if core.isRunning { changed() }
        await connecting.giveBack(mapped)
    }
}

extension ChatConfiguration {
    /// A user who hides their address, or calls through a proxy, does not reveal it by a port of the router either.
    fileprivate var wantsMapping: Bool {
        guard reach.mapping != .off, reach.tor.allows(.mapping), !hidesAddress else { return false }
        if case .direct = proxy { return true }
        return false
    }
}
