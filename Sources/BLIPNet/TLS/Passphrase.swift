// What protects the backup of an identity: typed by a person, or read from a file, on its way to OpenSSL.

/// A passphrase of 8 to 1,000 bytes of UTF-8 without NUL. Not printable, so that no log and no error has it.
public struct Passphrase: Sendable {
    /// Fewer bytes are found by trying.
    public static let minimumBytes = 8
    /// What OpenSSL takes.
    public static let maximumBytes = 1000

    private let bytes: [CChar]

    /// `nil` when it is too short, too long, or has a NUL.
    public init?(_ text: String) {
        guard (Self.minimumBytes...Self.maximumBytes).contains(text.utf8.count), !text.utf8.contains(0) else {
            return nil
        }
        bytes = Array(text.utf8CString)
    }

    var count: Int { bytes.count - 1 }

    func withCString<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
        var copy = bytes
        defer { for index in copy.indices { copy[index] = 0 } }
        return copy.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}

extension Passphrase: CustomStringConvertible, CustomReflectable {
    public var description: String { "(a passphrase)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
