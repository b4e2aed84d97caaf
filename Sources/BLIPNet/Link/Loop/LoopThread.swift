// Starts the thread of an event loop.

internal import CLinux
internal import Glibc

/// A detached thread that no signal is delivered to.
enum LoopThread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// By how much the other threads of the process go first: encrypting a large file takes a processor for as long as
    /// it lasts, and whoever types must not wait for it.
    static let niceness: Int32 = 5

    /// Runs `body` on a new thread; `name` (at most 15 bytes) is what debuggers and `top -H` show.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
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
                clinux_nice_thread(LoopThread.niceness)
                start.body()
                return nil
            }, start.toOpaque())
        precondition(failure == 0, "no thread for an event loop: error \(failure)")
        pthread_detach(thread)
    }
}
