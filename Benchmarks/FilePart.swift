// One large file over loopback: blipchat to blipchat beside what people use to copy files, all with checks and on one disk.

internal import Glibc
internal import TestSupport
internal import Workbench

/// The part `files`.
enum FilePart {
    static func run(_ effort: Effort) async throws {
        guard let program = BlipchatProgram.path else {
            Report.note("the file transfer is left out: blipchat is not built beside the benchmarks")
            return
        }
        let folder = try TemporaryDirectory(in: "/var/tmp")
        let size = effort.bodyByteCount
        let source = folder.file("source.bin")
        try TestFile.generate(source, size: size)
        Report.heading("one file of \(size >> 20) MiB, seconds", "best", "MB per second")
        let pair = try await BlipchatPair(program: program, folder: folder)
        let rivals: [any FileTool] = [
            SecureCopyTool(name: "scp", folder: folder), SecureCopyTool(name: "rsync", folder: folder),
            WormholeTool(folder: folder),
        ]
        var best: [String: Double] = [:]
        let rounds = effort.samples > 1_000 ? 3 : 1
        var skipped: [String] = []
        for round in 0..<rounds {
            best["blipchat"] = min(best["blipchat"] ?? .infinity, try await pair.copy(source, round: round))
            for tool in rivals {
                if let problem = try await tool.prepare() {
                    if round == 0 { skipped.append("\(tool.name) is left out: \(problem)") }
                    continue
                }
                let target = folder.file("\(tool.name)-\(round).bin")
                best[tool.name] = min(best[tool.name] ?? .infinity, try await tool.copy(source, to: target))
                unlink(target)
            }
        }
        try await pair.stop()
        for tool in rivals { tool.stop() }
        let own = best["blipchat"] ?? .infinity
        Report.row("blipchat send-file", Figure.tenths(own), Figure.whole(Double(size) / own / 1e6))
        for tool in rivals {
            guard let time = best[tool.name] else { continue }
            Report.row(
                tool.title, Figure.tenths(time), Figure.whole(Double(size) / time / 1e6),
                goal: .below(100, own / time * 100, unit: " % of it"))
        }
        for sentence in skipped { Report.note(sentence) }
        Report.end()
    }
}

/// Two blipchats that know each other; one accepts files of any size.
private final class BlipchatPair {
    private let program: String
    private let folder: TemporaryDirectory
    private let receiver: ChildProcess
    private let sender: ChildProcess

    init(program: String, folder: TemporaryDirectory) async throws {
        self.program = program
        self.folder = folder
        receiver = try Self.start(program, folder, "receiver", ["--accept-requests", "--accept-files", "100G"])
        sender = try Self.start(program, folder, "sender", ["--accept-requests"])
        for process in [receiver, sender] {
            try await eventually("listening") { process.output.contains("listening") }
        }
        let id = try await run("receiver", ["id"])
        let address = id.output.split(separator: "\n").first.flatMap { String($0) } ?? ""
        _ = try await run("sender", ["contacts", "add", address, "--name", "receiver"])
        _ = try await run("sender", ["send", "receiver", "ready?", "--timeout", "30"])
    }

    private static func environment(_ folder: TemporaryDirectory, _ name: String) -> [String: String] {
        [
            "BLIPCHAT_HOME": folder.file(name), "USER": name, "HOME": folder.path, "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        ]
    }

    private static func start(
        _ program: String, _ folder: TemporaryDirectory, _ name: String, _ options: [String]
    ) throws -> ChildProcess {
        try ChildProcess(
            [program, "serve", "--listen", "127.0.0.1:0"] + options, environment: environment(folder, name),
            folder: folder)
    }

    private func run(_ name: String, _ arguments: [String]) async throws -> ChildProcess {
        let process = try ChildProcess(
            [program] + arguments, environment: Self.environment(folder, name), folder: folder)
        guard try await process.waitForExit(timeout: .seconds(300)) == .exited(0) else {
            throw BenchmarkFailure("blipchat \(arguments.joined(separator: " ")): \(process.errorOutput)")
        }
        return process
    }

    /// From the command to its end: offered, transferred, verified, synced, renamed.
    func copy(_ source: String, round: Int) async throws -> Double {
        let start = ContinuousClock.now
        _ = try await run("sender", ["send-file", "receiver", source, "--name", "copy-\(round).bin"])
        let time = (ContinuousClock.now - start).seconds
        unlink(folder.file("receiver/downloads/copy-\(round).bin"))
        return time
    }

    func stop() async throws {
        for process in [sender, receiver] {
            process.signal(SIGTERM)
            _ = try await process.waitForExit()
        }
    }
}

/// A program that copies files.
private protocol FileTool: AnyObject {
    var name: String { get }
    var title: String { get }
    /// Makes it ready once; a sentence when it cannot be used here.
    func prepare() async throws -> String?
    /// Copies and returns the seconds that it took.
    func copy(_ source: String, to target: String) async throws -> Double
    func stop()
}

/// scp, and rsync over ssh, to a server of our own on loopback.
private final class SecureCopyTool: FileTool {
    let name: String
    private let folder: TemporaryDirectory
    private let port = UInt16.random(in: 20_000...29_999)
    private var server: ChildProcess?
    private var problem: String?

    init(name: String, folder: TemporaryDirectory) {
        self.name = name
        self.folder = folder
    }

    var title: String { name == "scp" ? "scp" : "rsync over ssh" }

    func prepare() async throws -> String? {
        if server != nil || problem != nil { return problem }
        problem = try await start()
        return problem
    }

    private func start() async throws -> String? {
        let places: [String] = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
        guard let daemon = places.first(where: { access($0, X_OK) == 0 }) else {
            return "sshd is not installed (Debian package openssh-server)"
        }
        guard ChildProgram.find(name) != nil else { return "\(name) is not installed" }
        for key in ["host", "user"] where access(folder.file("\(key)-key"), F_OK) != 0 {
            let made = try ChildProcess(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.file("\(key)-key")],
                environment: environment, folder: folder)
            guard try await made.waitForExit() == .exited(0) else { return "ssh-keygen makes no key" }
        }
        // sshd wants this folder when root runs it.
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
        server = try ChildProcess(
            [
                daemon, "-D", "-e", "-f", "/dev/null", "-p", "\(port)", "-h", folder.file("host-key"),
                "-o", "ListenAddress=127.0.0.1", "-o", "AuthorizedKeysFile=\(folder.file("user-key.pub"))",
                "-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PidFile=none", "-o", "PasswordAuthentication=no",
                "-o", "Subsystem=sftp internal-sftp",
            ], environment: environment, folder: folder)
        let probe = ["ssh"] + options(port: "-p") + ["127.0.0.1", "true"]
        let end = ContinuousClock.now + .seconds(15)
        while ContinuousClock.now < end {
            let process = try ChildProcess(probe, environment: environment, folder: folder)
            if try await process.waitForExit() == .exited(0) { return nil }
            try await Task.sleep(for: .milliseconds(200))
        }
        return "sshd lets nobody in here: \(server?.errorOutput.split(separator: "\n").last ?? "")"
    }

    private var environment: [String: String] {
        ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
    }

    private func options(port flag: String) -> [String] {
        [
            flag, "\(port)", "-i", folder.file("user-key"), "-o", "StrictHostKeyChecking=no", "-o",
            "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes",
        ]
    }

    func copy(_ source: String, to target: String) async throws -> Double {
        let command =
            name == "scp"
            ? ["scp", "-q"] + options(port: "-P") + [source, "127.0.0.1:\(target)"]
            : [
                "rsync", "--whole-file", "--fsync", "-e", "ssh " + options(port: "-p").joined(separator: " "), source,
                "127.0.0.1:\(target)",
            ]
        let start = ContinuousClock.now
        let process = try ChildProcess(command, environment: environment, folder: folder)
        guard try await process.waitForExit(timeout: .seconds(300)) == .exited(0) else {
            throw BenchmarkFailure("\(name): \(process.errorOutput)")
        }
        // scp leaves the bytes in memory; blipchat and rsync --fsync do not.
        if name == "scp" {
            let descriptor = open(target, O_RDONLY)
            fsync(descriptor)
            close(descriptor)
        }
        return (ContinuousClock.now - start).seconds
    }

    func stop() { server?.signal(SIGTERM) }
}

/// magic-wormhole with a mailbox server of our own and without a relay, in a network namespace that has a loopback and
/// nothing else: it would use any other address of this machine.
private final class WormholeTool: FileTool {
    let name = "wormhole"
    var title: String { "magic-wormhole" }
    private let folder: TemporaryDirectory
    private let port = UInt16.random(in: 30_000...31_999)
    private var server: ChildProcess?
    private var problem: String?
    private var round = 0

    init(folder: TemporaryDirectory) { self.folder = folder }

    func prepare() async throws -> String? {
        if server != nil || problem != nil { return problem }
        problem = try await start()
        return problem
    }

    private func start() async throws -> String? {
        guard ChildProgram.find("wormhole") != nil else {
            return "wormhole is not installed (Debian package magic-wormhole)"
        }
        guard let twist = ["twist3", "twist"].first(where: { ChildProgram.find($0) != nil }) else {
            return "its mailbox server is not installed (Debian package python3-magic-wormhole-mailbox-server)"
        }
        for tool in ["unshare", "nsenter", "ip"] where ChildProgram.find(tool) == nil {
            return "\(tool) is not installed, which keeps it on loopback"
        }
        let command =
            "ip link set lo up && exec \(twist) wormhole-mailbox --port tcp:\(port):interface=127.0.0.1 "
            + "--channel-db \(folder.file("mailbox.sqlite"))"
        server = try ChildProcess(
            ["unshare", "--net"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + ["sh", "-c", command],
            environment: environment, folder: folder)
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if server?.poll() != nil { break }
            if (server?.output ?? "").contains("starting on \(port)") { return nil }
            try await Task.sleep(for: .milliseconds(100))
        }
        return "its mailbox server does not start: \(server?.errorOutput.split(separator: "\n").last ?? "")"
    }

    private var environment: [String: String] {
        ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
    }

    /// Both ends are started at once; the time is that of the receiver, which writes the file.
    func copy(_ source: String, to target: String) async throws -> Double {
        round += 1
        let namespace =
            ["nsenter", "--target", "\(server?.processID ?? 0)", "--net"]
            + (geteuid() == 0 ? [] : ["--user", "--preserve-credentials"])
        let common = namespace + ["wormhole", "--relay-url", "ws://127.0.0.1:\(port)/v1", "--transit-helper", ""]
        let code = "\(round)-\(Int.random(in: 100_000...999_999))-loopback"
        let start = ContinuousClock.now
        let sender = try ChildProcess(
            common + ["send", "--hide-progress", "--code", code, source], environment: environment, folder: folder)
        let receiver = try ChildProcess(
            common + ["receive", "--hide-progress", "--accept-file", "-o", target, code], environment: environment,
            folder: folder)
        guard try await receiver.waitForExit(timeout: .seconds(300)) == .exited(0) else {
            throw BenchmarkFailure("wormhole: \(receiver.errorOutput) \(sender.errorOutput)")
        }
        let descriptor = open(target, O_RDONLY)
        fsync(descriptor)
        close(descriptor)
        let time = (ContinuousClock.now - start).seconds
        _ = try await sender.waitForExit(timeout: .seconds(60))
        return time
    }

    func stop() { server?.signal(SIGTERM) }
}
