// The looks of things by their meaning. The terminal's own 16 colours; each colour only repeats what a word says.

import ChatCore

/// Styles by meaning.
enum Theme {
    static let title = Style.plain.adding(.bold)
    static let quiet = Style.dim
    static let time = Style.dim
    static let own = Style(.cyan)
    static let link = Style(.cyan)
    static let unread = Style.plain.adding(.bold)
    static let error = Style(.red)
    static let good = Style(.green)
    static let warning = Style(.yellow)
    static let line = Style.dim
    static let selected = Style.plain.adding(.reverse)
    static let marked = Style.plain.adding([.bold, .underline])
    static let key = Style.plain.adding(.bold)

    /// A contact's own colour, the same on every screen that knows the key.
    static func nick(_ peer: Peer) -> Style {
        let colors: [UInt8] = [2, 3, 4, 5, 9, 10, 11, 12, 13]
        let seed = peer.peerID?.text ?? peer.name
        let hash = seed.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Style(.ansi(colors[Int(hash % UInt32(colors.count))]))
    }

    static func mark(_ state: DeliveryState) -> Style {
        switch state {
        case .pending, .sent: warning
        case .delivered, .read: good
        case .failed: error
        }
    }

    static func link(_ state: LinkState) -> Style {
        switch state {
        case .online: good
        case .connecting, .awaitingApproval: warning
        case .offline: quiet
        }
    }
}
