// A pipe on which another program has set O_NONBLOCK: what comes through it later is waited for.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import blipchat

@Suite struct SharedDescriptorTests {
    /// A pipe whose ends do not block, as a parent may leave them. Closed with the value.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            for end in ends { #expect(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0) }
        }

        private let isWritingOpen = Atomic(true)

        /// Once: the number may be another test's by then.
        func closeWriting() { if isWritingOpen.exchange(false, ordering: .relaxed) { close(writing) } }

        deinit {
            close(reading)
            closeWriting()
        }

        /// Writes each part a while after the one before; then it may be the end.
        func feed(_ parts: [String]) -> Task<Void, Never> {
            let end = dup(writing)
            return Task.detached {
                for part in parts {
                    try? await Task.sleep(for: .milliseconds(30))
                    _ = part.withCString { write(end, $0, strlen($0)) }
                }
                close(end)
            }
        }
    }

    /// Blocking calls belong on a thread of their own.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let start = Unmanaged.passRetained(Body { continuation.resume(returning: body()) })
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { pointer in
                    if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                    return nil
                }, start.toOpaque())
            pthread_detach(thread)
        }
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    @Test("everything that comes is read, up to the end")
    func contents() async throws {
        let pipe = try Pipe()
        let feeding = pipe.feed(["one ", "two ", "three"])
        pipe.closeWriting()
        let result = await onThread { SmallFile.contents(ofDescriptor: pipe.reading, limit: 100) }
        await feeding.value
        #expect(try result.get() == Array("one two three".utf8))
    }

    @Test("lines are read as they come; a line that has not come is not the end")
    func lines() async throws {
        let pipe = try Pipe()
        let feeding = pipe.feed(["one\n", "tw", "o\nthree\n"])
        pipe.closeWriting()
        let lines = await onThread { () -> [String] in
            var lines = DescriptorLines(descriptor: pipe.reading, limit: 1000)
            var all: [String] = []
            while let line = lines.next() { all.append(line) }
            return all
        }
        await feeding.value
        #expect(lines == ["one", "two", "three"])
    }

    @Test("a copy waits for what is to come and for room where it goes")
    func copy() async throws {
        let (source, target) = (try Pipe(), try Pipe())
        // More than a pipe holds.
        let text = String(repeating: "x", count: 300_000)
        let copying = Task {
            await onThread { () -> CommandError? in
                do throws(CommandError) {
                    try ByteCopy.copy(from: source.reading, named: "source", to: target.writing, named: "target")
                    return nil
                } catch {
                    return error
                }
            }
        }
        let feeding = Task {
            await onThread {
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { (try? SharedDescriptor.write($0, to: source.writing)) ?? 0 }
                    rest = rest.dropFirst(count)
                }
                source.closeWriting()
            }
        }
        let read = await onThread { () -> Int in
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
        let pipe = try Pipe()
        let full = [UInt8](repeating: 0, count: 4096)
        while write(pipe.writing, full, full.count) > 0 {}
        full.withUnsafeBytes { bytes in
            _ = #expect(throws: SystemError(code: EAGAIN)) {
                try SharedDescriptor.write(bytes, to: pipe.writing, limit: 10)
            }
        }
    }
}
