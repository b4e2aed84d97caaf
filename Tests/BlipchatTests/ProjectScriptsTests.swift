// The project's own net: what finds tests that do nothing, lists what was skipped, and prepares a machine.

import Glibc
import TestSupport
import Testing

@Suite("The project's scripts") struct ProjectScriptsTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Runs a script of the repository in a folder whose programs go before those of the system.
    private func run(
        _ words: [String], in folder: TemporaryDirectory, path: String? = nil, _ variables: [String: String] = [:]
    ) async throws -> (status: TestSupport.ExitStatus, output: String, errors: String) {
        var environment = ["PATH": path ?? "\(folder.path):/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
        environment.merge(variables) { $1 }
        let script = "\(Self.root)/Scripts/\(words[0])"
        let process = try ChildProcess([script] + words.dropFirst(), environment: environment, folder: folder)
        let status = try await process.waitForExit()
        return (status, process.output, process.errorOutput)
    }

    private func program(_ name: String, _ lines: String, in folder: TemporaryDirectory) throws {
        try TestFile.writeProgram("#!/bin/bash\n" + lines, to: folder.file(name))
    }

    @Test(
        "a test that leaves without having looked is found",
        arguments: [
            ("guard isInstalled else { return }\n#expect(true)", true),
            ("guard case .a(let x) = value else { return }\n#expect(x)", true),
            ("#expect(value.isRight)\nguard case .a(let x) = value else { return }\n#expect(x)", true),
            ("if cannot {\n    print(\"it cannot\")\n    return\n}\n#expect(true)", true),
            ("for disk in disks {\n    guard let disk else { return }\n    #expect(disk)\n}", true),
            ("switch value {\ncase .a: #expect(true)\ncase .b: return\n}", true),
            ("if isInstalled {\n    #expect(true)\n}", true),
            ("print(\"skipped: no disk\")\n#expect(true)", true),
            ("guard case .a(let x) = value else { throw Other() }\n#expect(x)", false),
            ("guard case .a(let x) = value else {\n    Issue.record(\"another\")\n    return\n}\n#expect(x)", false),
            ("#expect(value.isRight == isWide)\nguard isWide else { return }\n#expect(value.rest)", false),
            ("let found = ones.first { one in\n    guard one > 1 else { return false }\n    return true\n}", false),
            ("func helper() -> Int {\n    return 1\n}\n#expect(helper() == 1)", false),
            ("try await eventually(\"there\") {\n    if isThere { return true }\n    return false\n}", false),
            ("// guard isInstalled else { return }\n#expect(\"{ return }\" == text)", false),
        ])
    func silentReturns(body: String, isFound: Bool) async throws {
        let folder = try TemporaryDirectory()
        let lines = body.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
        let text = "@Suite struct Some {\n    @Test(\"it\")\n    func it() async throws {\n\(lines)\n    }\n}\n"
        try TestFile.write(text, to: folder.file("SomeTests.swift"))
        let (status, output, errors) = try await run(["check_tests.py", folder.file("SomeTests.swift")], in: folder)
        #expect(status == .exited(isFound ? 1 : 0), "\(output)\(errors)")
        #expect(output.contains("SomeTests.swift:") == isFound, "\(output)")
    }

    @Test(
        "a comparison with a sentence is found",
        arguments: [
            ("if status.text.hasPrefix(\"CONTACT REQUEST\") { end() }", true),
            ("if words == \"no such contact\" { end() }", true),
            ("guard \"gone for good\" != words else { end() }", true),
            ("switch words {\ncase \"a\", \"all of it\": end()\n}", true),
            ("if [\"at once\", \"later\"].contains(words) { end() }", true),
            ("static let hint = \"Type your name\"\nif words == Self.hint { end() }", true),
            ("if words == \"the file \\(name)\" { end() }", true),
            ("say(words == \"gone\" ? \"gone for good\" : \"still here\")", false),
            ("// if words == \"no such contact\" { end() }\nlines.append(\"no such contact\")", false),
            ("if line.hasPrefix(\"/\") || line.last == \" \" { end() }", false),
        ])
    func comparedSentences(code: String, isFound: Bool) async throws {
        let folder = try TemporaryDirectory()
        try TestFile.write(code + "\n", to: folder.file("Some.swift"))
        let (status, output, errors) = try await run(["check_words.py", folder.file("Some.swift")], in: folder)
        #expect(status == .exited(isFound ? 1 : 0), "\(output)\(errors)")
        #expect(errors.contains("Some.swift:") == isFound, "\(errors)")
    }

    @Test("what was skipped stands at the end with its reason, once, whatever becomes of the rest")
    func skipped() async throws {
        let folder = try TemporaryDirectory()
        try program(
            "tests",
            """
            echo '◇ Test "one" started.'
            echo '➜ Test "two" skipped: "zsh is not installed"'
            echo '✔ Test "one: what was skipped is not sent" passed after 0.1 seconds.'
            echo '➜ Suite "three" skipped: "needs root"'
            exit $1
            """, in: folder)
        let list = "  Suite \"three\" skipped: \"needs root\"\n  Test \"two\" skipped: \"zsh is not installed\"\n"
        let time = "  0.1 \"one: what was skipped is not sent\"\n"
        let times = "--- slowest tests, in seconds:\n"
        let alone = try await run(["run_tests.sh", folder.file("tests"), "0"], in: folder)
        #expect(alone.status == .exited(0))
        #expect(alone.output.hasSuffix("--- skipped (2):\n" + list + times + time), "\(alone.output)")
        let failed = try await run(["run_tests.sh", folder.file("tests"), "3"], in: folder)
        #expect(failed.status == .exited(3))
        #expect(failed.output.contains(list) && failed.output.contains("--- failed (exit code 3)"))
        // Several runs that make one.
        for _ in 1...2 {
            let part = try await run(
                ["run_tests.sh", folder.file("tests"), "0"], in: folder, ["BLIPCHAT_SKIPPED": folder.file("list")])
            #expect(part.status == .exited(0) && !part.output.contains("--- "))
        }
        let whole = try await run(["run_tests.sh", "--skipped", folder.file("list")], in: folder)
        #expect(whole.output == "--- skipped (2):\n" + list + times + time + time)
    }

    @Test("packages are installed before Swift is asked for its version, which may not start without them")
    func installsFirst() async throws {
        let folder = try TemporaryDirectory()
        try program("dpkg-query", "[[ -e '\(folder.path)/installed' ]] && echo -n installed; exit 0\n", in: folder)
        try program("apt-get", "touch '\(folder.path)/installed'\n", in: folder)
        try program("sudo", "exec \"$@\"\n", in: folder)
        try program(
            "swift",
            """
            [[ -e '\(folder.path)/installed' ]] || { echo 'swift: libncurses.so.6: cannot open' >&2; exit 127; }
            echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'
            """, in: folder)
        let (status, _, errors) = try await run(["install_system.sh", "swift", "build"], in: folder)
        #expect(status == .exited(0), "\(errors)")
        #expect(errors.contains("installing") && errors.contains("libncurses-dev"))
    }

    @Test("a toolchain that does not run for want of something gets what it needs, and is asked once more")
    func toolchain() async throws {
        let folder = try TemporaryDirectory()
        // Our own packages are there, those of the toolchain are not.
        try program(
            "dpkg-query",
            "[[ ${@: -1} == *-dev && ${@: -1} != libpython3-dev || -e '\(folder.path)/installed' ]] && echo -n installed\nexit 0\n",
            in: folder)
        try program("apt-get", "echo \"$@\" >'\(folder.path)/installed'\n", in: folder)
        try program("sudo", "exec \"$@\"\n", in: folder)
        try program(
            "swift",
            """
            [[ -e '\(folder.path)/installed' ]] || { echo 'swift: libxml2.so.2: cannot open' >&2; exit 127; }
            echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'
            """, in: folder)
        let good = try await run(["install_system.sh", "swift", "build"], in: folder)
        #expect(good.status == .exited(0), "\(good.errors)")
        #expect(TestFile.text(folder.file("installed")).contains("libxml2"))
        // What does not run all the same is said with its own reason.
        try program("swift", "echo 'swift: Illegal instruction' >&2; exit 4\n", in: folder)
        let bad = try await run(["install_system.sh", "swift", "build"], in: folder)
        #expect(bad.status == .exited(1) && bad.errors.contains("Illegal instruction"), "\(bad.errors)")
    }
}
