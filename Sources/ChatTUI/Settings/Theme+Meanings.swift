// What the screens draw with: styles that say only what a thing is. The theme gives them their looks.

import ChatCore
import ChatWords

extension Theme {
    static let title = Style(.part(.title))
    static let quiet = Style(.part(.quiet))
    static let time = Style(.part(.time))
    static let own = Style(.part(.own))
    static let link = Style(.part(.link))
    static let unread = Style(.part(.unread))
    static let error = Style(.part(.error))
    static let good = Style(.part(.good))
    static let warning = Style(.part(.warning))
    static let line = Style(.part(.line))
    static let selected = Style(.part(.selected))
    static let marked = Style(.part(.marked))
    static let key = Style(.part(.key))

    /// A contact's own colour, the same on every screen that knows the key.
    static func nick(_ peer: Peer) -> Style { nick(named: peer.peerID?.text ?? peer.name) }

    /// The colour of a name in a room: that of the same name everywhere.
    static func nick(named seed: String) -> Style {
        let hash = seed.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Style(.nick(UInt8(hash % 252)))
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
