// What happens by itself: what is due is carried out before every action, and the loop waits until the next of it.

import ChatCore

extension AppState {
    /// A peer that says nothing more for so long is not typing any more.
    static let peerTypingLimit = Duration.seconds(12)

    /// Whatever is due by now.
    mutating func expire(_ effects: inout [AppEffect]) {
        let now = surface.moment.uptime
        place.expireStatus(at: now)
        for index in world.chats.indices where world.chats[index].hasStoppedTyping(by: now) {
            world.chats[index].noteTyping(until: nil)
        }
        if let draft = due.draft, draft <= now { Drafts.storeDraft(&self, &effects) }
        SpellChecking.check(&self, &effects)
        SearchPane.searchAgain(&self, &effects)
        ChatNews.showProgress(&self)
        if due.takeLink(by: now), let openID = place.openID { effects.append(.ask(.links([openID]))) }
        if let errand = due.stopTyping(by: now) { effects.append(.run(errand)) }
        Announcing.announceDue(&self, &effects)
        if due.conversations.take(by: now) { effects.append(.ask(.conversations)) }
    }

    /// When (uptime) something becomes due or the shown clock changes.
    var deadline: Duration {
        let millisecondsInMinute = ((surface.moment.wall.milliseconds % 60_000) + 60_000) % 60_000
        var next = surface.moment.uptime + .milliseconds(60_000 - millisecondsInMinute)
        func consider(_ time: Duration?) {
            if let time, time < next { next = time }
        }
        consider(place.status?.until)
        // By their places: a chat is not copied to be asked.
        for index in world.chats.indices { consider(world.chats[index].typingUntil) }
        consider(due.next)
        consider(world.progressNews.due)
        if !composer.spelling.isRunning { consider(composer.spelling.due) }
        consider(SearchPane.due(in: place))
        consider(world.announcements.deadline)
        return next
    }
}
