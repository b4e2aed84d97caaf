// The log of a running instance: bounded, private, one safe line each.

import CLinux
import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatHost

@Suite struct LogFileTests {
    @Test("keeps five files at most, none of them longer than its limit, the newest lines in the first")
    func rotation() async throws {
        let folder = try TemporaryDirectory()
        let log = LogFile(folder: folder.path, maximumBytes: 1_000)
        for number in 0..<500 { log.write("line \(number)", at: Timestamp(milliseconds: 0)) }
        await log.flush(within: .seconds(600))
        let names = ["blipchat.log"] + (1...4).map { "blipchat.log.\($0)" }
        var lines: [String] = []
        for name in names.reversed() {
            let text = TestFile.text(folder.file(name))
            #expect((1...1_000).contains(text.utf8.count), "\(name)")
            lines += text.split(separator: "\n").map { String($0.dropFirst(25)) }
            var status = stat()
            #expect(stat(folder.file(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(access(folder.file("blipchat.log.5"), F_OK) != 0)
        #expect(lines == (500 - lines.count..<500).map { "line \($0)" })
        // The next run goes on in the same file.
        let next = LogFile(folder: folder.path, maximumBytes: 1_000)
        next.write("one more")
        await next.flush(within: .seconds(600))
        #expect(TestFile.text(folder.file("blipchat.log")).contains("line 499"))
    }

    @Test("writes what comes from outside as one line that is safe to print")
    func safety() async throws {
        let folder = try TemporaryDirectory()
        let log = LogFile(folder: folder.path)
        log.write("eve\u{1B}]0;x\u{7}\nforged \u{202E}line")
        await log.flush(within: .seconds(600))
        let text = TestFile.text(folder.file("blipchat.log"))
        #expect(text.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x202E })
    }
}
