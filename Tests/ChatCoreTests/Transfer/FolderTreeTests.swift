// Which files of a folder are sent with it, and what is said of those that are not.

import Glibc
import TestSupport
import Testing

@testable import ChatCore

@Suite struct FolderTreeTests {
    private func read(_ directory: TemporaryDirectory, limit: Int = 1000) throws -> FolderTree {
        try #require(try FolderTree.read(directory.path + "/top", named: "top", limit: limit))
    }

    @Test("files come in the order of their paths; links and devices are only counted")
    func order() throws {
        let directory = try TemporaryDirectory()
        for folder in ["top", "top/b"] { _ = try directory.makeFolder(folder) }
        for name in ["top/c", "top/b/2", "top/b/1", "top/a"] { try TestFile.write("x", to: directory.file(name)) }
        symlink("a", directory.file("top/link"))
        mkfifo(directory.file("top/pipe"), 0o600)
        let tree = try read(directory)
        #expect(tree.files.map { "\($0.folder)/\($0.name)" } == ["top/a", "top/b/1", "top/b/2", "top/c"])
        #expect(tree.leftOut.isEmpty && tree.skipped == 2)
        #expect(try FolderTree.read(directory.path + "/top", named: "top", limit: 3) == nil)
    }

    @Test("of a tree that is too deep every file has its reason, however deep it is")
    func deep() throws {
        let directory = try TemporaryDirectory()
        var path = "top"
        _ = try directory.makeFolder(path)
        for depth in 1...200 {
            try TestFile.write("x", to: directory.file("\(path)/f\(depth)"))
            path += "/d"
            _ = try directory.makeFolder(path)
        }
        let tree = try read(directory)
        #expect(tree.files.count == FolderTree.maximumDepth)
        #expect(tree.leftOut.count == 200 - FolderTree.maximumDepth)
        #expect(tree.leftOut.allSatisfy { $0.reason == .tooDeep(limit: FolderTree.maximumDepth) })
        #expect(tree.leftOut.contains { $0.path.hasSuffix("/d/f33") })
        #expect(tree.leftOut.contains { $0.path.hasSuffix("/d/f200") })
    }

    @Test("names that are no text are named as well as can be, and nothing else is left behind for them")
    func names() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.makeFolder("top")
        try TestFile.write("x", to: directory.file("top/good"))
        let bad =
            directory.path.utf8.map { CChar(bitPattern: $0) } + "/top/b".utf8.map { CChar(bitPattern: $0) } + [-1, 0]
        let descriptor = open(bad, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        let tree = try read(directory)
        #expect(tree.files.map(\.name) == ["good"])
        #expect(tree.leftOut == [LeftOutFile(path: "top/b\u{FFFD}", reason: .nameIsNoText)])
    }

    @Test(
        "what cannot be read has the system's reason; what is beside it goes",
        .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        for folder in ["top", "top/closed"] { _ = try directory.makeFolder(folder) }
        for name in ["top/a", "top/closed/x", "top/secret"] { try TestFile.write("x", to: directory.file(name)) }
        for name in ["top/closed", "top/secret"] { #expect(chmod(directory.file(name), 0) == 0) }
        defer { chmod(directory.file("top/closed"), 0o700) }
        let tree = try read(directory)
        #expect(tree.files.map(\.name) == ["a"])
        #expect(
            tree.leftOut == [
                LeftOutFile(path: "top/closed", reason: .unreadable(errno: EACCES)),
                LeftOutFile(path: "top/secret", reason: .unreadable(errno: EACCES)),
            ])
    }
}
