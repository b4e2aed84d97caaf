// Follows the records of a TLS stream by their headers (RFC 8446 section 5.1, RFC 5246 section 6.2.1).

/// How much of the present record is still to come. Nothing of a record can be read before its last byte is there.
struct TLSRecordCounter {
    /// Bytes of a header that have passed; it has five, and the last two are the length of what follows.
    private var headerBytes = 0
    private var length = 0
    /// Bytes of the record that has begun; 0 between records and within a header.
    private(set) var missing = 0

    /// Bytes that have come of a record that is not whole yet, with its header.
    var begun: Int { missing > 0 ? 5 + length - missing : headerBytes }

    /// The next bytes of the stream, in any cut.
    mutating func pass(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if missing > 0 {
                let step = min(missing, bytes.count - index)
                missing -= step
                index += step
            } else {
                length = length << 8 & 0xFF00 | Int(bytes[index])
                headerBytes += 1
                index += 1
                guard headerBytes == 5 else { continue }
                headerBytes = 0
                missing = length
            }
        }
    }
}
