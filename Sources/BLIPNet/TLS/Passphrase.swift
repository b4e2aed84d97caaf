// The passphrase that protects the backup of an identity: typed by a person, or read from a file, on its way to OpenSSL.

internal import COpenSSL

/// A passphrase of 8 to 1,000 bytes of UTF-8 without NUL. Not printable, so that no log and no error has it.
package struct Passphrase: Sendable {
    /// An attacker finds fewer bytes by trying.
    package static let minimumBytes = 8
    /// OpenSSL takes no more.
    package static let maximumBytes = 1000

    /// Wiped when the last copy of the passphrase goes.
    private final class Storage: Sendable {
        nonisolated(unsafe) private let bytes: UnsafeMutableBufferPointer<CChar>

        init(_ text: String) {
            let all = text.utf8CString
            bytes = .allocate(capacity: all.count)
            _ = bytes.initialize(from: all)
        }

        deinit {
            OPENSSL_cleanse(bytes.baseAddress, bytes.count)
            bytes.deallocate()
        }

        /// With the NUL at the end.
        var count: Int { bytes.count }

        func copy() -> UnsafeMutableBufferPointer<CChar> {
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            return copy
        }
    }

    private let storage: Storage

    /// `nil` when it is too short, too long, or has a NUL.
    package init?(_ text: String) {
        guard (Self.minimumBytes...Self.maximumBytes).contains(text.utf8.count), !text.utf8.contains(0) else {
            return nil
        }
        storage = Storage(text)
    }

    var count: Int { storage.count - 1 }

    func withCString<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
        // OpenSSL takes a pointer that it could write through.
        let copy = storage.copy()
        defer {
            OPENSSL_cleanse(copy.baseAddress, copy.count)
            copy.deallocate()
        }
        return body(copy.baseAddress)
    }
}

extension Passphrase: CustomStringConvertible, CustomReflectable {
    package var description: String { "(a passphrase)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
