// Lines of standard input, where another program has set O_NONBLOCK on the pipe.

import TestSupport
import Testing

@testable import blipchat

@Suite struct DescriptorLinesTests {
    @Test("lines are read as they come; a line that has not come is not the end")
    func lines() async throws {
        let pipe = try NonblockingPipe()
        let feeding = pipe.feed(["one\n", "tw", "o\nthree\n"])
        pipe.closeWriting()
        let lines = await TestThread.run { () -> [String] in
            var lines = DescriptorLines(descriptor: pipe.reading, limit: 1000)
            var all: [String] = []
            while let line = lines.next() { all.append(line) }
            return all
        }
        await feeding.value
        #expect(lines == ["one", "two", "three"])
    }
}
