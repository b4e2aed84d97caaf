// Starts the threads of event loops.

internal import CLinux
internal import Glibc
internal import Synchronization

/// The threads on which links, channels and connections run.
package enum NetworkThreads {
    private static let steps = Atomic<Int32>(0)

    /// By how many steps the other threads of the process go first when the processors are busy, as in nice(2): 0 (as it
    /// is by itself) to 19. Encrypting a large file takes a processor for as long as it lasts, and whoever types must
    /// not wait for it. Holds for threads that begin later, so set it before the first connection.
    package static var niceness: Int {
        get { Int(steps.load(ordering: .relaxed)) }
        set { steps.store(Int32(min(max(newValue, 0), 19)), ordering: .relaxed) }
    }
}

/// A detached thread that no signal is delivered to.
package enum LoopThread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread; `name` (at most 15 bytes) is what debuggers and `top -H` show.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        precondition(begin(name: name, body), "no thread for an event loop")
    }

    /// The same where it is no disaster that the system has no thread; `false` then.
    package static func begin(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var blocked = sigset_t()
        var before = sigset_t()
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                clinux_name_thread(start.name)
                if NetworkThreads.niceness > 0 { clinux_nice_thread(Int32(NetworkThreads.niceness)) }
                start.body()
                return nil
            }, start.toOpaque())
        guard failure == 0 else {
            start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
