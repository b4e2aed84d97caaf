// From the words of the command line to an exit code: the outermost function of the program.

import Arguments
import ChatHost
import ChatSettings
import Glibc

struct Program {
    /// Runs the program on the main thread; the process ends with it. `words` begin with the program's own name.
    static func start(_ words: [[UInt8]], environment: [[UInt8]]) {
        Task { @MainThread in exit(await run(Array(words.dropFirst()), environment: environment)) }
    }

    /// `words` without the program's name; words and variables as the system gives them, in bytes.
    static func run(_ words: [[UInt8]], environment entries: [[UInt8]]) async -> Int32 {
        var streams = StandardStreams()
        do throws(CommandError) {
            let arguments = try CommandContext.arguments(of: text(of: words))
            let environment = try environment(of: entries)
            // Also where nothing waits: a mistake is a mistake.
            _ = try arguments.seconds("--timeout")
            streams.isQuiet = arguments.has("--quiet")
            streams.isVerbose = arguments.has("--verbose")
            streams.usesColor = StandardStreams.usesColor(
                arguments.text("--color"), environment, isTerminal: isatty(STDOUT_FILENO) == 1)
            streams.progressForm = arguments.text("--progress").flatMap(ProgressForm.init) ?? .auto
            streams.isJournal = Journal.isBehind(streams.diagnostics, environment)
            if arguments.command.isFollowing { streams = streams.neverWaiting() }
            var context = CommandContext(arguments: arguments, environment: environment, streams: streams)
            // Starts the process anew, which is to find everything as it was.
            if arguments.command == .serve { try await ConfinedStart(context: context).begin(entries) }
            context.key = try KeyOpener.given(arguments)
            let code = try await CommandRow.of(arguments.command).command.init(context: context).run()
            await streams.flush()
            return code.rawValue
        } catch {
            streams.report(error)
            await streams.flush()
            return error.exit.rawValue
        }
    }

    /// The bytes of each entry in a list of C strings that ends with a null pointer, as `argv` and `environ` do.
    static func bytes(of list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        while let entry = list[entries.count] {
            entries.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
        }
        return entries
    }

    /// Repaired words would be others than the user's: another file, another message. Names of files may have any bytes.
    private static func text(of words: [[UInt8]]) throws(CommandError) -> [String] {
        var texts: [String] = []
        for word in words {
            guard let text = String(validating: word, as: UTF8.self) else {
                throw CommandError(
                    .usage, String(decoding: word, as: UTF8.self), "not UTF-8 text",
                    advice:
                        "write it in UTF-8; if a file is called that, send its content: send-file WHO - --name NAME <FILE"
                )
            }
            texts.append(text)
        }
        return texts
    }

    /// The variables of this process. A name that occurs twice keeps its first value, as in a shell. Variables that
    /// say where our files are must be text; those that do not concern us may be anything.
    private static func environment(of entries: [[UInt8]]) throws(CommandError) -> [String: String] {
        var variables: [String: String] = [:]
        for entry in entries {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            guard variables[name] == nil else { continue }
            let value = String(validating: entry[(equals + 1)...], as: UTF8.self)
            if value == nil, name == "HOME" || name.hasPrefix("BLIPCHAT_") || name.hasPrefix("XDG_") {
                throw CommandError(.usage, name, "not UTF-8 text")
            }
            variables[name] = value ?? String(decoding: entry[(equals + 1)...], as: UTF8.self)
        }
        return variables
    }
}
