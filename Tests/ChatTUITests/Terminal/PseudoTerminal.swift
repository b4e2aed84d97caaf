// A pseudo-terminal for the tests of NcursesTerminal: the test holds the master, the program under test the slave.

import CLinux
import Dispatch
import Glibc
import Synchronization
import TestSupport

/// Both ends of a pty. What the slave's side writes is read all the time, as a real terminal does.
final class PseudoTerminal: Sendable {
    let slave: Int32
    /// The path of the slave, for another process.
    let path: String
    private let master: Int32
    /// The pixels of a character; zero where the terminal does not tell.
    private let cell: (width: Int, height: Int)
    private let reader: Reader

    init?(columns: Int, rows: Int, cell: (width: Int, height: Int) = (0, 0)) {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        guard clinux_open_terminal(&ends.master, &ends.slave, Self.size(columns, rows, cell)) == 0,
            let name = TerminalProcess.name(of: ends.slave)
        else {
            return nil
        }
        (master, slave) = ends
        self.cell = cell
        path = name
        reader = Reader(master)
    }

    deinit {
        hangUp()
        close(slave)
    }

    func resize(columns: Int, rows: Int) {
        _ = clinux_set_window_size(master, Self.size(columns, rows, cell))
    }

    /// Nothing is read until it is called with `false`: a terminal that is busy, or whose user has pressed Ctrl-s.
    func hold(_ isHeld: Bool) { reader.hold(isHeld) }

    /// Presses keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// What the slave's side has written since the last call. A mark written behind it tells that all of it is here.
    func output() -> [UInt8] {
        let mark = Array("\u{1B}]mark\u{07}".utf8)
        _ = write(slave, mark, mark.count)
        return reader.take(before: mark)
    }

    /// What the slave's side has written since the last call, as far as it has come.
    func peek() -> [UInt8] { reader.peek() }

    /// The terminal goes away, as when its window is closed.
    func hangUp() { reader.stop() }

    /// The terminal mode as the slave sees it.
    func mode() -> termios? {
        withUnsafeTemporaryAllocation(of: termios.self, capacity: 1) { memory in
            guard let mode = memory.baseAddress, tcgetattr(slave, mode) == 0 else { return nil }
            return mode.pointee
        }
    }

    private static func size(_ columns: Int, _ rows: Int, _ cell: (width: Int, height: Int)) -> clinux_window_size {
        clinux_window_size(
            rows: UInt16(clamping: rows), columns: UInt16(clamping: columns),
            pixel_width: UInt16(clamping: columns * cell.width), pixel_height: UInt16(clamping: rows * cell.height))
    }
}

/// Reads the master on a thread of its own until it is stopped, then closes it.
private final class Reader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isStopped = false
        var isHeld = false
    }
    private let state = Mutex(State())
    private let finished = DispatchSemaphore(value: 0)

    init(_ master: Int32) {
        DispatchQueue(label: "pty").async { [self] in
            while !state.withLock({ $0.isStopped }) {
                var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, 10) > 0 else { continue }
                guard !state.withLock({ $0.isHeld }) else {
                    usleep(1_000)
                    continue
                }
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = read(master, &chunk, chunk.count)
                // EIO means that nobody has the slave open; the one who opened this may do so again.
                if count > 0 { state.withLock { $0.bytes += chunk.prefix(count) } } else { usleep(1_000) }
            }
            close(master)
            finished.signal()
        }
    }

    /// Waits for `mark` and takes what came before it; what there is after 60 s.
    func take(before mark: [UInt8]) -> [UInt8] {
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            let found = state.withLock { state -> [UInt8]? in
                guard state.bytes.count >= mark.count, state.bytes.suffix(mark.count).elementsEqual(mark) else {
                    return nil
                }
                defer { state.bytes = [] }
                return state.bytes.dropLast(mark.count)
            }
            if let found { return found }
            usleep(200)
        }
        return state.withLock { $0.bytes }
    }

    func peek() -> [UInt8] {
        state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes
        }
    }

    func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    func stop() {
        let wasStopped = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        if !wasStopped { finished.wait() }
    }
}
