// The signals that ask a command of the workbench to end.

internal import Dispatch
internal import Glibc

/// SIGINT and SIGTERM as something to wait for; from its making on they do not end the process by themselves, and none
/// is lost. (Dispatch looks at signals some time after it was asked to, and what comes before is gone.)
struct EndSignal {
    private static let numbers = [SIGINT, SIGTERM]

    /// How many have come. For the handler, which may not touch anything that has a lock.
    private nonisolated(unsafe) static let arrivals: UnsafeMutablePointer<sem_t> = {
        let memory = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(memory, 0, 0)
        return memory
    }()

    init() {
        // Made before the first signal can ask for it.
        _ = Self.arrivals
        for number in Self.numbers { signal(number) { _ in sem_post(EndSignal.arrivals) } }
    }

    /// Returns when one has come; the next one ends the process again.
    func wait() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "blipwire.signals").async {
                while sem_wait(Self.arrivals) != 0, errno == EINTR {}
                continuation.resume()
            }
        }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
