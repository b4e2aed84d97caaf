// A proxy between two peers that breaks their connections as a script says. Its bytes go through FaultLoop.

package import BLIPNet
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Listens at one place, passes every call on to another, and lets things go wrong on the way.
package final class FaultProxy: Sendable {
    /// Gives the script of each call; calls are counted from 1. Called on the proxy's thread.
    package typealias Plan = @Sendable (Int) -> FaultScript
    /// Gets the report of each connection that has ended, on the proxy's thread.
    package typealias Observer = @Sendable (FaultReport) -> Void
    /// Sees the bytes that have gone through, with the number of their connection, on the proxy's thread: nothing moves
    /// while it looks at them. All bytes of a connection come before the report of its end.
    package typealias Witness = @Sendable (Int, Fault.Direction, ArraySlice<UInt8>) -> Void

    /// Where to call it.
    package let localEndpoint: Endpoint
    private let state: FaultProxyState

    /// Begins to listen. Throws when the address cannot be had or the target's name cannot be resolved.
    package init(
        listen endpoint: Endpoint = .host("127.0.0.1", port: 0), target: Endpoint,
        witness: Witness? = nil, observer: @escaping Observer = { _ in },
        plan: @escaping Plan = { _ in FaultScript() }
    ) throws(FaultProxyError) {
        let destination = try RawSocket.address(of: target)
        let listener = try RawSocket.listen(on: try RawSocket.address(of: endpoint))
        guard let port = listener.localPort, case .host(let host, _) = endpoint else {
            throw FaultProxyError("getsockname", errno)
        }
        localEndpoint = .host(host, port: port)
        let wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wake >= 0 else { throw FaultProxyError("eventfd", errno) }
        state = FaultProxyState(wake: wake, plan: plan, observer: observer, witness: witness)
        let state = state
        DispatchQueue(label: "blipwire.faults").async {
            FaultLoop(listener: listener, target: destination, state: state).run()
            state.ended()
        }
    }

    deinit { stop() }

    /// The connections so far, the open ones with what they have passed until now.
    package var reports: [FaultReport] { state.shared.withLock { $0.reports } }

    /// From now on calls get their scripts from `plan`.
    package func setPlan(_ plan: @escaping Plan) { state.shared.withLock { $0.plan = plan } }

    /// Closes the connections that are open now.
    package func breakAll() {
        state.shared.withLock { $0.breaks = true }
        state.awaken()
    }

    /// Closes everything, and frees the address soon.
    package func stop() {
        state.shared.withLock { $0.isStopped = true }
        state.awaken()
    }

    /// Returns when everything is closed and told.
    package func waitUntilStopped() async {
        await withCheckedContinuation { continuation in
            let isOver = state.shared.withLock { shared in
                if !shared.isOver { shared.waiters.append(continuation) }
                return shared.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}

/// The state that the proxy and its thread share.
final class FaultProxyState: Sendable {
    struct Shared {
        var plan: FaultProxy.Plan
        var reports: [FaultReport] = []
        var breaks = false
        var isStopped = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    let shared: Mutex<Shared>
    let observer: FaultProxy.Observer
    let witness: FaultProxy.Witness?
    let wake: Int32

    init(
        wake: Int32, plan: @escaping FaultProxy.Plan, observer: @escaping FaultProxy.Observer,
        witness: FaultProxy.Witness?
    ) {
        self.wake = wake
        self.observer = observer
        self.witness = witness
        shared = Mutex(Shared(plan: plan))
    }

    deinit { close(wake) }

    func ended() {
        let waiters = shared.withLock { shared in
            shared.isOver = true
            defer { shared.waiters = [] }
            return shared.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func awaken() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }
}

/// The proxy cannot begin.
package struct FaultProxyError: Error, Equatable {
    package var call: String
    package var errno: Int32

    init(_ call: String, _ errno: Int32) {
        self.call = call
        self.errno = errno
    }

    package var sentence: String { "\(call): \(String(cString: strerror(errno)))" }
}
