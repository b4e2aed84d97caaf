// The live part of Tor: a tor that runs, our services in it, and calls through it (REACH 5).

import BLIPNet
import Synchronization

/// News of our tor for the chat.
package enum OnionNews: Sendable, Equatable {
    /// So many of 100 steps are done; with 100 others can be called.
    case started(percent: Int)
    /// Our service is there, and can be called soon.
    case added
    case announced
}

/// One tor for one identity.
struct OnionConnecting: Sendable {
    let identity: TLSIdentity
    let admission: ListenerLimits
    let tor: any TorProviding
    private let gate = OnionGate()

    init(identity: TLSIdentity, admission: ListenerLimits, tor: any TorProviding) {
        self.identity = identity
        self.admission = admission
        self.tor = tor
    }

    func route(generation: UInt32) -> Route? {
        identity.onionService(generation: generation).map { .onion(host: $0.host, port: TorCommand.port) }
    }

    /// Calls a service, by circuits that this contact alone has.
    func connect(
        _ host: String, port: UInt16, options: LinkOptions, handler: any BLIPRequestHandler
    ) async throws(LinkError) -> PeerLink {
        let (socks, name): (Endpoint, SOCKSHandshake.Name)
        do throws(OnionProblem) { (socks, name) = try gate.pass(to: host) } catch { throw .onionFailed(error) }
        return try await PeerLink.connect(
            toOnion: host, port: port, through: socks, as: name, options: options, handler: handler)
    }

    /// Runs a tor, or uses that at `control`, until it, the connection to it or the task ends; says why. With a `generation`
    /// others reach us there: `accept` decides about each caller, as with `LinkListener`.
    func serve(
        generation: UInt32?, control: Endpoint?, options: LinkOptions, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping LinkListener.Acceptance
    ) async -> OnionProblem {
        gate.close(.starting(percent: 0))
        let running: any RunningTor
        do throws(OnionProblem) { running = try await tor.start(at: control) } catch {
            gate.close(error)
            return error
        }
        let problem = await run(running, generation, options, news, accept)
        gate.runs(nil)
        await running.stop()
        gate.close(problem)
        return problem
    }

    /// Has a further service in the tor that runs, for spoken words, until that tor, the connection to it or the task
    /// ends; says why. Tor drops a service with the connection on which we asked for it, so each has one of its own.
    /// `number`: of the invitation.
    func serve(
        _ service: OnionService, ofWords number: Int, options: LinkOptions,
        news: @escaping @Sendable (OnionNews) -> Void, accept: @escaping LinkListener.Acceptance
    ) async -> OnionProblem {
        guard let running = gate.running else { return .silent }
        let door = running.door(ofWords: number)
        let listener: LinkListener
        do throws(OnionProblem) { listener = try listen(at: door, options, accept) } catch { return error }
        defer { listener.close() }
        // It is not asked to end with this connection.
        let session = TorSession(
            control: running.control,
            wish: TorControl.Wish(service: service, target: "\(listener.localEndpoint)", isOurs: false),
            cookie: { await tor.read($0) })
        return await session.run { event in
            switch event {
            case .added: news(.added)
            case .announced: news(.announced)
            case .socks, .started, .wantsCookie, .ended: break
            }
        }
    }

    /// Waits for those whom tor brings.
    private func listen(
        at door: Endpoint, _ options: LinkOptions, _ accept: @escaping LinkListener.Acceptance
    ) throws(OnionProblem) -> LinkListener {
        do throws(LinkError) {
            return try LinkListener.listen(
                on: door, isOnion: true, options: options, admission: admission, accept: accept)
        } catch {
            throw .refused(reason: "no place for its callers at \(door)")
        }
    }

    private func run(
        _ running: any RunningTor, _ generation: UInt32?, _ options: LinkOptions,
        _ news: @escaping @Sendable (OnionNews) -> Void, _ accept: @escaping LinkListener.Acceptance
    ) async -> OnionProblem {
        var service: OnionService?
        var listener: LinkListener?
        defer { listener?.close() }
        if let generation, let own = identity.onionService(generation: generation) {
            do throws(OnionProblem) { listener = try listen(at: running.door, options, accept) } catch { return error }
            service = own
        }
        do throws(OnionProblem) { try await running.waitUntilReady() } catch { return error }
        gate.runs(running)
        let door = listener?.localEndpoint ?? running.door
        let session = TorSession(
            control: running.control,
            wish: TorControl.Wish(service: service, target: "\(door)", isOurs: running.isOurs),
            cookie: { await tor.read($0) })
        var socks = running.socks
        var percent = 0
        let problem = await session.run { event in
            switch event {
            case .socks(let places):
                socks = places.lazy.compactMap { Endpoint($0) }.first
            case .started(let now): percent = now
            case .added: news(.added)
            case .announced: news(.announced)
            case .wantsCookie, .ended: break
            }
            guard case .started = event else {
                if case .socks = event, percent == 100 { open(socks, news) }
                return
            }
            if percent == 100 { open(socks, news) } else { gate.close(.starting(percent: percent)) }
            if percent < 100 { news(.started(percent: percent)) }
        }
        if let end = await running.end() { return end }
        return problem
    }

    /// Others can be called, as soon as it is known where.
    private func open(_ socks: Endpoint?, _ news: @Sendable (OnionNews) -> Void) {
        guard let socks else { return }
        gate.open(socks)
        news(.started(percent: 100))
    }
}

/// Where calls go into Tor, under which name each contact is called, and which tor that is.
private final class OnionGate: Sendable {
    private struct State {
        var socks: Result<Endpoint, OnionProblem> = .failure(.off)
        var names: [String: SOCKSHandshake.Name] = [:]
        var running: (any RunningTor)?
    }

    /// More names are not kept: who is called then gets new circuits.
    private static let mostNames = 1024
    private let state = Mutex(State())

    /// A tor whose control port can be used; `nil`: there is none.
    var running: (any RunningTor)? { state.withLock { $0.running } }

    func runs(_ tor: (any RunningTor)?) { state.withLock { $0.running = tor } }

    func open(_ socks: Endpoint) { state.withLock { $0.socks = .success(socks) } }

    func close(_ problem: OnionProblem) { state.withLock { $0.socks = .failure(problem) } }

    func pass(to host: String) throws(OnionProblem) -> (Endpoint, SOCKSHandshake.Name) {
        let result: Result<(Endpoint, SOCKSHandshake.Name), OnionProblem> = state.withLock { state in
            state.socks.map { socks in
                if let name = state.names[host] { return (socks, name) }
                if state.names.count >= Self.mostNames { state.names = [:] }
                let name = SOCKSHandshake.Name.random()
                state.names[host] = name
                return (socks, name)
            }
        }
        return try result.get()
    }
}
