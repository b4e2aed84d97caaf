// A first-in-first-out queue of bytes: what one layer has produced and the next has not taken yet.

import Glibc

/// Bytes waiting between two layers. Appending at the end and consuming at the front are amortised O(1); the storage
/// is reused, so a queue in steady use allocates nothing.
public struct ByteQueue: Sendable {
    // All of it is initialised; the waiting bytes are those at head..<tail.
    private var storage: [UInt8] = []
    private var head = 0
    private var tail = 0

    public init() {}

    /// Bytes that wait.
    public var count: Int { tail - head }
    public var isEmpty: Bool { head == tail }

    public mutating func append(_ byte: UInt8) {
        makeRoom(1)
        storage[tail] = byte
        tail += 1
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(bytes.count)
        let start = tail
        storage.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: bytes)
        }
        tail += bytes.count
    }

    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Lets `fill` write up to `capacity` bytes behind the last one; it returns how many it wrote (0...capacity).
    public mutating func appendUninitialized<Failure: Error>(
        capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        makeRoom(capacity)
        let start = tail
        // The closure of withUnsafeMutableBytes cannot carry a typed error; the result does.
        let result: Result<Int, Failure> = storage.withUnsafeMutableBytes { all in
            let room = UnsafeMutableRawBufferPointer(rebasing: all[start..<(start + capacity)])
            do throws(Failure) { return .success(try fill(room)) } catch { return .failure(error) }
        }
        let written = min(max(try result.get(), 0), capacity)
        tail += written
        return written
    }

    /// Reads the waiting bytes in place. The pointer is valid only inside `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[head..<tail])) }
    }

    /// Changes the waiting bytes in place (masking). The pointer is valid only inside `body`.
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let waiting = head..<tail
        return try storage.withUnsafeMutableBytes {
            try body(UnsafeMutableRawBufferPointer(rebasing: $0[waiting]))
        }
    }

    /// Drops the first `byteCount` bytes (clamped to what is there).
    public mutating func consume(_ byteCount: Int) {
        head += min(max(byteCount, 0), count)
        if head == tail { removeAll() }
    }

    /// Takes everything out as an array.
    public mutating func takeAll() -> [UInt8] {
        defer { removeAll() }
        return Array(storage[head..<tail])
    }

    /// Forgets everything, keeping the storage unless it has grown large.
    public mutating func removeAll() {
        if storage.count > 1 << 20 { storage = [] }
        head = 0
        tail = 0
    }

    /// The byte at `offset` from the front; `offset` must be below `count`.
    public subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < count, "a byte that does not wait")
        return storage[head + offset]
    }

    /// Makes sure that `byteCount` bytes fit behind the last one.
    private mutating func makeRoom(_ byteCount: Int) {
        guard storage.count - tail < byteCount else { return }
        let (waiting, start) = (count, head)
        if waiting + byteCount <= storage.count, head >= waiting {
            // The bytes move to the front only when the consumed part is the larger one, so each moves at most once.
            storage.withUnsafeMutableBytes { all in
                all.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<(start + waiting)]))
            }
        } else {
            let size = max(waiting + byteCount, storage.count * 2, 64)
            storage = [UInt8](unsafeUninitializedCapacity: size) { buffer, initializedCount in
                let all = UnsafeMutableRawBufferPointer(buffer)
                if let base = all.baseAddress { memset(base, 0, size) }
                storage.withUnsafeBytes {
                    all.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + waiting)]))
                }
                initializedCount = size
            }
        }
        head = 0
        tail = waiting
    }
}
