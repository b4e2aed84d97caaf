// strelaysrv (Debian's syncthing-relaysrv) as somebody would run it at home: on loopback, outside of the public pool.

import Glibc

package final class RelayProgram {
    /// Whether it is installed.
    package static let isInstalled = path != nil
    /// Why a test is skipped without it.
    package static let missing = "strelaysrv is not installed (apt install syncthing-relaysrv)"

    private static let path = ["/usr/bin/strelaysrv", "/usr/local/bin/strelaysrv"].first { (path: String) in
        access(path, X_OK) == 0
    }

    private let folder: TemporaryDirectory
    private var process: ChildProcess
    package let port: UInt16
    /// The line that it prints for its users.
    package private(set) var uri = ""

    package init() async throws {
        folder = try TemporaryDirectory()
        port = try PlainServer.freePort()
        process = try Self.start(folder, port)
        try await waitUntilReady()
    }

    private static func start(_ folder: TemporaryDirectory, _ port: UInt16) throws -> ChildProcess {
        guard let path else { throw ConditionNotMet(missing) }
        return try ChildProcess(
            [
                path, "-listen=127.0.0.1:\(port)", "-pools=", "-status-srv=", "-network-timeout=60s",
                "-ping-interval=20s", "-keys=\(folder.path)",
            ], environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder)
    }

    private func waitUntilReady() async throws {
        uri = try await eventuallyGet("the relay says where it is", state: { process.errorOutput }) {
            (process.output + process.errorOutput).split { $0 == " " || $0 == "\n" }.map(String.init).first {
                $0.hasPrefix("relay://")
            }
        }
    }

    /// Ends it: its sessions and everybody who has joined are cut off.
    package func stop() async throws {
        process.signal(SIGKILL)
        try await process.waitForExit()
    }

    /// Starts it again at the same place, with the same key.
    package func startAgain() async throws {
        process = try Self.start(folder, port)
        try await waitUntilReady()
    }
}
