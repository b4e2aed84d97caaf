// A pipe on which another program has set O_NONBLOCK, and a thread for calls that block.

import Glibc
import Synchronization

/// A pipe whose ends do not block, as a parent may leave them. Closed with the value.
package final class NonblockingPipe: Sendable {
    package let reading: Int32
    package let writing: Int32

    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            guard fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0 else { throw SystemFailure("fcntl") }
        }
    }

    private let isWritingOpen = Atomic(true)

    /// Once: the number may be another test's by then.
    package func closeWriting() { if isWritingOpen.exchange(false, ordering: .relaxed) { close(writing) } }

    deinit {
        close(reading)
        closeWriting()
    }

    /// Writes each part a while after the one before; then it may be the end.
    package func feed(_ parts: [String]) -> Task<Void, Never> {
        let end = dup(writing)
        return Task.detached {
            for part in parts {
                try? await Task.sleep(for: .milliseconds(30))
                _ = part.withCString { write(end, $0, strlen($0)) }
            }
            close(end)
        }
    }
}

package enum TestThread {
    /// Blocking calls belong on a thread of their own.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let start = Unmanaged.passRetained(Body { continuation.resume(returning: body()) })
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { pointer in
                    if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                    return nil
                }, start.toOpaque())
            pthread_detach(thread)
        }
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
