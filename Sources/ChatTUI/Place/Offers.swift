// The offer on the status line, and the keys that answer it.

import ChatCore
import ChatWords

enum Offers {
    /// Whether the status line gets to the waiting offer: nothing more important is shown there.
    static func isShown(_ state: AppState) -> Bool {
        state.composer.begun == .nothing && state.place.status == nil
            && state.place.overlay == nil
            && state.place.browse == nil
            && state.openChat?.composing == nil
    }

    /// Alt-y and Alt-n; in the pane they mean the offer under its cursor.
    static func answer(accepting: Bool, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if let key = state.place.overlay?.pane.key(forOffer: accepting) {
            return state.performInOverlay(key, &effects)
        }
        // An offer that came while a pane was open has not been shown yet: the first key only asks about it, as with
        // every other.
        if state.place.shownOffer == nil { state.place.show(offer: state.world.nextOffer) }
        guard let shown = state.place.shownOffer, let transfer = state.world.transfers[shown.number] else {
            state.say("No offer is waiting")
            return
        }
        let offers = state.world.offers(of: shown)
        guard let since = shown.since, state.surface.moment.uptime - since >= Place.offerArming else {
            let group = state.world.transfers.group(of: shown.number) ?? TransferGroup(transfer)
            let what = TransferWords(state: state, group: group).name(width: 30).text
            let more = offers.count > 1 ? " and \(offers.count - 1) more" : ""
            let question =
                "Offer #\(shown.number.rawValue) \(what)\(more) from \(state.world.name(of: transfer.contact)): look, then press again"
            state.say(
                question: question, short: "Offer #\(shown.number.rawValue)\(more): look, then again",
                about: .offer(shown.number))
            return
        }
        // It is answered; the next one, if any, has to be on the screen for a while first.
        state.place.dismissStatus(about: .offer(shown.number))
        state.place.show(offer: nil)
        for offer in offers {
            var decided = offer
            decided.state = accepting ? .accepted : .declined
            state.world.transfers.update(decided, at: state.surface.moment.uptime)
        }
        let errands = offers.map {
            accepting ? Errand.accept($0.number, folder: nil) : .call(.declineTransfer($0.number))
        }
        effects += errands.count > 1 ? [.run(.several(errands))] : errands.map(AppEffect.run)
    }

    /// Keeps the shown offer until it is answered, then takes the oldest open one. Its arming time runs only while it
    /// can be seen.
    static func settle(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let offers = state.world.openOffers
        if let shown = state.place.shownOffer, !offers.contains(where: { $0.number == shown.number }) {
            if shown.since != nil { state.place.lineQuestion.noteClosed(at: state.surface.moment.uptime) }
            state.place.show(offer: nil)
        }
        if state.place.overlay == nil, state.place.shownOffer == nil, let next = state.world.nextOffer {
            state.place.show(offer: next)
            // The free space for downloads is shown beside it.
            effects.append(.ask(.downloads))
        }
        guard var shown = state.place.shownOffer else { return }
        shown.since = isInSight(shown, state) ? shown.since ?? state.surface.moment.uptime : nil
        shown.firstSince = shown.firstSince ?? shown.since
        join(offers, to: &shown, state)
        state.place.show(offer: shown)
    }

    /// One question is about an offer and all that come at the same time. An offer that joins has to be in sight for a
    /// while before a key answers, but this delay cannot grow forever.
    private static func join(_ offers: [FileTransfer], to shown: inout ShownOffer, _ state: AppState) {
        if let first = shown.firstSince, state.surface.moment.uptime - first >= Place.offerArming { return }
        guard let contact = state.world.transfers[shown.number]?.contact else { return }
        let others = offers.filter { $0.contact == contact && $0.number != shown.number }.map(\.number)
        guard others != shown.others else { return }
        shown.others = others
        if shown.since != nil { shown.since = state.surface.moment.uptime }
    }

    /// On the status line: in its turn, or because a key has asked for it.
    private static func isInSight(_ offer: ShownOffer, _ state: AppState) -> Bool {
        guard let status = state.place.status else { return isShown(state) }
        return status.subject == .offer(offer.number)
    }
}
