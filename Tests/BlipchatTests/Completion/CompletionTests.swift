// The completion scripts, tried in the shells themselves where they are installed.

import Arguments
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct CompletionTests {
    /// Runs a command with a stub `blipchat` in PATH that knows some contacts.
    private func run(
        _ command: [String], _ directory: TemporaryDirectory, names: [String] = ["bob", "mary ann"]
    ) async throws -> String {
        let stub = directory.file("blipchat")
        try TestFile.write(names.joined(separator: "\n") + "\n", to: directory.file("names"))
        try TestFile.writeProgram("#!/bin/sh\ncat '\(directory.file("names"))'\n", to: stub)
        let process = try ChildProcess(
            command, environment: ["PATH": "\(directory.path):/usr/bin:/bin", "HOME": directory.path],
            folder: directory)
        let status = try await process.waitForExit()
        #expect(status == .exited(0), "\(process.errorOutput)")
        return process.output
    }

    private static func isInstalled(_ shell: CompletionScript.Shell) -> Bool {
        access("/usr/bin/\(shell.rawValue)", X_OK) == 0
    }

    @Test(
        "completes commands, options, contacts, files and choices in bash",
        arguments: [
            (["cont"], "contacts"), (["contacts", "ver"], "verify"),
            (["send", "--que"], "--queue"), (["send", "b"], "bob"), (["contacts", "show", "b"], "bob"),
            (["--color", "al"], "always"), (["--color", "=", "ne"], "never"),
            (["send-file", "bob", "fil"], "file.txt"),
            (["--data-dir", "x", "stat"], "status"), (["completion", "fi"], "fish"), (["history", "--si"], "--since"),
            (["send-file", "bob", "a", "b", "fil"], "file.txt"), (["--pl"], "--plain"),
            (["config", "get", "ui.edit"], "ui.edit_mode"), (["export", "--format", "h"], "html"),
        ])
    func bash(words: [String], expected: String) async throws {
        let directory = try TemporaryDirectory()
        try TestFile.write("x", to: directory.file("file.txt"))
        try TestFile.write(CompletionScript.text(for: .bash), to: directory.file("completion"))
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cd '\(directory.path)'; . ./completion; compopt() { :; }
            COMP_WORDS=(blipchat \(line)); COMP_CWORD=\(words.count); _blipchat
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let output = try await run(["bash", "-c", script], directory)
        #expect(output == expected + "\n")
    }

    @Test("what may stand there is a word each, however many there are, and no pattern")
    func bashWords() async throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.file("files"), 0o755) == 0)
        for name in ["*", "two words", "plain"] { try TestFile.write("x", to: directory.file("files/\(name)")) }
        try TestFile.write(CompletionScript.text(for: .bash), to: directory.file("completion"))
        let script = """
            cd '\(directory.path)'; . ./completion; compopt() { :; }; cd files
            for line in 'se' 'contacts accept' 'send bob --' 'send-file bob ' '--color a'; do
                read -r -a COMP_WORDS <<< "blipchat $line"
                [[ $line == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _blipchat
                printf '%s|' "${#COMPREPLY[@]}" "${COMPREPLY[@]:0:3}"; echo
            done
            """
        let lines = try await run(["bash", "-c", script], directory).split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0] == "4|send|send-file|search|" && lines[4] == "2|auto|always|")
        #expect(lines[1] == "1|accept-key|")
        #expect((Int(lines[2].split(separator: "|")[0]) ?? 0) > 10)
        #expect(Set(lines[3].split(separator: "|")) == ["3", "*", "two words", "plain"])
    }

    @Test("offers contacts quoted where the shell would split them, and nothing where nothing is known")
    func bashNames() async throws {
        let directory = try TemporaryDirectory()
        try TestFile.write(CompletionScript.text(for: .bash), to: directory.file("completion"))
        let script = """
            . '\(directory.path)/completion'
            COMP_WORDS=(blipchat send ''); COMP_CWORD=2; _blipchat; printf '%s|' "${COMPREPLY[@]}"
            COMP_WORDS=(blipchat contacts rename bob ''); COMP_CWORD=4; _blipchat; printf '%s|' "${#COMPREPLY[@]}"
            """
        #expect(try await run(["bash", "-c", script], directory) == "bob|mary\\ ann|0|")
    }

    @Test(
        "a contact's name is never run, however the word begins: what is completed is that name",
        arguments: ["$(touch pwned)", "`touch pwned`", "a;touch pwned", "O\"Neil's \\ $HOME", "* ~ {a,b}", "wow!!"],
        [nil, "\"", "'"] as [Character?])
    func hostileName(name: String, quote: Character?) async throws {
        // Not every name can stand between every kind of quotation marks.
        let isOffered = !(quote == "'" && name.contains("'")) && !(quote == "\"" && name.contains("!"))
        let directory = try TemporaryDirectory()
        let begin = quote.map { String($0) } ?? ""
        try TestFile.write(CompletionScript.text(for: .bash), to: directory.file("completion"))
        try TestFile.write(begin, to: directory.file("typed"))
        let script = """
            cd '\(directory.path)'; . ./completion
            COMP_WORDS=(blipchat send "$(cat typed)"); COMP_CWORD=2; _blipchat
            for word in "${COMPREPLY[@]}"; do eval "printf '%s|' $(cat typed)$word$(cat typed)"; done
            """
        let output = try await run(["bash", "-c", script], directory, names: [name, "bob"])
        #expect(output == (isOffered ? name + "|" : "") + "bob|")
        #expect(access(directory.file("pwned"), F_OK) != 0)
    }

    @Test("is read by zsh without a word", .enabled(if: isInstalled(.zsh), "zsh is not installed"))
    func zshSyntax() async throws { try await expectSilence(of: .zsh) }

    @Test("is read by fish without a word", .enabled(if: isInstalled(.fish), "fish is not installed"))
    func fishSyntax() async throws { try await expectSilence(of: .fish) }

    private func expectSilence(of shell: CompletionScript.Shell) async throws {
        let directory = try TemporaryDirectory()
        try TestFile.write(CompletionScript.text(for: shell), to: directory.file("script"))
        #expect(try await run([shell.rawValue, "-n", directory.file("script")], directory).isEmpty)
    }

    @Test("completes in fish", .enabled(if: isInstalled(.fish), "fish is not installed"))
    func fish() async throws {
        let directory = try TemporaryDirectory()
        let script = directory.file("script")
        try TestFile.write(CompletionScript.text(for: .fish), to: script)
        func candidates(_ line: String) async throws -> [String] {
            let output = try await run(["fish", "--no-config", "-c", ". \(script); complete -C '\(line)'"], directory)
            return output.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
        }
        #expect(try await candidates("blipchat cont") == ["contacts"])
        #expect(try await candidates("blipchat contacts ver") == ["verify"])
        #expect(try await candidates("blipchat send b").contains("bob"))
        #expect(try await candidates("blipchat send --que") == ["--queue"])
        #expect(try await candidates("blipchat --color al") == ["always"])
        // Nor the files that are there.
        #expect(Set(try await candidates("blipchat --color=")) == ["--color=auto", "--color=always", "--color=never"])
        // fish 3.6 also finds letters in the middle of a word; what is no format is offered by no version.
        #expect(try await Set(candidates("blipchat export --format s")).isSubset(of: ["json"]))
        #expect(try await candidates("blipchat export --format h") == ["html"])
        #expect(try await candidates("blipchat send-file bob \(directory.path)/scr") == [script])
    }

    @Test("has every command and every option in each script", arguments: CompletionScript.Shell.allCases)
    func complete(shell: CompletionScript.Shell) {
        let text = CompletionScript.text(for: shell)
        for command in CommandSpecification.table {
            for word in command.name.words { #expect(text.contains(word), "\(word)") }
            for option in command.options + OptionSpecification.global {
                let name = shell == .fish ? "-l \(option.name.dropFirst(2))" : option.name
                #expect(text.contains(name), "\(name)")
            }
        }
    }
}
