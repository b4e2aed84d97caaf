// The delimiters that line protocols use, for `TCPConnection.read(through:max:)`.

extension [UInt8] {
    /// CR LF, which ends lines on the network.
    public static var crlf: [UInt8] { [13, 10] }
    public static var lineFeed: [UInt8] { [10] }
    package static var zero: [UInt8] { [0] }
    /// The empty line after an HTTP head.
    static var blankLine: [UInt8] { [13, 10, 13, 10] }
}
