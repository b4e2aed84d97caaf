// The frame of every fuzz target: its name, its input, its findings. The targets are in the folders Fuzzing of the test
// targets; libFuzzer calls them through Fuzz/FuzzEntry.swift, and `FuzzCorpus` replays Fuzz/Corpus through the same code.

import Glibc

/// A decoder, or a whole session, under attack: takes any bytes and throws when what it promises does not hold.
package struct FuzzTarget: Sendable {
    /// Also the name of its folder in Fuzz/Corpus.
    package let name: String
    package let run: @Sendable (UnsafeRawBufferPointer) throws -> Void

    /// How much processor time of the calling thread one input may take in a release build. A target that derives a key
    /// from a passphrase needs more than the others.
    package let limit: Duration

    package init(
        name: String, limit: Duration = .milliseconds(100),
        run: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.name = name
        self.limit = limit
        self.run = run
    }

    /// Runs one input and says what it cost: processor time of this thread, which does not depend on what else the
    /// machine does.
    package func timed(_ bytes: UnsafeRawBufferPointer) throws -> Duration {
        let start = Self.processorTime()
        try run(bytes)
        return Self.processorTime() - start
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// A promise that did not hold.
package struct FuzzFinding: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Throws a finding unless `condition` holds; `promise` says what should have been true.
package func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(FuzzFinding) {
    guard condition else { throw FuzzFinding(description: promise()) }
}

/// Cuts fuzz input into numbers and pieces; at its end everything is zero or empty.
package struct FuzzInput {
    private var rest: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    package var isEmpty: Bool { rest.isEmpty }

    package mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// Two bytes, the low one first.
    package mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A piece whose length (0...65,535) stands in front of it; shorter at the end of the input.
    package mutating func piece() -> UnsafeRawBufferPointer { bytes(word()) }

    /// The next `count` bytes, or as many as there are.
    package mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        let count = min(count, rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    /// Everything that is left.
    package mutating func remainder() -> UnsafeRawBufferPointer { bytes(rest.count) }
}

/// Ways to cut the same bytes, for checking that the cut makes no difference.
package struct FuzzCuts {
    private var state: UInt64

    package init(seed: UInt8) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// Calls `body` with one piece after the other: single bytes, short and long ones.
    package mutating func forEachPiece(
        of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var rest = bytes
        while !rest.isEmpty {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let random = Int(state >> 33)
            let count = min(rest.count, random & 7 == 0 ? 1 + random >> 3 & 4095 : 1 + random >> 3 & 15)
            try body(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
