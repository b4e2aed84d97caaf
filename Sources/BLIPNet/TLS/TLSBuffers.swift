// The place where OpenSSL reads and writes encrypted bytes: straight from what the socket gave and into what it gets.

internal import COpenSSL

/// The transport of one `SSL` object in memory. Input is copied only when it cannot be used at once.
final class TLSBuffers {
    /// The BIO for both directions; `SSL_set_bio` takes it over.
    let bio: OpaquePointer
    // OpenSSL keeps its address.
    private let buffers: UnsafeMutablePointer<copenssl_buffers>
    /// Received and not taken by OpenSSL.
    private var unread = ByteQueue()

    // Made once and used forever.
    private nonisolated(unsafe) static let method = copenssl_buffer_method()

    init() throws(TLSError) {
        guard let bio = BIO_new(Self.method) else { throw OpenSSLErrorQueue.failure(of: "BIO_new") }
        self.bio = bio
        buffers = .allocate(capacity: 1)
        buffers.initialize(to: copenssl_buffers())
        BIO_set_data(bio, buffers)
    }

    /// After the `SSL` object, which has freed the BIO.
    deinit {
        copenssl_forget_spill(buffers)
        buffers.deallocate()
    }

    // MARK: In

    /// Bytes that were received and that OpenSSL has not taken.
    var unreadCount: Int { unread.count }

    func append(_ encrypted: UnsafeRawBufferPointer) { unread.append(encrypted) }

    /// Lets OpenSSL read what is there while `body` runs.
    func withInput<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var input = exchange(&unread, with: ByteQueue())
        let before = input.count
        defer {
            input.consume(before - left)
            unread = input
            setSource(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let result: Swift.Result<Result, Failure> = input.withUnsafeBytes { bytes in
            setSource(bytes)
            do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The same with `encrypted`, which has just been received, in place. Nothing else may be unread.
    func withInput<Result, Failure: Error>(
        _ encrypted: UnsafeRawBufferPointer, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(unread.isEmpty, "bytes would be read out of order")
        setSource(encrypted)
        defer {
            unread.append(UnsafeRawBufferPointer(rebasing: encrypted[(encrypted.count - left)...]))
            setSource(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try body()
    }

    private var left: Int { buffers.pointee.source_count }

    private func setSource(_ bytes: UnsafeRawBufferPointer) {
        buffers.pointee.source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        buffers.pointee.source_count = bytes.count
    }

    // MARK: Out

    /// Bytes that OpenSSL has written and that nobody has taken.
    var unsentCount: Int { buffers.pointee.spill_count }

    /// Moves what waits to `out`; `false` when nothing does.
    func takeOutput(into out: inout ByteQueue) -> Bool {
        guard buffers.pointee.spill_count > 0 else { return false }
        out.append(UnsafeRawBufferPointer(start: buffers.pointee.spill, count: buffers.pointee.spill_count))
        copenssl_forget_spill(buffers)
        return true
    }

    func discardOutput() { copenssl_forget_spill(buffers) }

    /// Appends the bytes that OpenSSL writes while `body` runs to `out`, in place as far as `capacity` bytes have room.
    func withOutput<Failure: Error>(
        _ out: inout ByteQueue, capacity: Int, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        _ = takeOutput(into: &out)
        defer { _ = takeOutput(into: &out) }
        _ = try out.appendUninitialized(capacity: capacity) { (room) throws(Failure) -> Int in
            buffers.pointee.target = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
            buffers.pointee.target_capacity = room.count
            defer {
                buffers.pointee.target = nil
                buffers.pointee.target_capacity = 0
                buffers.pointee.target_count = 0
            }
            try body()
            return buffers.pointee.target_count
        }
    }
}
