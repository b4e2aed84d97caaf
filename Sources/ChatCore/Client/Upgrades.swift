// Calls along better ways than that of the present link. RouteUpgrade says when; this waits for it (REACH 4).

import BLIPNet

/// Belongs to the client.
struct Upgrades {
    let core: ClientCore
    let dialling: Dialling

    /// A link is the contact's present one from now on.
    func linked(_ contact: ContactID, along routeClass: RouteClass) {
        core.links[contact]?.calls.upgrade.linked(routeClass, now: core.clock.now())
        look(contact)
    }

    /// There may be a better way to a contact than there was.
    func somethingNew(for contact: ContactID) {
        core.links[contact]?.calls.upgrade.somethingNew(now: core.clock.now())
        look(contact)
    }

    func newNetwork(for contact: ContactID) {
        core.links[contact]?.calls.rests.forget()
        core.links[contact]?.calls.upgrade.newNetwork(now: core.clock.now())
        look(contact)
    }

    func callBegan(to contact: ContactID) { core.links[contact]?.calls.upgrade.callBegan() }

    func callEnded(to contact: ContactID) {
        core.links[contact]?.calls.upgrade.callEnded()
        look(contact)
    }

    /// Calls when that is due, and waits for the next time. Where no better way is known nobody waits for one.
    private func look(_ contact: ContactID) {
        guard core.isRunning, dialling.mayUpgrade(contact) else { return }
        if core.links[contact]?.calls.upgrade.next(now: core.clock.now()) == true { dialling.upgrade(contact) }
        guard let due = core.links[contact]?.calls.upgrade.due else { return }
        core.tasks.spawn(after: max(.zero, due - core.clock.now())) { client in
            // Another time has taken the place of this one.
            guard client.core.links[contact]?.calls.upgrade.due == due else { return }
            client.reach.upgrades.look(contact)
        }
    }
}
