// Small files that are replaced while others do the same, and changes that wait for each other.

import Glibc
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct SmallFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is replaced by one of several writers at once, whole")
    func writers() async throws {
        let path = directory.file("file")
        let letters = ["a", "b", "c", "d"]
        func isWhole() -> Bool {
            let text = TestFile.text(path)
            return letters.contains { text == String(repeating: $0, count: 200_000) }
        }
        try SmallFile.replace(path, with: String(repeating: "a", count: 200_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for letter in letters {
                group.addTask {
                    for _ in 0..<10 { try SmallFile.replace(path, with: String(repeating: letter, count: 200_000)) }
                }
            }
            for _ in 0..<100 {
                #expect(isWhole())
                await Task.yield()
            }
            try await group.waitForAll()
        }
        #expect(isWhole())
        #expect(TestFile.permissions(path) == 0o600)
        #expect(TestFile.names(in: directory.path) == ["file"])
    }

    @Test("nothing stays beside what cannot be replaced, and nobody else's file is touched")
    func failures() throws {
        let folder = try directory.makeFolder("folder")
        #expect(throws: SystemError(code: EISDIR)) { try SmallFile.replace(folder, with: "x") }
        try TestFile.write("theirs", to: directory.file("file.blip-new"))
        try SmallFile.replace(directory.file("file"), with: "x")
        #expect(TestFile.text(directory.file("file.blip-new")) == "theirs")
        #expect(TestFile.names(in: directory.path).sorted() == ["file", "file.blip-new", "folder"])
    }

    @Test("a change of the settings waits for another process, but not for ever")
    func patience() async throws {
        var file = ConfigurationFile(paths: HomePaths(home: directory.path), home: nil)
        file.patience = .milliseconds(50)
        let name = SettingPath(typed: "name")
        try file.set(try #require(name), to: .string("x"))
        let holder = open(directory.path, O_RDONLY | O_CLOEXEC)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        do throws(CommandError) {
            _ = try file.set(typed: "name", to: "y")
            Issue.record("changed")
        } catch {
            #expect(error.exit == .localIO && error.subject == file.path)
            #expect(error.reason == "another process has locked the settings")
        }
        #expect(TestFile.text(file.path) == "name = \"x\"\n")
        file.patience = .seconds(20)
        let patient = file
        let change = Task { try patient.set(typed: "name", to: "y") }
        try await Task.sleep(for: .milliseconds(50))
        #expect(flock(holder, LOCK_UN) == 0)
        _ = try await change.value
        #expect(TestFile.text(file.path) == "name = \"y\"\n")
    }

    @Test("a folder that is not there is no folder to wait for: what was not set is not set")
    func noFolder() throws {
        let file = ConfigurationFile(paths: HomePaths(home: directory.file("nowhere")), home: nil)
        #expect(try !file.unset(typed: "name"))
        do throws(CommandError) {
            _ = try file.set(typed: "name", to: "y")
            Issue.record("written")
        } catch {
            #expect(error.reason == "cannot write the configuration: No such file or directory")
        }
    }
}
