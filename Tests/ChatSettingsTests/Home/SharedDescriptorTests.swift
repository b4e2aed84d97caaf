// A pipe on which another program has set O_NONBLOCK: what comes through it later is waited for.

import Glibc
import TestSupport
import Testing

@testable import ChatSettings

@Suite struct SharedDescriptorTests {
    @Test("everything that comes is read, up to the end")
    func contents() async throws {
        let pipe = try NonblockingPipe()
        let feeding = pipe.feed(["one ", "two ", "three"])
        pipe.closeWriting()
        let result = await TestThread.run { SmallFile.contents(ofDescriptor: pipe.reading, limit: 100) }
        await feeding.value
        #expect(try result.get() == Array("one two three".utf8))
    }

    @Test("a copy waits for what is to come and for room where it goes")
    func copy() async throws {
        let (source, target) = (try NonblockingPipe(), try NonblockingPipe())
        // More than a pipe holds.
        let text = String(repeating: "x", count: 300_000)
        let copying = Task {
            await TestThread.run { () -> CommandError? in
                do throws(CommandError) {
                    try ByteCopy.copy(from: source.reading, named: "source", to: target.writing, named: "target")
                    return nil
                } catch {
                    return error
                }
            }
        }
        let feeding = Task {
            await TestThread.run {
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { (try? SharedDescriptor.write($0, to: source.writing)) ?? 0 }
                    rest = rest.dropFirst(count)
                }
                source.closeWriting()
            }
        }
        let read = await TestThread.run { () -> Int in
            var (part, all) = ([UInt8](repeating: 0, count: 4096), 0)
            while all < text.utf8.count {
                guard let count = try? SharedDescriptor.read(target.reading, into: &part), count > 0 else { break }
                all += count
            }
            return all
        }
        #expect(read == text.utf8.count)
        await feeding.value
        #expect(await copying.value == nil)
    }

    @Test("what is broken is an error, and a limit is kept")
    func errors() throws {
        var part = [UInt8](repeating: 0, count: 10)
        #expect(throws: SystemError(code: EBADF)) { try SharedDescriptor.read(-1, into: &part) }
        let pipe = try NonblockingPipe()
        let full = [UInt8](repeating: 0, count: 4096)
        while write(pipe.writing, full, full.count) > 0 {}
        full.withUnsafeBytes { bytes in
            _ = #expect(throws: SystemError(code: EAGAIN)) {
                try SharedDescriptor.write(bytes, to: pipe.writing, limit: 10)
            }
        }
    }
}
