// The command line of the benchmark: runs the parts one after the other, prints their tables, writes them down.

internal import BLIPNet
internal import Glibc
internal import Workbench

/// The benchmark as a command.
enum Benchmark {
    private static let usage = """
        usage: Benchmarks [--only PART[,PART...]] [--quick] [--write FILE]
               Benchmarks part PART [--quick]      one part in this very process, for a profiler
               Benchmarks sends HISTORY.sqlite     the sends of the part `history`, into this file
               Benchmarks history [--messages N] [--conversations N] [--seed N] FOLDER
                                                   makes a home with a history to try things with (a million in 200)

        Takes about ten minutes, four of them for the screen. --quick takes a few seconds for most parts; --write puts
        the tables into the first code block of a Markdown file. Parts:

        """ + BenchmarkPart.allCases.map { "  \($0.rawValue.padded(to: 14))\($0.summary)\n" }.joined()

    /// Returns the exit code.
    static func run(_ arguments: [String]) async -> Int32 {
        var words = arguments.dropFirst()
        do {
            switch words.first {
            case "server": try BenchmarkServer.run()
            case "ws-echo": try WebSocketPart.serve()
            case "push": try await SystemCallPart.push(Array(words.dropFirst()))
            case "screen-flood": try await ScreenFlood.show()
            case "idle": try await IdlePart.hold(Array(words.dropFirst()))
            case "room-member": try await RoomPart.join(Array(words.dropFirst()))
            case "history": return try await HistoryCommand.run(Array(words.dropFirst()))
            case "sends": try await SendPart.run(.full, words.dropFirst().first ?? "")
            case "part":
                let effort = words.last == "--quick" ? Effort.quick : .full
                guard let part = words.dropFirst().first.flatMap({ BenchmarkPart(rawValue: $0) }) else {
                    return misunderstood(words.dropFirst().first ?? "no part")
                }
                try await part.run(effort)
            default:
                var parts = BenchmarkPart.allCases
                var isQuick = false
                var document: String?
                while let word = words.popFirst() {
                    switch word {
                    case "--help", "-h":
                        print(usage, terminator: "")
                        return 0
                    case "--quick": isQuick = true
                    case "--write":
                        guard let path = words.popFirst() else { return misunderstood(word) }
                        document = path
                    case "--only":
                        let names = (words.popFirst() ?? "").split(separator: ",").map { String($0) }
                        parts = []
                        for name in names {
                            guard let part = BenchmarkPart(rawValue: name) else { return misunderstood(name) }
                            parts.append(part)
                        }
                        guard !parts.isEmpty else { return misunderstood(word) }
                    default: return misunderstood(word)
                    }
                }
                return try runAll(parts, isQuick: isQuick, document: document)
            }
            return 0
        } catch {
            Report.say("  failed: \(error)")
            return 1
        }
    }

    private static func misunderstood(_ word: String) -> Int32 {
        let text = "Benchmarks: `\(word)` is not understood.\n\(usage)"
        _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
        return 2
    }

    /// Each part in a process of its own. A part that fails says so and holds up no other.
    private static func runAll(_ parts: [BenchmarkPart], isQuick: Bool, document: String?) throws -> Int32 {
        var text = ""
        func say(_ line: String) {
            Report.say(line)
            text += line + "\n"
        }
        var load = [0.0]
        getloadavg(&load, 1)
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        say("two processes over loopback, \(cores) cores, load average at the start \(Figure.tenths(load[0]))")
        say("")
        var failed: [String] = []
        for part in parts {
            let process = try ChildProgram.role(["part", part.rawValue] + (isQuick ? ["--quick"] : []))
            while let line = process.line() { say(line) }
            if process.finish() != 0 { failed.append(part.rawValue) }
        }
        if let document { try write(text, into: document) }
        guard failed.isEmpty else {
            Report.say("parts that failed: \(failed.joined(separator: ", "))")
            return 1
        }
        return 0
    }

    /// Replaces the first code block of the document.
    private static func write(_ tables: String, into path: String) throws {
        let lines = try SmallFile.read(path).split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "```"), let end = lines[(start + 1)...].firstIndex(of: "```") else {
            throw BenchmarkFailure("\(path) has no code block for the tables")
        }
        var block = tables.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while block.last?.isEmpty == true { block = block.dropLast() }
        try SmallFile.write((lines[...start] + block + lines[end...]).joined(separator: "\n"), to: path)
    }
}
