// The words that people read about a file in a conversation.

package import ChatCore

/// The words for a file that was offered, and for the folder that it belongs to.
package struct FileWords: Sendable {
    package let transfer: FileTransfer

    package init(_ transfer: FileTransfer) { self.transfer = transfer }

    /// `#8`: what commands call it.
    package var number: String { "#\(transfer.number.rawValue)" }
    package var name: SafeText { SafeText(transfer.name, as: .fileName) }
    /// `↑` when it goes out, `↓` when it comes.
    package var arrow: String { transfer.direction == .outgoing ? "↑" : "↓" }
    /// `3.1 MB`
    package var size: String { Units.size(transfer.size) }
    /// `offered`
    package var state: String { Sentences.word(for: transfer.state) }
    /// `failed (the disk is full)`, or the reason alone where it says the state.
    package var stateAndReason: String {
        guard let reason = transfer.reason else { return state }
        return reason.names(transfer.state) ? reason.words : "\(state) (\(reason.words))"
    }
    /// `sha256 1a2b 3c4d`, where it is known.
    package var hash: String? { transfer.sha256.map { "sha256 \(Self.short(hash: $0))" } }

    package static func short(hash: String) -> String { "\(hash.prefix(4)) \(hash.dropFirst(4).prefix(4))" }

    // MARK: The text beside it

    package var hasCaption: Bool { !transfer.caption.isEmpty }
    package var caption: SafeText { SafeText(transfer.caption, as: .multiline) }
    /// How much of the name or the caption is not shown as it is.
    package var hiddenNote: SafeText? { (name + caption).hiddenNote }

    // MARK: Its folder

    package var isFolder: Bool { transfer.place != nil }

    /// Its name, or `photos/ (31 files)` of the folder that it came with, in at most `width` columns.
    package func title(width: Int) -> SafeText {
        guard let place = transfer.place else { return .fileName(transfer.name, width: width) }
        let folder = place.path.split(scalar: "/").first.map(String.init) ?? transfer.name
        return Self.title(ofFolder: folder, files: place.files, width: width)
    }

    package static func title(ofFolder name: String, files: UInt64, width: Int) -> SafeText {
        let end = SafeText("/ (\(Units.files(Int(clamping: files))))", as: .line)
        return .fileName(name, end: end, width: width)
    }
}
