// From the words of the command line to an exit code: the outermost function of the program.

import Glibc

struct Program {
    /// `words` without the program's name.
    static func run(_ words: [String], environment: [String: String]) async -> Int32 {
        var streams = StandardStreams()
        do throws(CommandError) {
            let arguments = try ArgumentParser.parse(words)
            streams.isQuiet = arguments.has("--quiet")
            streams.isVerbose = arguments.has("--verbose")
            streams.usesColor = StandardStreams.usesColor(
                arguments.text("--color"), environment, isTerminal: isatty(STDOUT_FILENO) == 1)
            streams.progressForm = arguments.text("--progress").flatMap(ProgressForm.init) ?? .auto
            let runner = CommandRunner(arguments: arguments, environment: environment, streams: streams)
            return try await runner.run().rawValue
        } catch {
            streams.report(error)
            return error.exit.rawValue
        }
    }

    /// The variables of this process. A name that stands twice keeps its first value, like in a shell.
    static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<equals])
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: equals)...]) }
            }
            next += 1
        }
        return variables
    }
}
