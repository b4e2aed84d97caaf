// System calls per MiB of a body, counted by strace(1).

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The part `systemcalls`, and the role `push` that it runs under strace.
enum SystemCallPart {
    /// Two sizes: what a process calls at its start and end is the same for both.
    private static let smallMiB = 16
    private static let largeMiB = 80

    static func run() throws {
        Report.heading("system calls per MiB of a body", "sender", "receiver")
        guard let strace = ChildProgram.find("strace") else {
            Report.note("skipped: strace is not installed")
            Report.end()
            return
        }
        for overTLS in [false, true] {
            let small = try counts(strace, overTLS, smallMiB)
            let large = try counts(strace, overTLS, largeMiB)
            guard let small, let large else {
                Report.note("skipped: strace may not trace here")
                break
            }
            let size = Double(largeMiB - smallMiB)
            let sender = difference(large.sender, small.sender)
            let receiver = difference(large.receiver, small.receiver)
            let sent = Double(sender.values.reduce(0, +)) / size
            let received = Double(receiver.values.reduce(0, +)) / size
            Report.row(
                "\(overTLS ? "TLS" : "plain"), all calls", Figure.tenths(sent), Figure.tenths(received),
                goal: .atMost(100, max(sent, received)))
            let names = Set(sender.keys).union(receiver.keys).sorted {
                (sender[$0] ?? 0) + (receiver[$0] ?? 0) > (sender[$1] ?? 0) + (receiver[$1] ?? 0)
            }
            for name in names.prefix(4) {
                Report.row(
                    "  \(name)", Figure.tenths(Double(sender[name] ?? 0) / size),
                    Figure.tenths(Double(receiver[name] ?? 0) / size))
            }
        }
        Report.end()
    }

    /// Calls by name on both sides of one body; `nil` when strace gives none.
    private static func counts(
        _ strace: String, _ overTLS: Bool, _ mebibytes: Int
    ) throws -> (sender: [String: Int], receiver: [String: Int])? {
        let folder = "/tmp/blipchat-bench-\(getpid())"
        let (senderFile, receiverFile) = (folder + ".sender", folder + ".receiver")
        defer {
            unlink(senderFile)
            unlink(receiverFile)
        }
        func wrapper(_ file: String) -> [String] { [strace, "-f", "-q", "-c", "-o", file] }
        let server = try ServerProcess.start(wrapper: wrapper(receiverFile))
        let port = overTLS ? server.tlsPort : server.plainPort
        let client = try ChildProgram.role(
            ["push", String(port), overTLS ? "tls" : "plain", String(mebibytes)], wrapper: wrapper(senderFile))
        let said = client.line()
        client.finish()
        server.stop()
        guard said == "ok" else { throw BenchmarkFailure("the body did not arrive: \(said ?? "nothing was said")") }
        let outcome = (sender: try parse(senderFile), receiver: try parse(receiverFile))
        return outcome.sender.isEmpty || outcome.receiver.isEmpty ? nil : outcome
    }

    /// The rows of `strace -c`: share, seconds, microseconds per call, calls, errors if any, name.
    private static func parse(_ path: String) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try SmallFile.read(path).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 5, let name = words.last, name != "total", let calls = Int(words[3]) else { continue }
            counts[String(name)] = calls
        }
        return counts
    }

    private static func difference(_ large: [String: Int], _ small: [String: Int]) -> [String: Int] {
        large.merging(small) { $0 - $1 }.filter { $0.value > 0 }
    }

    /// The role `push PORT tls|plain MEBIBYTES`.
    static func push(_ arguments: [String]) async throws {
        guard arguments.count == 3, let port = UInt16(arguments[0]), let mebibytes = Int(arguments[2]) else {
            throw BenchmarkFailure("push PORT tls|plain MEBIBYTES")
        }
        let link = try await ServerProcess.connect(
            port: port, identity: arguments[1] == "tls" ? try TLSIdentity.generate() : nil)
        _ = try await LinkMeasurement(link).push(mebibytes << 20)
        link.close()
        _ = await link.waitUntilClosed()
        Report.say("ok")
    }
}
