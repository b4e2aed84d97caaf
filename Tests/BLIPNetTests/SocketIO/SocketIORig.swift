// A server of python-socketio in a process of its own (Tests/Rigs/socketio_server.py).

import Glibc
import TestSupport
import Testing

@testable import BLIPNet

/// Which server: the protocols that clients of all kinds speak today.
enum SocketIOServerKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// python-socketio 5: Engine.IO 4.
    case five
    /// python-socketio 4: Engine.IO 3.
    case four

    var environment: PythonEnvironment { self == .five ? .socketIO5 : .socketIO4 }
    var revision: EngineIORevision { self == .five ? .eio4 : .eio3 }
    var testDescription: String { self == .five ? "python-socketio 5" : "python-socketio 4" }

    /// Why tests with these servers are skipped.
    static let reason = "PyPI cannot be reached, or there is no Python 3 with venv: no server of python-socketio"

    /// Whether both servers can be run.
    static var areAvailable: Bool {
        get async {
            for kind in allCases {
                guard await kind.environment.isAvailable else { return false }
            }
            return true
        }
    }
}

/// A running server.
final class SocketIORig {
    let port: UInt16
    let folder: TemporaryDirectory
    private let process: ChildProcess
    private let scheme: String

    /// `port` 0 takes any free one.
    init(
        _ kind: SocketIOServerKind, port: UInt16 = 0, identity: (certificate: String, key: String)? = nil,
        arguments: [String] = []
    ) async throws {
        guard let python = await kind.environment.python() else { throw ConditionNotMet(SocketIOServerKind.reason) }
        let folder = try TemporaryDirectory()
        self.folder = folder
        let script =
            String(#filePath.dropLast("BLIPNetTests/SocketIO/SocketIORig.swift".count)) + "Rigs/socketio_server.py"
        var command = [python, script, "--port", "\(port)"] + arguments
        if let identity {
            try TestFile.write(identity.certificate, to: folder.file("certificate.pem"))
            try TestFile.write(identity.key, to: folder.file("key.pem"))
            command += ["--certificate", folder.file("certificate.pem"), "--key", folder.file("key.pem")]
        }
        scheme = identity == nil ? "http" : "https"
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let process = try ChildProcess(command, environment: ["PATH": path], folder: folder)
        self.process = process
        self.port = try await eventuallyGet("the server listens", state: { process.errorOutput }) {
            let line = process.outputLines.first { $0.hasPrefix("port ") }
            return line.flatMap { UInt16($0.dropFirst("port ".count)) }
        }
    }

    func url(host: String = "127.0.0.1") throws -> WebSocketURL { try WebSocketURL("\(scheme)://\(host):\(port)") }

    /// What it reports of its clients, each a line of JSON.
    func reports(of what: String) -> [JSONValue] {
        process.outputLines.compactMap { try? JSONReader.read(Array($0.utf8)) }.filter {
            $0["what"]?.stringValue == what
        }
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Ends it at once, and waits for that.
    func kill() async throws {
        process.signal(SIGKILL)
        try await process.waitForExit()
    }

    /// Settings for a client of it.
    func options(_ transports: SocketIOOptions.Transports = .upgrade) throws -> SocketIOOptions {
        var options = SocketIOOptions(url: try url())
        options.transports = transports
        options.proxy = .direct
        options.reconnection.firstDelay = .milliseconds(50)
        options.reconnection.maxDelay = .milliseconds(200)
        return options
    }
}

extension SocketIOOptions.Transports {
    static let all: [Self] = [.pollingOnly, .webSocketOnly, .upgrade]
}
