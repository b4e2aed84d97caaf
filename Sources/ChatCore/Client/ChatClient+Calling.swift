// A round of calls to one contact: all ways in a race (REACH 4). RouteRace says what is tried when; this carries it out.

import BLIPNet

/// The result of an attempt, or a hint that there may be something to do.
private enum CallNews: Sendable {
    case connected(Int, any PeerConnection, RequestRouter)
    case failed(Int, LinkError)
    case look
}

extension PeerConnection {
    /// Another one was there first.
    fileprivate func closeUnneeded() { close(code: 1001, reason: "not needed any more") }
}

extension ChatClient {
    /// Tries the contact's ways. Another key at one of them says something only when none leads to the contact.
    func call(_ contact: ContactID, _ number: Int) async {
        let places = core.links[contact].map { $0.calls.rested($0.places, now: core.clock.now()) } ?? []
        let limits = core.configuration.limits.network
        var race = RouteRace(
            places.map(\.route.routeClass), directLimit: limits.connectTime + limits.handshakeTime,
            now: core.clock.now())
        var failure = CallFailure()
        var attempts: [Int: Task<Void, Never>] = [:]
        var alarm: (time: MonotonicTime, task: Task<Void, Never>)?
        let (news, teller) = AsyncStream.makeStream(of: CallNews.self)
        var iterator = news.makeAsyncIterator()
        let watcher = reach.slots.watchers.add { teller.yield(.look) }
        reach.upgrades.callBegan(to: contact)
        defer {
            reach.slots.watchers.remove(watcher)
            reach.upgrades.callEnded(to: contact)
            alarm?.task.cancel()
            for task in attempts.values { task.cancel() }
        }
        while core.isRunning {
            var steps = race.next(now: core.clock.now(), free: reach.slots.free)
            while !steps.isEmpty {
                switch steps.removeFirst() {
                case .cancel(let index):
                    attempts.removeValue(forKey: index)?.cancel()
                    failure.note(.timedOut(what: "connect"), at: index)
                case .start(let index):
                    let place = places[index]
                    guard mayTry(place, index, inCall: number, to: contact, &failure) else {
                        race.failed(index)
                        continue
                    }
                    // Nobody is expected where no key is known: the first one that answers is trusted.
                    let expected = core.links[contact]?.peer.peerID ?? place.peerID
                    attempts[index] = attempt(index, place, expecting: expected, teller)
                }
                if steps.isEmpty { steps = race.next(now: core.clock.now(), free: reach.slots.free) }
            }
            guard !race.isOver else { break }
            let time = race.deadline(free: reach.slots.free)
            if alarm?.time != time {
                alarm?.task.cancel()
                alarm = time.map { ($0, wake(teller, at: $0)) }
            }
            guard let event = await iterator.next(isolation: self) else { break }
            switch event {
            case .look: if let time = alarm?.time, core.clock.now() >= time { alarm = nil }
            case .failed(let index, let error):
                guard attempts.removeValue(forKey: index) != nil else { continue }
                race.failed(index)
                note(error, of: contact, at: places[index], index, &failure)
            case .connected(let index, let connection, let router):
                guard attempts.removeValue(forKey: index) != nil else {
                    connection.closeUnneeded()
                    continue
                }
                if let refusal = await answered(contact, connection, router, along: places[index].route) {
                    race.failed(index)
                    failure.note(refusal, at: index)
                    continue
                }
                noteCall(of: contact, to: places[index], .pinnedKey)
                for case .cancel(let other) in race.linked(index) { attempts.removeValue(forKey: other)?.cancel() }
            }
        }
        // Close connections that came up at the moment when they were no longer needed.
        teller.finish()
        while let event = await iterator.next(isolation: self) {
            if case .connected(_, let connection, _) = event { connection.closeUnneeded() }
        }
        // They may have called meanwhile, and shown the pinned key.
        guard let session = core.links.session(ofCall: number, to: contact) else { return }
        if let presented = failure.presented, session.wantsLink { await people.keyChanged(contact, presented) }
        core.links[contact]?.dialFailed(number, reason: failure.reason)
        core.publishLinkState(of: contact)
        if core.links[contact]?.wantsAnotherCall == true { dialling.wake(contact) } else { dialling.dialLater(contact) }
    }

    /// Whether a place is still to be called in the call `number`.
    private func mayTry(
        _ place: PeerAddress, _ index: Int, inCall number: Int, to contact: ContactID, _ failure: inout CallFailure
    ) -> Bool {
        guard let session = core.links[contact] else { return false }
        guard session.wantsLink else {
            failure.note(session.isPutOff ? LinkReason.putOff : LinkReason.blocked, at: index)
            return false
        }
        return core.links.wantsAttempt(ofCall: number, to: contact, along: place.route.routeClass)
    }

    private func attempt(
        _ index: Int, _ place: PeerAddress, expecting expected: PeerID?,
        _ teller: AsyncStream<CallNews>.Continuation
    ) -> Task<Void, Never> {
        reach.slots.take()
        return core.tasks.spawn { client in
            let router = RequestRouter(limits: client.core.configuration.limits, memory: client.waitingMemory)
            do throws(LinkError) {
                let connection = try await client.connecting.connect(
                    along: place.route, isPublic: client.core.configuration.limits.network.callsOnlyPublicly(place),
                    expecting: expected,
                    through: client.core.configuration.proxy, handler: router)
                if case .terminated = teller.yield(.connected(index, connection, router)) {
                    connection.closeUnneeded()
                }
            } catch {
                teller.yield(.failed(index, error))
            }
            client.reach.slots.giveBack()
        }
    }

    private func wake(_ teller: AsyncStream<CallNews>.Continuation, at time: MonotonicTime) -> Task<Void, Never> {
        core.tasks.spawn { client in
            do { try await client.core.clock.wait(max(.zero, time - client.core.clock.now())) } catch { return }
            teller.yield(.look)
        }
    }

    private func note(
        _ error: LinkError, of contact: ContactID, at place: PeerAddress, _ index: Int, _ failure: inout CallFailure
    ) {
        failure.note(LinkReason(error), at: index)
        guard case .wrongIdentity(_, let fingerprint) = error else {
            return noteCall(of: contact, to: place, .nobody)
        }
        noteCall(of: contact, to: place, .otherKey)
        let key = PeerID(fingerprint)
        failure.met(key, at: place, owner: core.links.ownerElsewhere(key))
    }

    /// Notes the answer at one place. A place that the contact has named is kept when it was the contact who answered.
    private func noteCall(of contact: ContactID, to address: PeerAddress, _ answer: CallBook.Answer) {
        guard let stored = core.links[contact]?.peer.addresses,
            let addresses = core.links[contact]?.calls.called(
                address, met: answer, stored: stored, now: core.clock.now())
        else { return }
        core.links[contact]?.peer.addresses = addresses
        people.keep(contact)
        listening.favourNetworks()
    }

    // MARK: Two links

    /// How long a link may take to show that it lives before a worse one takes its place (REACH 4).
    static let signOfLife = Duration.seconds(3)

    /// A worse way has led to a contact to whom a better link seems to live: that one has to answer in time.
    func weigh(_ link: ActiveLink, against present: ActiveLink, of contact: ContactID) async {
        let lives = await SignOfLife(core: core).comes(on: present, within: Self.signOfLife)
        guard core.isRunning, !lives else { return link.close(reason: "a better link to the same peer stays") }
        if core.links.replace(present.number, by: link, for: contact) {
            uploads.stopTransfers(on: present.number)
            present.close(reason: "replaced: it does not answer")
            begin(link, with: contact)
        } else {
            adopt(link, for: contact)
        }
    }
}
