// What is said only once in a home.

import ChatTUI
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct ToldOnceTests {
    @Test("the advice for tmux and for GNU screen is given once each, also to the next run")
    func once() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("told")
        #expect(ToldOnce(path: path).advice(in: nil).isEmpty)
        let first = ToldOnce(path: path).advice(in: .tmux)
        #expect(first.contains { $0.contains("allow-passthrough") })
        #expect(ToldOnce(path: path).advice(in: .tmux).isEmpty)
        #expect(!ToldOnce(path: path).advice(in: .screen).isEmpty)
        #expect(ToldOnce(path: path).advice(in: .screen).isEmpty && ToldOnce(path: path).advice(in: .tmux).isEmpty)
    }

    @Test("a file that cannot be kept, or is full of something else, keeps nobody from reading the advice")
    func unusual() throws {
        let folder = try TemporaryDirectory()
        #expect(ToldOnce(path: folder.file("none/told")).isNew("tmux"))
        let full = folder.file("full")
        try TestFile.write(String(repeating: "x\n", count: 10_000), to: full)
        #expect(ToldOnce(path: full).isNew("tmux"))
        var status = stat()
        #expect(stat(full, &status) == 0 && status.st_size == 20_000)
        #expect(symlink(folder.file("elsewhere"), folder.file("link")) == 0)
        #expect(ToldOnce(path: folder.file("link")).isNew("tmux") && access(folder.file("elsewhere"), F_OK) != 0)
    }
}
