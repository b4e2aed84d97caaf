// What the tests of blipwire share: the real program as server and as client.

import BLIPNet
import Glibc
import TestSupport
import Testing
import Workbench

@testable import blipwire

enum BlipwireProgram {
    static let path = BuiltProgram.path("blipwire", variable: "BLIPWIRE_BINARY")

    static func start(_ arguments: [String], in folder: TemporaryDirectory) throws -> ChildProcess {
        guard let path else { throw ConditionNotMet("blipwire is built (or BLIPWIRE_BINARY points to it)") }
        return try ChildProcess(
            [path] + arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], folder: folder)
    }

    static func run(_ arguments: [String], in folder: TemporaryDirectory) async throws -> CommandOutcome {
        let process = try start(arguments, in: folder)
        let status = try await process.waitForExit(timeout: .seconds(180))
        return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
    }
}

/// How the two sides reach each other.
enum Transport: String, CaseIterable, Sendable {
    case plain, tls, unix
}

/// `blipwire serve`.
final class WorkbenchServer {
    let folder: TemporaryDirectory
    let process: ChildProcess
    /// What it says of itself.
    let record: JSONRecord

    init(_ transport: Transport, _ options: String...) async throws {
        folder = try TemporaryDirectory()
        let place = transport == .unix ? "unix:" + folder.file("socket") : "127.0.0.1:0"
        let process = try BlipwireProgram.start(
            ["serve", "--listen", place, "--json"] + (transport == .plain ? ["--insecure"] : []) + options, in: folder)
        self.process = process
        try await eventually(
            "blipwire serve is ready", state: { "\(String(describing: process.poll())) \(process.errorOutput)" }
        ) { process.output.hasSuffix("\n") }
        record = try #require(JSONRecord(parsing: Array(process.output.utf8)))
    }

    var url: String {
        get throws { try text("url") }
    }

    func text(_ name: String) throws -> String {
        guard case .string(let text) = record[name] else { throw ConditionNotMet("\(name) in \(record.text)") }
        return text
    }

    func connect(_ dialect: Dialect, handler: any BLIPRequestHandler = WorkbenchHandler()) async throws -> PeerLink {
        let url = try WebSocketURL(url)
        var options = LinkOptions(identity: url.isEncrypted ? try TLSIdentity.generate() : nil)
        options.blip = .workbench
        options.application = "blipchat_1"
        options.dialects = [dialect.value]
        return try await PeerLink.connect(to: url.endpoint, options: options, handler: handler)
    }

    /// Ends it as a person does.
    func stop() async throws {
        process.signal(SIGTERM)
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
    }
}
