// The frame of every fuzz target: its name, its input, its findings. libFuzzer calls the targets through
// Fuzz/FuzzEntry.swift; FuzzCorpusTests replays the corpora of Fuzz/Corpus through the same code.

import Glibc

/// A decoder, or a whole session, under attack: takes any bytes and throws when what it promises does not hold.
struct FuzzTarget: Sendable {
    /// Also the name of its folder in Fuzz/Corpus.
    let name: String
    let run: @Sendable (UnsafeRawBufferPointer) throws -> Void

    static let all: [FuzzTarget] = [
        FuzzTarget(name: "varint", run: fuzzVarint),
        FuzzTarget(name: "properties", run: fuzzProperties),
        FuzzTarget(name: "inflate", run: fuzzInflate),
        FuzzTarget(name: "gzip-body", run: fuzzGzipBody),
        FuzzTarget(name: "blip-frames", run: fuzzBLIPFrames),
        FuzzTarget(name: "blip-message", run: fuzzBLIPMessage),
        FuzzTarget(name: "blip-operations", run: fuzzBLIPOperations),
        FuzzTarget(name: "http-head", run: fuzzHTTPHead),
        FuzzTarget(name: "http-values", run: fuzzHTTPValues),
        FuzzTarget(name: "url", run: fuzzURL),
        FuzzTarget(name: "websocket-frames", run: fuzzWebSocketFrames),
        FuzzTarget(name: "websocket-deflate", run: fuzzPermessageDeflate),
        FuzzTarget(name: "websocket-server", run: fuzzWebSocketServer),
        FuzzTarget(name: "websocket-client", run: fuzzWebSocketClient),
        FuzzTarget(name: "tls", run: fuzzTLS),
        FuzzTarget(name: "session", run: fuzzSession),
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    /// Runs one input and says what it cost: processor time of this thread, which does not depend on what else the
    /// machine does.
    func timed(_ bytes: UnsafeRawBufferPointer) throws -> Duration {
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
struct FuzzFinding: Error, CustomStringConvertible {
    var description: String
}

/// Throws a finding unless `condition` holds; `promise` says what should have been true.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(FuzzFinding) {
    guard condition else { throw FuzzFinding(description: promise()) }
}

/// Cuts fuzz input into numbers and pieces; at its end everything is zero or empty.
struct FuzzInput {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// Two bytes, the low one first.
    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A piece whose length (0...65,535) stands in front of it; shorter at the end of the input.
    mutating func piece() -> UnsafeRawBufferPointer { bytes(word()) }

    /// The next `count` bytes, or as many as there are.
    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        let count = min(count, rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    /// Everything that is left.
    mutating func remainder() -> UnsafeRawBufferPointer { bytes(rest.count) }
}

/// Ways to cut the same bytes, for checking that the cut makes no difference.
struct FuzzCuts {
    private var state: UInt64

    init(seed: UInt8) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// Calls `body` with one piece after the other: single bytes, short and long ones.
    mutating func forEachPiece(
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
