// Whom we call, and when: at the start, after a wait, when our user writes (RELIABILITY D8).

/// Begins calls, as `Links` decides. The client carries them out (ChatClient+Links).
struct Dialling {
    let core: ClientCore
    let rooms: Rooms

    /// The screen that is being opened has the processors first.
    static let openingTime = Duration.milliseconds(20)

    /// Calls `contact` unless there is a link, a call under way, or a reason not to.
    func dial(_ contact: ContactID) {
        guard core.isRunning, core.configuration.callsContacts else { return }
        guard !core.isRoom(contact) else { return rooms.open(contact) }
        switch core.links.dial(contact) {
        case .no: break
        case .later: dialLater(contact)
        case .now(let number):
            core.publishLinkState(of: contact)
            core.tasks.spawn { await $0.call(contact, number) }
        }
    }

    /// Waits for the back-off (D8), then dials.
    func dialLater(_ contact: ContactID) {
        guard core.isRunning,
            let wait = core.links.nextCall(of: contact, now: core.clock.now(), wall: core.now())
        else { return }
        core.tasks.spawn(after: wait.delay) { client in
            guard client.core.links[contact]?.dialNumber == wait.number else { return }
            client.dialling.dial(contact)
        }
    }

    /// Whether a contact is linked along a worse way than one that we know.
    func mayUpgrade(_ contact: ContactID) -> Bool {
        guard core.isRunning, core.configuration.callsContacts, let session = core.links[contact], session.wantsLink,
            let link = session.link
        else { return false }
        return session.places.contains { $0.route.routeClass < link.routeClass }
    }

    /// Calls along better ways, beside the link; one that leads there takes its place (REACH 4).
    func upgrade(_ contact: ContactID) {
        guard mayUpgrade(contact), let number = core.links[contact]?.dialNumber else { return }
        core.tasks.spawn { await $0.call(contact, number) }
    }

    /// The user is writing to somebody who is not linked: the call is made now, not at the end of the wait (D8).
    func wake(_ contact: ContactID) {
        guard !core.isRoom(contact) else { return rooms.wake(contact) }
        core.links[contact]?.wantCall()
        guard core.links[contact]?.mayDial == true else { return }
        core.links[contact]?.shortenBackoff()
        dial(contact)
    }

    func reconnect(_ contact: ContactID?) {
        for contact in contact.map({ [$0] }) ?? core.links.wanted() {
            core.links[contact]?.isPutOff = false
            core.links[contact]?.resetBackoff()
            core.links[contact]?.wantCall()
            dial(contact)
            rooms.wake(contact)
            core.publishLinkState(of: contact)
        }
    }

    func disconnect(_ contact: ContactID?) {
        for contact in contact.map({ [$0] }) ?? core.links.contacts {
            core.links[contact]?.isPutOff = true
            core.links[contact]?.link?.close(reason: "")
            rooms.close(contact)
            core.publishLinkState(of: contact)
        }
    }

    func dialEverybody() { forEverybody { $0.dial($1) } }

    /// This machine has a new path: earlier failures say nothing about it, so we do not wait out their back-off.
    func wakeEverybody() {
        guard core.configuration.callsContacts else { return }
        forEverybody { $0.wake($1) }
    }

    /// The first few together, the others a hundred a second: a long list must not hold up the screen either.
    private func forEverybody(_ call: @escaping @Sendable (Dialling, ContactID) -> Void) {
        for (index, contact) in core.links.contacts.enumerated() {
            core.tasks.spawn(after: Self.openingTime + .milliseconds(10 * max(0, index - 7))) {
                call($0.dialling, contact)
            }
        }
    }
}
