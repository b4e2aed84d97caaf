// One thread that watches all descriptors of the control socket. Its only own descriptor is made before the socket, so that
// a moment in which there are none left cannot end the service.

import CLinux
import ChatSettings
import Dispatch
import Glibc
import Synchronization

/// The waits of this process for descriptors, by poll(2).
///
/// Dispatch sources would do, but a reader and a writer of the same descriptor crash libdispatch for Linux (see
/// SocketPoller in BLIPNet); a thread and a pipe for each wait would need two descriptors at the worst of times.
final class ReadinessWatch: Sendable {
    private struct Wait {
        var descriptor: Int32
        var events: Int16
        var deadline: ContinuousClock.Instant?
        var isCancelled = false
        /// `nil` until its task sleeps.
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastNumber: UInt64 = 0
    }

    private static let made = Mutex<ReadinessWatch?>(nil)

    private let state = Mutex(State())
    /// An eventfd(2): readable when the waits have changed.
    private let bell: Int32

    /// The one of this process, made at the first call. Throws `EMFILE` and the like.
    static func shared() throws(SystemError) -> ReadinessWatch {
        let result = made.withLock { made -> Result<ReadinessWatch, SystemError> in
            if let made { return .success(made) }
            let bell = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
            guard bell >= 0 else { return .failure(SystemError(code: errno)) }
            let watch = ReadinessWatch(bell: bell)
            made = watch
            return .success(watch)
        }
        return try result.get()
    }

    private init(bell: Int32) {
        self.bell = bell
        DispatchQueue(label: "blipchat.readiness").async { [self] in
            while true { round() }
        }
    }

    /// As `Readiness.wait`.
    func wait(for readiness: Readiness, on descriptor: Int32, timeout: Duration?) async -> Bool {
        let events = Int16(readiness == .readable ? POLLIN : POLLOUT)
        let wait = Wait(descriptor: descriptor, events: events, deadline: timeout.map { ContinuousClock.now + $0 })
        let number = state.withLock { state in
            state.lastNumber += 1
            state.waits[state.lastNumber] = wait
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change(number) { $0.continuation = continuation }
            }
        } onCancel: {
            change(number) { $0.isCancelled = true }
        }
    }

    private func change(_ number: UInt64, _ change: (inout Wait) -> Void) {
        state.withLock { state in
            guard var wait = state.waits[number] else { return }
            change(&wait)
            state.waits[number] = wait
        }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = write(bell, &one, MemoryLayout.size(ofValue: one))
    }

    /// Watches until something happens, and wakes whoever waits for that.
    private func round() {
        let waits = state.withLock { $0.waits }
        var watched = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        var places: [Int32: Int] = [:]
        var next: ContinuousClock.Instant?
        for wait in waits.values {
            if let deadline = wait.deadline { next = min(next ?? deadline, deadline) }
            // Each descriptor once: poll(2) takes no more of them than may be open.
            if let place = places[wait.descriptor] {
                watched[place].events |= wait.events
            } else {
                places[wait.descriptor] = watched.count
                watched.append(pollfd(fd: wait.descriptor, events: wait.events, revents: 0))
            }
        }
        _ = poll(&watched, nfds_t(watched.count), next.map { Self.milliseconds($0 - .now) } ?? -1)
        var rings: UInt64 = 0
        _ = read(bell, &rings, MemoryLayout.size(ofValue: rings))
        let now = ContinuousClock.now
        let ended = state.withLock { state in
            var ended: [(CheckedContinuation<Bool, Never>, Bool)] = []
            for (number, wait) in state.waits {
                // The next round looks at one that has come meanwhile.
                guard let continuation = wait.continuation else { continue }
                let seen = waits[number] == nil ? nil : places[wait.descriptor].map { watched[$0].revents }
                let isReady = (seen ?? 0) & (wait.events | Int16(POLLERR | POLLHUP | POLLNVAL)) != 0
                guard isReady || wait.isCancelled || wait.deadline.map({ $0 <= now }) ?? false else { continue }
                state.waits[number] = nil
                ended.append((continuation, isReady && !wait.isCancelled))
            }
            return ended
        }
        for (continuation, isReady) in ended { continuation.resume(returning: isReady) }
    }

    /// Rounded up, so that a wait never ends before its time. A wait that is too long for one poll is split into parts.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return max(0, Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}
