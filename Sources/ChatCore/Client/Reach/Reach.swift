// How contacts and we find each other, apart from the calls themselves.

/// Belongs to the client.
struct Reach {
    let relays: Relays
    let mapping: Mapping
    let onion: Onion
    let invitations: InvitationBook
    /// The places where we wait for spoken words of ours.
    let meetings: Meetings
    let neighbours: Neighbours
    let slots = CallSlots()
    let networks: Networks
    let upgrades: Upgrades
    let punching: Punching
}
