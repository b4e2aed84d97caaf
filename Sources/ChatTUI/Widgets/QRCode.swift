// A QR code of an address, to be photographed from the terminal: `blipchat id qr`, `/qr`. Made by QRLibrary.

import ChatWords
import Dispatch

/// Why there is no code.
package enum QRCodeError: Error, Sendable, Equatable {
    /// libqrencode is not installed.
    case noLibrary
    /// No code holds so much.
    case tooLong

    package var reason: String {
        switch self {
        case .noLibrary: "libqrencode is not installed"
        case .tooLong: "too long for a QR code"
        }
    }

    package var advice: String {
        switch self {
        case .noLibrary: "install it: apt install libqrencode4"
        case .tooLong: "choose a shorter name"
        }
    }
}

/// Dark and light modules of a code in byte mode with error correction level L.
package struct QRCode: Sendable, Equatable {
    /// Modules of a side.
    package let size: Int
    /// Row by row; `true` is dark.
    private let modules: [Bool]

    /// The smallest code that holds `text` as UTF-8.
    package init(_ text: String) throws(QRCodeError) { try self.init(text, by: .shared) }

    /// The same, where nobody may wait for a library to be loaded from a disk.
    static func made(of text: String) async -> Result<QRCode, QRCodeError> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "blipchat.qr").async {
                continuation.resume(returning: Result { () throws(QRCodeError) in try QRCode(text) })
            }
        }
    }

    init(_ text: String, by library: QRLibrary?) throws(QRCodeError) {
        guard let library else { throw .noLibrary }
        guard let made = library.modules(of: Array(text.utf8)) else { throw .tooLong }
        size = made.size
        modules = made.isDark
    }

    /// Whether the module is dark; all around the code is light.
    package func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    /// Light modules around the code, as many as cameras need on a screen.
    static let margin = 2

    /// Lines of half blocks, two rows of modules each, with the margin. To be shown as white on black: a light module
    /// is a filled one.
    package var halfBlocks: [String] {
        stride(from: -Self.margin, to: size + Self.margin, by: 2).map { row in
            var line = ""
            for column in -Self.margin..<(size + Self.margin) {
                switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
                case (false, false): line += "█"
                case (false, true): line += "▀"
                case (true, false): line += "▄"
                case (true, true): line += " "
                }
            }
            return line
        }
    }
}
