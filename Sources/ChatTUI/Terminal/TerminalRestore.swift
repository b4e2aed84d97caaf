// The last resort: gives the terminal back when the process exits or crashes without NcursesTerminal.stop().
// Armed and disarmed by NcursesTerminal; runs in signal handlers, so it only calls what is async-signal-safe.

import CLinux
import Glibc
import Synchronization

/// The saved state of one terminal, kept in plain C memory that a signal handler may read at any time.
@ScreenActor
enum TerminalRestore {
    /// Whether `saved` is to be used: written last when arming and first when disarming. An exit on another thread reads it, too.
    private nonisolated static let isArmed = Atomic(false)

    /// All a handler needs.
    private struct Saved {
        var input: Int32 = -1
        var output: Int32 = -1
        var mode: UnsafeMutablePointer<termios>?
        var reset: UnsafeMutablePointer<UInt8>?
        var resetCount = 0
    }

    /// Allocated once and never freed: a handler may be running at any time.
    private nonisolated(unsafe) static let saved: UnsafeMutablePointer<Saved> = {
        let memory = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
        memory.initialize(to: Saved())
        return memory
    }()
    private static var isInstalled = false

    /// The signals that end a process because of an error in it, and those that do when nobody takes them (signal(7)).
    static let fatalSignals = [
        SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
        SIGUSR1,
        SIGUSR2, SIGPWR, SIGIO, SIGSTKFLT,
    ]

    /// From now on, an exit or a crash writes `reset` to `output` and gives `input` its `mode` back.
    static func arm(input: Int32, output: Int32, mode: termios, reset: [UInt8]) {
        disarm()
        saved.pointee.reset?.deallocate()
        saved.pointee.mode?.deallocate()
        let savedMode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        savedMode.initialize(to: mode)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, reset.count))
        bytes.initialize(from: reset, count: reset.count)
        saved.pointee = Saved(
            input: input, output: output, mode: savedMode, reset: bytes, resetCount: reset.count)
        install()
        isArmed.store(true, ordering: .releasing)
    }

    /// The terminal has been given back in order; nothing is left to do.
    static func disarm() { isArmed.store(false, ordering: .releasing) }

    /// Gives the terminal back if it is still ours. Async-signal-safe.
    private nonisolated static func restore() {
        guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if let reset = saved.pointee.reset { _ = write(saved.pointee.output, reset, saved.pointee.resetCount) }
        if let mode = saved.pointee.mode { tcsetattr(saved.pointee.input, TCSANOW, mode) }
    }

    // Both run on any thread: they must not belong to the main actor.
    private nonisolated static let exitHook: @convention(c) () -> Void = { TerminalRestore.restore() }
    private nonisolated static let crashHook: @convention(c) (Int32) -> Void = { number in
        TerminalRestore.restore()
        signal(number, SIG_DFL)
        // Delivered when this handler returns, because the signal is blocked until then.
        raise(number)
    }

    /// Once per process: the exit hook, a stack of their own for the handlers (the other one may have overflowed), and
    /// the handlers, which restore and then let the signal do what it does by default.
    private static func install() {
        guard !isInstalled else { return }
        isInstalled = true
        atexit(exitHook)
        let stackSize = 1 << 16
        var stack = stack_t()
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stackSize, alignment: 16)
        stack.ss_size = stackSize
        sigaltstack(&stack, nil)
        for number in fatalSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = crashHook
            action.sa_flags = SA_ONSTACK
            sigaction(number, &action, nil)
        }
    }
}
