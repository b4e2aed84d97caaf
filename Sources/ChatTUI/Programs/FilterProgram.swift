// Runs a program of the system's that reads its standard input and writes its standard output, as aspell, hunspell and upnpc
// do it. Without a shell.

import CLinux
package import Dispatch
import Glibc

/// One run of a program.
package struct FilterProgram: Sendable {
    package enum Outcome: Sendable, Equatable {
        case ended(status: Int32, output: String, errors: String)
        case notStarted(errno: Int32)
        /// It took longer than we wait, and we have ended it.
        case tookTooLong
    }

    /// More is not read.
    private static let outputLimit = 262_144

    /// The program, found by PATH, and its arguments.
    private let words: [String]
    /// It is ended when it takes longer.
    private let timeLimit: Duration

    package init(words: [String], timeLimit: Duration) {
        self.words = words
        self.timeLimit = timeLimit
    }

    /// Waits for the program on a thread of `queue`: the shared queues have one for each processor, and a program that hangs
    /// would have one of them.
    package func run(_ input: [UInt8], on queue: DispatchQueue) async -> Outcome {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: run(input)) }
        }
    }

    private func run(_ input: [UInt8]) -> Outcome {
        var pipes: [(reading: Int32, writing: Int32)] = []
        defer { for end in pipes.flatMap({ [$0.reading, $0.writing] }) where end >= 0 { close(end) } }
        for index in 0..<3 {
            var ends: [Int32] = [-1, -1]
            // The input is a socket: writing to one that nobody reads can be an error instead of a signal.
            let code = index == 0 ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
            guard code == 0 else { return .notStarted(errno: errno) }
            pipes.append((ends[0], ends[1]))
            for end in ends { _ = clinux_set_close_on_exec(end) }
        }
        let streams = ProgramStart.Streams.pipes(
            input: pipes[0].reading, output: pipes[1].writing, errors: pipes[2].writing)
        let (code, process) = ProgramStart.start(words, streams)
        guard code == 0 else { return .notStarted(errno: code) }
        // The other ends are the program's alone: when it has ended, reading ends.
        for (index, end) in [pipes[0].reading, pipes[1].writing, pipes[2].writing].enumerated() {
            close(end)
            if index == 0 { pipes[0].reading = -1 } else { pipes[index].writing = -1 }
        }
        var exchange = PipeExchange(
            input: pipes[0].writing, output: pipes[1].reading, errors: pipes[2].reading, text: input)
        pipes = []
        let isDone = exchange.run(until: .now + timeLimit, limit: Self.outputLimit)
        exchange.close()
        if !isDone { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard isDone else { return .tookTooLong }
        return .ended(
            status: status, output: String(decoding: exchange.output, as: UTF8.self),
            errors: String(decoding: exchange.errors, as: UTF8.self))
    }
}

/// The pipes of a program, moved together, so that neither side waits for the other forever.
private struct PipeExchange {
    private var descriptors: [Int32]
    private var rest: ArraySlice<UInt8>
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []

    init(input: Int32, output: Int32, errors: Int32, text: [UInt8]) {
        descriptors = [input, output, errors]
        rest = text[...]
        for descriptor in descriptors { _ = clinux_set_nonblocking(descriptor) }
    }

    /// `false` when the time is over before the program has closed what it writes to.
    mutating func run(until end: ContinuousClock.Instant, limit: Int) -> Bool {
        while descriptors[1] >= 0 || descriptors[2] >= 0 {
            let left = end - .now
            guard left > .zero else { return false }
            var polled = descriptors.enumerated().map { index, descriptor in
                pollfd(fd: descriptor, events: Int16(index == 0 ? POLLOUT : POLLIN), revents: 0)
            }
            let milliseconds = Int32(clamping: left.components.seconds * 1000 + 1)
            guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 || errno == EINTR else { return false }
            if polled[0].revents != 0 { write() }
            if polled[1].revents != 0 { output += read(1).prefix(max(0, limit - output.count)) }
            if polled[2].revents != 0 { errors += read(2).prefix(max(0, limit - errors.count)) }
        }
        return true
    }

    mutating func close() {
        for index in descriptors.indices { close(index) }
    }

    private mutating func close(_ index: Int) {
        guard descriptors[index] >= 0 else { return }
        Glibc.close(descriptors[index])
        descriptors[index] = -1
    }

    /// A program that does not read all of it is its own affair.
    private mutating func write() {
        let count = rest.withUnsafeBytes { send(descriptors[0], $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count > 0 { rest = rest.dropFirst(count) }
        if rest.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { close(0) }
    }

    /// The bytes that have come; closes the pipe at its end.
    private mutating func read(_ index: Int) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptors[index], &buffer, buffer.count)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { close(index) }
        return buffer[..<max(0, count)]
    }
}
