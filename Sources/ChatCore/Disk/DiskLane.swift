// Work that waits for a disk runs in a lane, on a thread of its own: neither an actor nor one of Swift's few threads
// may ever wait for a server that has gone away.

import Dispatch
import Glibc
import Synchronization

/// A line of errands for one disk, carried out one after the other. A disk that does not answer holds up its own lane:
/// whoever waits for an errand there can stop waiting, and the others never notice.
package final class DiskLane: Sendable {
    private let queue: DispatchQueue
    /// When the errand that is being carried out was begun.
    private let begun = Mutex<ContinuousClock.Instant?>(nil)
    /// The longest that a user waits where a disk does not answer.
    static let usersPatience = Duration.seconds(10)
    /// A disk that takes longer than this counts as not answering.
    private static let patience = Duration.seconds(2)

    private init(_ point: String) { queue = DispatchQueue(label: "blipchat.disk \(point)") }

    private static let lanes = Mutex<[String: DiskLane]>([:])

    /// The lane of the disk that an absolute path is on; of another path that of the working folder's disk is not known, and
    /// it is the root's.
    package static func of(_ path: String) -> DiskLane {
        let point = MountTable.current().point(of: path)
        return lanes.withLock { lanes in
            if let lane = lanes[point] { return lane }
            let lane = DiskLane(point)
            lanes[point] = lane
            return lane
        }
    }

    /// The result of `body`; `nil` when it has not come `within` a limit. A cancelled task still gets a result that
    /// comes soon, so that nothing that was done on the disk is forgotten, but waits neither long nor for a disk that
    /// does not answer. Once nobody waits, `body` is left out if its turn has not come, and its result is dropped if it
    /// has.
    package func value<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let settlement = Settlement<Value>()
        queue.async {
            guard !settlement.isSettled else { return }
            settlement.settle(self.timed(body))
        }
        if let limit { settlement.giveUp(after: limit) }
        return await withTaskCancellationHandler {
            await settlement.wait()
        } onCancel: {
            if isStuck { settlement.settle(nil) } else { settlement.giveUp(after: Self.patience) }
        }
    }

    /// Carries `body` out whatever becomes of the calling task, after the errands that the lane has already, and waits
    /// for that a few seconds at most, and not at all where the disk has not answered for so long: for things that must
    /// be cleared away.
    func clear(_ body: @escaping @Sendable () -> Void) async {
        let settlement = Settlement<Void>()
        queue.async { settlement.settle(self.timed(body)) }
        guard !isStuck else { return }
        settlement.giveUp(after: Self.patience)
        _ = await settlement.wait()
    }

    /// The disk has not answered for a while.
    var isStuck: Bool { begun.withLock { $0.map { ContinuousClock.now - $0 > Self.patience } ?? false } }

    private func timed<Value>(_ body: () -> Value) -> Value {
        begun.withLock { $0 = .now }
        defer { begun.withLock { $0 = nil } }
        return body()
    }

    /// Carries out file operations of ours on the disk of `path` (absolute).
    ///
    /// Throws what they do, or ETIMEDOUT when the disk has not answered `within` a limit, ECANCELED when the calling task was
    /// cancelled.
    static func run<Value: Sendable>(
        at path: String, within limit: Duration? = nil, _ body: @escaping @Sendable () throws(FileError) -> Value
    ) async throws(FileError) -> Value {
        let result = await of(path).value(within: limit) { Result { () throws(FileError) in try body() } }
        guard let result else {
            throw FileError(call: "wait", errno: Task.isCancelled ? ECANCELED : ETIMEDOUT, path: path)
        }
        return try result.get()
    }

    /// The same on behalf of a user.
    static func runForUser<Value: Sendable>(
        at path: String, within limit: Duration?, _ body: @escaping @Sendable () throws(FileError) -> Value
    ) async throws(ChatError) -> Value {
        do throws(FileError) { return try await run(at: path, within: limit, body) } catch { throw ChatError(error) }
    }
}
