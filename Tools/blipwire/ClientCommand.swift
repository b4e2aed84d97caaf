// `blipwire client`: tries every profile of a server and lets the server try ours.

internal import Arguments
internal import BLIPNet
internal import Workbench

struct ClientCommand: Command {
    static let specification = CommandSpecification<CommandName>(
        .client, operands: "URL", count: 1...1, "try every profile of a server, and let the server try ours",
        details: """
            URL is \(CallArguments.urls)
            Prints one line for each check. The exit code is 1 if any of them failed.
            """,
        options: CallArguments.options + [
            OptionSpecification("--big", value: "BYTES", "size of the big transfers; default 10000000"),
            OptionSpecification("--concurrency", value: "N", "how many echoes at once; default 100"),
            OptionSpecification("--timeout", value: "SECONDS", "how long one check may take; default 300"),
            Output.option,
        ])

    private let call: CallArguments
    private let checks: ClientChecks
    private let timeout: Duration
    private let output: Output

    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError) {
        call = try CallArguments(arguments)
        checks = ClientChecks(
            bigByteCount: try arguments.number("--big", in: 0...Int.max) ?? 10_000_000,
            concurrency: try arguments.number("--concurrency", in: 1...50_000) ?? 100)
        timeout = .seconds(try arguments.number("--timeout", in: 1...1_000_000) ?? 300)
        output = Output(isJSON: arguments.has("--json"))
    }

    func run() async throws -> ExitCode {
        let link = try await call.connect()
        let fingerprint = link.info.remoteFingerprint?.bytes.hex
        try output.say(
            "connected to \(link.info.remoteAddress)"
                + (fingerprint.map { ", fingerprint \($0)" } ?? ""),
            record: [
                "event": .string("connected"), "address": .string(link.info.remoteAddress),
                "dialect": .string(call.link.dialect.rawValue),
                "subprotocol": link.info.subprotocol.map { .string($0) } ?? .null,
                "fingerprint": fingerprint.map { .string($0) } ?? .null,
            ])
        var failures = 0
        for check in checks.all {
            let start = ContinuousClock.now
            let complaint = await self.complaint(of: check, link)
            if complaint != nil { failures += 1 }
            try output.say(
                complaint.map { "FAIL \(check.title): \($0)" } ?? "ok   \(check.title)",
                record: [
                    "event": .string("check"), "name": .string(check.name), "ok": .bool(complaint == nil),
                    "reason": complaint.map { .string($0) } ?? .null,
                    "seconds": .number((ContinuousClock.now - start).seconds),
                ])
        }
        link.close()
        _ = await link.waitUntilClosed()
        try output.say(
            failures == 0 ? "all \(checks.all.count) succeeded" : "\(failures) of \(checks.all.count) failed",
            record: [
                "event": .string("summary"), "checks": .integer(Int64(checks.all.count)),
                "failed": .integer(Int64(failures)),
            ])
        return failures == 0 ? .done : .failed
    }

    /// The complaint of a check, or `nil`. A check that takes too long is cancelled, and its requests with it.
    private func complaint(of check: ClientChecks.Check, _ link: PeerLink) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                do { return try await check.run(link) } catch {
                    return (error as? LinkError)?.sentence ?? "\(error)"
                }
            }
            group.addTask { [timeout] in
                do {
                    try await Task.sleep(for: timeout)
                    return "not done within \(timeout)"
                } catch {
                    // The check was faster.
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
