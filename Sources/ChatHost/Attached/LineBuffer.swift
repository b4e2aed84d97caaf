// Cuts bytes that arrive in pieces into lines.

/// Bytes that have come and are not taken as lines yet.
package struct LineBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to here there is no end of line.
    private var searched = 0

    package init() {}

    /// Bytes that wait to be taken.
    package var count: Int { bytes.count - start }

    /// Adds what comes next.
    package mutating func append(_ part: ArraySlice<UInt8>) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes += part
    }

    package var hasLine: Bool { bytes[searched...].contains(UInt8(ascii: "\n")) }

    /// The next whole line without its LF; `nil` while its end has not come.
    package mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return Array(bytes[start..<end])
    }

    /// The bytes after the last end of line, once nothing more comes; `nil` when there are none.
    package mutating func takeRest() -> [UInt8]? {
        guard start < bytes.count else { return nil }
        defer { self = LineBuffer() }
        return Array(bytes[start...])
    }
}
