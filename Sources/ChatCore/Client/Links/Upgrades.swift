// Calls along better ways than that of the present link. RouteUpgrade says when; this waits for it (REACH 4).

import BLIPNet

/// Belongs to the client.
struct Upgrades {
    let core: ClientCore
    let dialling: Dialling
    let punching: Punching

    /// A link is the contact's present one from now on.
    func linked(_ contact: ContactID, along routeClass: RouteClass) {
        core.links[contact]?.calls.upgrade.linked(routeClass, now: core.clock.now())
        look(contact)
    }

    /// Both have accepted: what they can do is known.
    func online(_ contact: ContactID) {
        if !look(contact) { punch(contact) }
    }

    /// There may be a better way to a contact than there was.
    func somethingNew(for contact: ContactID) {
        core.links[contact]?.calls.upgrade.somethingNew(now: core.clock.now())
        look(contact)
    }

    /// We are in another network: nobody has seen where our calls come out there.
    func newNetwork() { punching.newNetwork() }

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

    /// Direct ways that are known come first.
    private func punch(_ contact: ContactID) {
        guard punching.mayBegin(contact) else { return }
        punching.begin(contact, after: dialling.mayUpgrade(contact) ? Punching.afterDirectWays : .zero)
    }

    /// Calls when that is due, and waits for the next time. Where no better way is known nobody waits for one.
    /// Returns whether it was due.
    @discardableResult private func look(_ contact: ContactID) -> Bool {
        guard core.isRunning, dialling.mayUpgrade(contact) || punching.mayBegin(contact) else { return false }
        let calls = core.links[contact]?.calls.upgrade.next(now: core.clock.now()) == true
        if calls {
            dialling.upgrade(contact)
            punch(contact)
        }
        guard let due = core.links[contact]?.calls.upgrade.due else { return calls }
        core.tasks.spawn(after: max(.zero, due - core.clock.now())) { client in
            // Another time has taken the place of this one.
            guard client.core.links[contact]?.calls.upgrade.due == due else { return }
            client.reach.upgrades.look(contact)
        }
        return calls
    }
}
