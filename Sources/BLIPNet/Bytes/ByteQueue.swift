// A first-in-first-out queue of bytes: what one layer has produced and the next has not taken yet.

import Glibc

/// Bytes waiting between two layers. Appending at the end and consuming at the front are amortised O(1); the storage
/// is reused, so a queue in steady use allocates nothing.
package struct ByteQueue: Sendable {
    /// The memory; `nil` until the first byte. Copies of a queue share it until one of them writes.
    private var storage: ByteStorage?
    // The waiting bytes are those at head..<tail of the storage.
    private var head = 0
    private var tail = 0
    private let growthLimit: Int

    /// Storage up to this size is kept however little of it is used.
    private static let smallStorage = 64 << 10

    /// The storage doubles when it grows, but only up to `growthLimit` bytes: a queue with limited content passes its
    /// limit here, lest it take twice as much. More than that may still be appended.
    package init(growthLimit: Int = .max) { self.growthLimit = growthLimit }

    /// Bytes that wait.
    package var count: Int { tail &- head }
    package var isEmpty: Bool { head == tail }

    /// Bytes of memory that the queue holds, used or not.
    var capacity: Int { storage?.capacity ?? 0 }

    package mutating func append(_ byte: UInt8) {
        makeRoom(1).storeBytes(of: byte, as: UInt8.self)
        tail += 1
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        makeRoom(bytes.count).copyBytes(from: base, count: bytes.count)
        tail += bytes.count
    }

    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Lets `fill` write up to `capacity` bytes after the last one; it returns how many it wrote (0...capacity).
    package mutating func appendUninitialized<Failure: Error>(
        capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let room = UnsafeMutableRawBufferPointer(start: makeRoom(capacity), count: capacity)
        let written = min(max(try fill(room), 0), capacity)
        tail += written
        return written
    }

    /// Reads the waiting bytes in place. The pointer is valid only inside `body`.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let storage else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(start: storage.base + head, count: count))
    }

    /// Changes the waiting bytes in place (masking). The pointer is valid only inside `body`.
    package mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !isEmpty else { return try body(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
        let start = makeRoom(0) - count
        return try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Drops the first `byteCount` bytes (clamped to what is there).
    package mutating func consume(_ byteCount: Int) {
        head += min(max(byteCount, 0), count)
        if head == tail { removeAll() }
    }

    /// Drops the last `byteCount` bytes (clamped to what is there).
    mutating func removeLast(_ byteCount: Int) {
        tail -= min(max(byteCount, 0), count)
        if head == tail { removeAll() }
    }

    /// Takes the first `count` bytes out; there must be so many.
    mutating func take(_ count: Int) -> [UInt8] {
        let bytes = withUnsafeBytes { Array($0[..<count]) }
        consume(count)
        return bytes
    }

    /// Moves the first `count` bytes to the end of `bytes`; there must be so many.
    mutating func move(_ count: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes { bytes.append(contentsOf: $0[..<count]) }
        consume(count)
    }

    /// Takes everything out as an array.
    package mutating func takeAll() -> [UInt8] {
        defer { removeAll() }
        return withUnsafeBytes { Array($0) }
    }

    /// Forgets everything, keeping the storage unless it is large and was hardly used since it was empty the last
    /// time.
    package mutating func removeAll() {
        if let capacity = storage?.capacity, capacity > Self.smallStorage, tail < capacity / 8 { storage = nil }
        head = 0
        tail = 0
    }

    /// Gives the memory back if no byte waits: for a connection on which nothing happens.
    mutating func releaseUnused() {
        if isEmpty { storage = nil }
    }

    /// The byte at `offset` from the front; `offset` must be below `count`.
    package subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < count, "a byte that does not wait")
        return withUnsafeBytes { $0[offset] }
    }

    /// Makes sure that `byteCount` bytes fit after the last one, in storage that is ours alone, and returns where.
    private mutating func makeRoom(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if isKnownUniquelyReferenced(&storage), let storage, storage.capacity &- tail >= byteCount {
            return storage.base + tail
        }
        return rearrange(byteCount)
    }

    @inline(never)
    private mutating func rearrange(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let waiting = count
        let needed = waiting + byteCount
        let isOurs = isKnownUniquelyReferenced(&storage)
        if isOurs, let storage, needed <= storage.capacity, head >= waiting {
            // The bytes move to the front only when the consumed part is the larger one, so each moves at most once.
            storage.base.copyBytes(from: storage.base + head, count: waiting)
        } else if isOurs, let storage, head == 0 {
            storage.grow(to: newSize(for: needed, from: storage.capacity))
        } else {
            let larger = ByteStorage(capacity: newSize(for: needed, from: isOurs ? capacity : 0))
            if let storage { larger.base.copyBytes(from: storage.base + head, count: waiting) }
            storage = larger
        }
        head = 0
        tail = waiting
        guard let storage else { preconditionFailure("made above") }
        return storage.base + waiting
    }

    private func newSize(for needed: Int, from present: Int) -> Int {
        let doubled = present * 2
        if doubled <= growthLimit { return max(needed, doubled, 64) }
        return max(needed, growthLimit > needed ? growthLimit : min(doubled, needed + needed / 4))
    }
}

/// The memory of a `ByteQueue`. It is written only by a queue that has it alone, so that sharing it is safe.
private final class ByteStorage: @unchecked Sendable {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int

    init(capacity: Int) {
        base = Self.allocated(malloc(capacity))
        self.capacity = capacity
    }

    deinit { free(base) }

    /// Makes it larger; what it holds stays.
    func grow(to capacity: Int) {
        base = Self.allocated(realloc(base, capacity))
        self.capacity = capacity
    }

    private static func allocated(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let memory else { preconditionFailure("out of memory") }
        return memory
    }
}
