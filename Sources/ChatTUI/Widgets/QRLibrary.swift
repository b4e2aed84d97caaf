// Makes QR codes (ISO/IEC 18004) by libqrencode, loaded when the first one is wanted, and only if it is there.

import ChatWords
import Glibc

/// The functions of libqrencode 4 that are needed. Called on any thread.
struct QRLibrary: Sendable {
    /// As qrencode.h has it.
    private struct Symbol {
        var version: Int32
        var width: Int32
        var data: UnsafeMutablePointer<UInt8>?
    }

    private typealias Encode =
        @convention(c) (Int32, UnsafePointer<UInt8>?, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// QR_ECLEVEL_L: a screen is not scratched.
    private static let levelL: Int32 = 0

    private let encode: Encode
    private let free: Free

    /// `nil` when the library is not installed.
    static let shared = QRLibrary("libqrencode.so.4")

    /// `name`: as the loader finds it.
    init?(_ name: String) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL), let encode = dlsym(handle, "QRcode_encodeData"),
            let free = dlsym(handle, "QRcode_free")
        else { return nil }
        self.encode = unsafeBitCast(encode, to: Encode.self)
        self.free = unsafeBitCast(free, to: Free.self)
    }

    /// The smallest code that holds the bytes: modules of a side, and row by row whether each is dark. `nil` when there
    /// is none so large.
    func modules(of bytes: [UInt8]) -> (size: Int, isDark: [Bool])? {
        guard let count = Int32(exactly: bytes.count), let made = encode(count, bytes, 0, Self.levelL) else {
            return nil
        }
        defer { free(made) }
        let symbol = made.load(as: Symbol.self)
        let size = Int(symbol.width)
        guard (21...177).contains(size), let data = symbol.data else { return nil }
        // The lowest bit says dark; the others say what the module is for.
        return (size, UnsafeBufferPointer(start: data, count: size * size).map { $0 & 1 == 1 })
    }
}
