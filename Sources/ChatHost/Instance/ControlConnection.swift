// One end of the control socket: JSON values in both directions, each on a line of its own.

import BLIPNet
import CLinux
import Glibc

/// A connected UNIX socket that carries lines of JSON. Closes its descriptor when it goes away.
actor ControlConnection {
    /// The longest request: a draft of some pastes (1 MiB each).
    static let longestRequest = 4 * 1024 * 1024
    /// The longest reply to an attached front end: a page of such texts.
    static let longestReply = 128 * 1024 * 1024
    /// The bytes that may wait to be written to a reader that lags, before news wait, too.
    private static let maximumPending = 8 * 1024 * 1024

    private let descriptor: Int32
    private let maximumLine: Int
    /// The connection is over when the other side reads nothing for so long.
    private let patience: Duration
    private var input = LineBuffer()
    private var output: [UInt8] = []
    private var isWriting = false
    private var isBroken = false
    /// The tasks that wait until less waits to be written.
    private var drained: [CheckedContinuation<Void, Never>] = []

    /// Takes over `descriptor`, which must be non-blocking. Longer lines than `maximumLine` bytes are not read.
    init(descriptor: Int32, maximumLine: Int = longestRequest, patience: Duration = .seconds(30)) {
        self.descriptor = descriptor
        self.maximumLine = maximumLine
        self.patience = patience
    }

    deinit { close(descriptor) }

    /// The process at the other end of an attached connection is stopped, and answers only when it resumes.
    var peerIsStopped: Bool { ControlSocket.peerIsStopped(descriptor) }

    /// The next value; `nil` when the other side has closed, `timeout` has passed or the task is cancelled.
    ///
    /// Throws when the other side does not speak lines of JSON.
    func receive(timeout: Duration?) async throws(JSONError) -> JSONValue? {
        while true {
            if let line = input.next() { return try JSONReader.read(line) }
            guard input.count < maximumLine else {
                throw JSONError(reason: "a line too long", offset: input.count)
            }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &part, part.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                input.append(part[..<count])
            } else if count == 0 {
                return nil
            } else if errno == EAGAIN {
                guard await Readiness.readable.wait(on: descriptor, timeout: timeout) else { return nil }
            } else if errno != EINTR {
                return nil
            }
        }
    }

    /// Writes a value; `false` once the other side has gone or has read nothing for half a minute.
    @discardableResult
    func send(_ value: JSONValue) async -> Bool { await send(line: Self.line(value)) }

    /// The same for what comes without being asked for: while much waits for the other side, it waits, too.
    func send(inTurn value: JSONValue) async -> Bool {
        while output.count > Self.maximumPending, !isBroken {
            await withCheckedContinuation { continuation in
                // The writer may have ended before this ran.
                if isWriting { drained.append(continuation) } else { continuation.resume() }
            }
        }
        return await send(value)
    }

    /// A value as it is sent.
    static func line(_ value: JSONValue) -> [UInt8] { Array(value.text.utf8) + [UInt8(ascii: "\n")] }

    /// Writes what `line(_:)` made.
    func send(line: [UInt8]) async -> Bool {
        guard !isBroken else { return false }
        output += line
        // While one call waits for the socket, others only add to what it writes.
        guard !isWriting else { return !isBroken }
        isWriting = true
        defer {
            isWriting = false
            wakeDrained()
            // Nothing more goes out: both sides are to see that the connection is over, and begin a new one.
            if isBroken { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        while !output.isEmpty, !isBroken {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = output.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            if count >= 0 {
                output.removeFirst(count)
                if output.count <= Self.maximumPending { wakeDrained() }
            } else if errno == EAGAIN {
                if await !Readiness.writable.wait(on: descriptor, timeout: patience) { isBroken = true }
            } else if errno != EINTR {
                isBroken = true
            }
        }
        return !isBroken
    }

    private func wakeDrained() {
        for continuation in drained { continuation.resume() }
        drained = []
    }

    /// Ends the connection for both sides.
    func hangUp() {
        isBroken = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
