// What we do when the networks of this machine change (REACH 4): links of an address that has gone are over, all others have to
// show that they live, relays and mappings are renewed, and contacts hear how they reach us now.

import BLIPNet

/// Belongs to one actor.
final class Networks {
    private let core: ClientCore
    private let connecting: any PeerConnecting
    private let relays: Relays
    private let mapping: Mapping
    private let meetings: Meetings
    private let dialling: Dialling
    private let upgrades: Upgrades
    private var rounds: PathRounds

    /// How long a link may stay silent before it counts as gone.
    static let patience = Duration.seconds(5)

    init(
        core: ClientCore, connecting: any PeerConnecting, relays: Relays, mapping: Mapping, meetings: Meetings,
        dialling: Dialling, upgrades: Upgrades
    ) {
        self.core = core
        self.connecting = connecting
        self.relays = relays
        self.mapping = mapping
        self.meetings = meetings
        self.dialling = dialling
        self.upgrades = upgrades
        rounds = PathRounds(now: core.clock.now())
    }

    /// Follows the networks as long as the chat runs. Without that we would notice a dead connection 20 s after the next line,
    /// and call a contact who was away for long up to a minute later.
    func follow() async {
        for await change in connecting.networkChanges() {
            guard core.isRunning else { return }
            if case .addressGone(let host) = change {
                relays.renew(gone: host)
                meetings.renew()
                for contact in core.links.contacts {
                    guard let link = core.links[contact]?.link, link.connection.info.localHost == host else { continue }
                    await end(link, of: contact, .disconnected)
                }
            }
            guard let wait = rounds.changed(now: core.clock.now()) else { continue }
            core.tasks.spawn(after: wait) { $0.reach.networks.lookAfterEverybody() }
        }
    }

    private func lookAfterEverybody() {
        guard core.isRunning else { return }
        rounds.begin()
        relays.renew(gone: nil)
        relays.changed()
        mapping.begin(onNewNetwork: true)
        upgrades.newNetwork()
        dialling.wakeEverybody()
        for contact in core.links.contacts {
            guard let link = core.links[contact]?.link else { continue }
            core.tasks.spawn { await $0.reach.networks.check(link, of: contact) }
            upgrades.newNetwork(for: contact)
        }
    }

    /// The end of a link that carries nothing any more would come by a time-out.
    private func check(_ link: ActiveLink, of contact: ContactID) async {
        guard await !SignOfLife(core: core).comes(on: link, within: Self.patience) else { return }
        await end(link, of: contact, .timedOut("answer"))
    }

    private func end(_ link: ActiveLink, of contact: ContactID, _ reason: LinkError) async {
        guard let client = core.tasks.client, core.isRunning, core.links.isPresent(link.number, of: contact) else {
            return
        }
        await client.linkEnded(contact, link, reason)
        link.close()
    }
}
