// Where exports go.

import ChatSettings
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite("Exports") struct ExportOutputTests {
    @Test("go to devices and through links as other programs' output does, and replace nothing but a file")
    func outputs() throws {
        let folder = try TemporaryDirectory()
        let target = folder.file("out.txt")
        func export(_ text: String, to path: String) throws {
            let output = try ExportOutput(path: path, streams: StandardStreams())
            try output.write(text)
            try output.finish()
        }
        var status = stat()
        try export("gone", to: "/dev/null")
        #expect(lstat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        #expect(throws: CommandError.self) { try export("full", to: "/dev/full") }
        // The file behind a link is replaced, and the link stays.
        let link = folder.file("link")
        try TestFile.write("old", to: target)
        symlink(target, link)
        try TestFile.write("somebody's", to: target + ".part")
        try export("new", to: link)
        #expect(TestFile.text(target) == "new")
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(TestFile.text(target + ".part") == "somebody's")
        #expect(TestFile.names(in: folder.path).count == 3)
        // What is not finished leaves nothing.
        do { try ExportOutput(path: target, streams: StandardStreams()).write("half") }
        #expect(TestFile.text(target) == "new" && TestFile.names(in: folder.path).count == 3)
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try export("through", to: pipe)
        var bytes = [UInt8](repeating: 0, count: 99)
        #expect(read(reader, &bytes, 99) == 7)
        for path in [folder.path, "/dev/null", pipe] {
            #expect(throws: CommandError.self) {
                try ExportOutput(path: path, asFile: true, streams: StandardStreams())
            }
        }
        unlink(target)
        #expect(throws: CommandError.self) { try export("nowhere", to: link) }
    }
}
