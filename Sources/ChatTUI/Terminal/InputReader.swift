// Waits for keys, and runs what they cause.

import CLinux
import Dispatch
import Glibc

/// Calls a handler on the screen actor whenever a descriptor has something to read, until `end()`.
///
/// The thread that waited handles it: `sync` on a queue at rest does not change threads.
@ScreenActor
final class InputReader {
    private let stopper: Stopper

    /// Begins to read. `descriptor` is duplicated, so that it may be closed whenever its owner likes.
    init(_ descriptor: Int32, onReadable: @escaping @ScreenActor () -> Void) throws(TerminalError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        var ends: [Int32] = [-1, -1]
        guard copy >= 0, pipe(&ends) == 0 else {
            let error = errno
            if copy >= 0 { close(copy) }
            throw .system(errno: error)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let stopper = Stopper(readEnd: ends[0], writeEnd: ends[1])
        self.stopper = stopper
        // A thread of dispatch: it blocks the signals, which are for the first thread of the process.
        DispatchQueue(label: "blipchat.input", qos: .userInteractive).async {
            while Self.isReadable(copy, unless: stopper) {
                ScreenActor.queue.sync {
                    ScreenActor.assumeIsolated {
                        if !stopper.hasEnded { onReadable() }
                    }
                }
            }
            close(copy)
        }
    }

    /// Nothing is read from now on.
    func end() { stopper.end() }

    /// Waits until there is something to read (or the other side has gone); false when reading has ended.
    private nonisolated static func isReadable(_ descriptor: Int32, unless stopper: Stopper) -> Bool {
        var states = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopper.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&states, 2, -1) < 0, errno == EINTR {}
        return states[1].revents == 0 && states[0].revents != 0
    }

    /// The pipe that ends the wait. Closed when nobody waits any more.
    private final class Stopper: Sendable {
        let readEnd: Int32
        private let writeEnd: Int32
        @ScreenActor private(set) var hasEnded = false

        init(readEnd: Int32, writeEnd: Int32) {
            self.readEnd = readEnd
            self.writeEnd = writeEnd
        }

        deinit {
            close(readEnd)
            close(writeEnd)
        }

        @ScreenActor func end() {
            guard !hasEnded else { return }
            hasEnded = true
            var byte: UInt8 = 0
            _ = write(writeEnd, &byte, 1)
        }
    }
}
