// A first-in-first-out queue of bytes: what one layer has produced and the next has not taken yet.

/// Bytes waiting between two layers. Appending at the end and consuming at the front are amortised O(1); the storage
/// is reused, so a queue in steady use allocates nothing.
public struct ByteQueue: Sendable {
    private var storage: [UInt8] = []
    private var head = 0

    public init() {}

    /// Bytes that wait.
    public var count: Int { storage.count - head }
    public var isEmpty: Bool { head == storage.count }

    public mutating func append(_ byte: UInt8) {
        compactIfWorthIt()
        storage.append(byte)
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        compactIfWorthIt()
        storage.append(contentsOf: bytes)
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
        compactIfWorthIt()
        let oldCount = storage.count
        storage.append(contentsOf: repeatElement(0, count: capacity))
        var written = 0
        defer { storage.removeLast(capacity - written) }
        // The closure of withUnsafeMutableBytes cannot carry a typed error; the result does.
        let result: Result<Int, Failure> = storage.withUnsafeMutableBytes { all in
            let room = UnsafeMutableRawBufferPointer(rebasing: all[oldCount...])
            do throws(Failure) { return .success(try fill(room)) } catch { return .failure(error) }
        }
        written = min(max(try result.get(), 0), capacity)
        return written
    }

    /// Reads the waiting bytes in place. The pointer is valid only inside `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }

    /// Changes the waiting bytes in place (masking). The pointer is valid only inside `body`.
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = head
        return try storage.withUnsafeMutableBytes {
            try body(UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// Drops the first `byteCount` bytes (clamped to what is there).
    public mutating func consume(_ byteCount: Int) {
        head += min(max(byteCount, 0), count)
        if head == storage.count { removeAll() }
    }

    /// Takes everything out as an array.
    public mutating func takeAll() -> [UInt8] {
        defer { removeAll() }
        return Array(storage[head...])
    }

    /// Forgets everything, keeping the storage unless it has grown large.
    public mutating func removeAll() {
        storage.removeAll(keepingCapacity: storage.capacity <= 1 << 20)
        head = 0
    }

    /// The byte at `offset` from the front; `offset` must be below `count`.
    public subscript(offset: Int) -> UInt8 { storage[head + offset] }

    /// Moves the bytes to the front once the consumed part is the larger one, so that each byte moves at most once.
    private mutating func compactIfWorthIt() {
        guard head > 4096, head >= storage.count / 2 else { return }
        storage.removeFirst(head)
        head = 0
    }
}
