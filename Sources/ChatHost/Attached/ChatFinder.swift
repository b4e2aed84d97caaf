// Finds the process that runs the chat of a home, for a command: another one, or else this one.

package import ChatSettings
import Glibc

/// A command's needs of the chat that it asks.
package struct ChatFinder: Sendable {
    let paths: HomePaths
    /// The question concerns other people: a chat of this process calls them.
    var concernsPeers = true
    /// It ends with the chat, where nobody continues that.
    var endsWithChat = false
    /// The command waits while the chat runs only for another command's moment.
    var needsLongChat = false
    /// How long the command waits for a chat that starts, ends or is busy.
    var limit: Duration
    /// Another process runs the chat.
    let attached: @Sendable () -> Void
    /// Starts the chat in this process; it shall take calls where the ended one did, which the text says.
    let start: @Sendable (String?) async throws(CommandError) -> ChatInstance

    package init(
        paths: HomePaths, concernsPeers: Bool = true, endsWithChat: Bool = false, needsLongChat: Bool = false,
        limit: Duration, attached: @escaping @Sendable () -> Void,
        start: @escaping @Sendable (String?) async throws(CommandError) -> ChatInstance
    ) {
        self.paths = paths
        self.concernsPeers = concernsPeers
        self.endsWithChat = endsWithChat
        self.needsLongChat = needsLongChat
        self.limit = limit
        self.attached = attached
        self.start = start
    }

    package enum Found: Sendable {
        case attached(AttachedService.Found)
        case own(ChatInstance)
    }

    /// How long a home is left free for a service that is restarted: systemd does it after 100 ms.
    private static let successorTime = Duration.milliseconds(300)

    /// The process that runs the chat now; where none does, the chat starts here.
    ///
    /// `afterEnd`: another one, which took calls at `listening`, ends or has just ended. A service that is restarted
    /// goes before us, because it could not start while we wait. Throws 9 when another process holds the home for
    /// longer than `limit`, and the errors of the start.
    package func find(afterEnd: Bool = false, at listening: String? = nil) async throws(CommandError) -> Found {
        // When the home has first been seen free.
        var free: ContinuousClock.Instant?
        let last = ContinuousClock.now + limit
        while true {
            if let found = try await AttachedService.find(at: paths.socket, as: .command(self)) {
                attached()
                return .attached(found)
            }
            let isFree = !afterEnd || isLeftFree(since: &free)
            if isFree || last <= .now {
                do throws(CommandError) { return .own(try await start(listening)) } catch {
                    // Another process holds the home but is of no use: it starts, ends, or changes the history alone.
                    guard error.isAlreadyRunning, ContinuousClock.now < last else { throw error }
                }
            }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .instanceGone }
        }
    }

    /// It may take seconds to say goodbye to those who do not answer.
    private func isLeftFree(since free: inout ContinuousClock.Instant?) -> Bool {
        free = InstanceLock.holder(path: paths.lock) == nil ? free ?? .now : nil
        return free.map { ContinuousClock.now - $0 >= Self.successorTime } ?? false
    }
}
