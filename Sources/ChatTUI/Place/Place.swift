// Where the user is: which chat and pane are open, what is selected, asked and said.

package import ChatCore

/// The open chat, the pane over it, and the content of the status line.
package struct Place: Sendable {
    /// Alt-y and Alt-n answer an offer only after it has been on the screen for this long: a key that was on its way
    /// when the offer appeared must not answer it.
    static let offerArming = Duration.milliseconds(700)

    package private(set) var openID: ContactID?
    private(set) var previousID: ContactID?
    /// The chats that were left last, the latest at the end: their newest pages are kept.
    private var recentIDs: [ContactID] = []
    static let keptWindows = 8
    /// The contact to open first, when the command line named one.
    let firstContact: String?
    /// The first chat of the list beside the chat, where the wheel has moved it; `nil`: the open chat is seen.
    private(set) var listTop: Int?
    /// The number of the latest /goto: answers to earlier ones are stale.
    private(set) var latestGoTo = 0
    /// Where Esc returns to after a jump from the search.
    private(set) var returnPlace: ReturnPlace?

    private(set) var overlay: Overlay?
    /// The message under the cursor, while browse mode is on.
    var browse: BrowseMode?
    /// The folder in which files were chosen last.
    private(set) var pickerFolder: String?
    /// The folder that the latest command about files has named; its number means all of its files in notices.
    private(set) var namedFolder: TransferNumber?
    /// The links that /links showed last.
    private(set) var listedLinks: ListedLinks?

    // Questions to the user.

    /// Something final that the user has asked for once.
    private(set) var confirmation: Confirmation?
    /// A command that asks once before it does something final, and waits to be entered again.
    private(set) var askedErrand: Errand?
    /// The question that a line of only yes or no answers.
    var lineQuestion = LineQuestion()
    private(set) var shownOffer: ShownOffer?

    // Notices for the user.

    private(set) var status: StatusNotice?
    /// The notices of the status line in this run, oldest first.
    private(set) var said: [LocalNotice] = []
    /// Notices while no chat is open.
    private(set) var lobby: [LocalNotice] = []
    /// The current change is not the user's doing.
    private(set) var isNews = false
    /// The latest number of a generation or notice.
    private(set) var number = 0

    init(firstContact: String? = nil) { self.firstContact = firstContact }

    /// An action begins, which may be news that nobody here has asked for.
    mutating func begin(isNews: Bool) { self.isNews = isNews }

    /// A number that was not given before in this run: generations, notices.
    mutating func nextNumber() -> Int {
        number += 1
        return number
    }
}

extension Place {
    /// The question of a key in browse mode or in a pane. The user answers the question of a command by typing the
    /// command again.
    var openQuestion: (status: StatusNotice, confirmation: Confirmation?)? {
        guard let status = self.status, status.isQuestion, browse != nil || overlay != nil else {
            return nil
        }
        return (status, self.confirmation)
    }

    /// A notice in browse mode counts as read when the next key comes: it hides what is selected.
    mutating func endNotice() {
        if browse != nil, overlay == nil, let status = self.status, !status.isQuestion, !status.isError {
            self.status = nil
        }
    }

    /// Where the keys go now.
    var keyContext: KeyContext { overlay?.pane.keyContext ?? (browse == nil ? .main : .browse) }

    /// A click into a field: what is typed goes there from now on.
    mutating func clickField(_ field: FieldTarget, at point: Point) {
        guard var pane = overlay?.pane else { return }
        pane.click(field, column: point.column)
        overlay = pane.overlay
    }

    mutating func carryOut(_ step: PaneStep, of pane: any Pane) {
        switch step {
        case .stays: overlay = pane.overlay
        case .closes: overlay = nil
        case .left: break
        }
    }
}

// MARK: The pane over the chat

extension Place {
    /// The pane is open, as it is now.
    mutating func put(_ pane: Overlay) { overlay = pane }

    mutating func closePane() { overlay = nil }

    /// The file picker begins here next time.
    mutating func keep(pickerFolder folder: String) { pickerFolder = folder }

    /// The user has named a transfer, which may be a folder.
    mutating func note(named number: TransferNumber) { namedFolder = number }

    /// /links has given its links numbers.
    mutating func note(listed links: ListedLinks) { listedLinks = links }
}

// MARK: The open chat

extension Place {
    /// Another chat is open now, or none.
    mutating func open(_ id: ContactID?) {
        previousID = openID
        openID = id
    }

    /// The chat `id` was left. Returns the chat whose pages are not kept any longer.
    mutating func leave(_ id: ContactID) -> ContactID? {
        recentIDs.removeAll { $0 == id }
        recentIDs.append(id)
        return recentIDs.count > Self.keptWindows ? recentIDs.removeFirst() : nil
    }

    /// The contact was removed.
    mutating func forget(_ id: ContactID) {
        if openID == id { openID = nil }
        if previousID == id { previousID = nil }
    }

    /// The wheel has moved the list of chats; `nil`: it follows the open chat again.
    mutating func scrollList(to first: Int?) { listTop = first }

    /// Esc leads back there after a jump.
    mutating func keep(wayBack place: ReturnPlace?) { returnPlace = place }

    mutating func dropWayBack() { returnPlace = nil }

    mutating func takeWayBack() -> ReturnPlace? {
        defer { returnPlace = nil }
        return returnPlace
    }

    /// The generation of a new /goto.
    mutating func nextGoTo() -> Int {
        latestGoTo = nextNumber()
        return latestGoTo
    }
}

// MARK: Saying and asking

extension Place {
    /// The most sentences that /log shows.
    private static let saidLimit = 200
    /// The most notices that wait for a chat.
    private static let lobbyLimit = 50

    /// Shows a sentence on the status line for some seconds.
    ///
    /// `place`: where all of it can be read when it does not fit; `hasMore`: it is the first of several lines.
    mutating func say(
        _ text: String, about subject: StatusNotice.Subject? = nil, isError: Bool = false,
        place: StatusNotice.Place = .log, hasMore: Bool = false, at now: Moment
    ) {
        said.append(LocalNotice(id: nextNumber(), time: now.wall, lines: [text], isError: isError))
        if said.count > Self.saidLimit { said.removeFirst(said.count - Self.saidLimit) }
        // A notice that comes by itself does not hide a question that the next key answers; /log has it.
        if isNews, status?.isQuestion == true { return }
        status = StatusNotice(
            text: text, subject: subject, isError: isError, place: place, hasMore: hasMore,
            until: now.uptime + .seconds(8))
    }

    /// A notice while no chat can show it.
    mutating func addToLobby(_ notice: LocalNotice) {
        lobby.append(notice)
        if lobby.count > Self.lobbyLimit { lobby.removeFirst() }
    }

    /// The notices of the lobby, for the chat that shows them from now on.
    mutating func takeLobby() -> [LocalNotice] {
        defer { lobby = [] }
        return lobby
    }

    /// Asks something that the next key answers or withdraws.
    mutating func ask(
        _ question: String, shorts: [String], about subject: StatusNotice.Subject? = nil, isError: Bool, at now: Moment
    ) {
        say(question, about: subject, isError: isError, at: now)
        status?.isQuestion = true
        status?.shorts = shorts
    }

    /// Whether the user asks for something final a second time; else the question is open for as long as it is shown.
    mutating func confirm(_ subject: Confirmation.Subject, at now: Duration) -> Bool {
        let isConfirmed = confirmation.map { $0.subject == subject && $0.isArmed(at: now) } ?? false
        confirmation = isConfirmed ? nil : Confirmation(subject: subject, asked: now)
        return isConfirmed
    }

    /// The sentence on the status line does not apply any more.
    mutating func dismissStatus() { status = nil }

    /// The notice on the status line may go; a question stays.
    mutating func dismissNotice() { if status?.isQuestion != true { status = nil } }

    /// The question on the status line is over.
    mutating func dismissQuestion() { if status?.isQuestion == true { status = nil } }

    /// The failure that the status line reports is mended.
    mutating func dismissError() { if status?.isError == true { status = nil } }

    /// The status line may go if it is about `subject`.
    mutating func dismissStatus(about subject: StatusNotice.Subject) { if status?.subject == subject { status = nil } }

    mutating func expireStatus(at now: Duration) {
        if let until = status?.until, until <= now { status = nil }
    }

    /// Nothing final is waiting for a second key any more.
    mutating func dropConfirmation() { confirmation = nil }

    /// After a key: a question that it has answered, or that it has not, is not to be read any more. One that it has
    /// asked anew is.
    mutating func settle(_ asked: (status: StatusNotice, confirmation: Confirmation?)) {
        guard confirmation == nil || confirmation == asked.confirmation else { return }
        // Also when the key has said something in its place: what cannot be read any more is not answered.
        confirmation = nil
        if status == asked.status { status = nil }
    }

    /// A command has asked: entering it once more, or yes, confirms it.
    mutating func note(asked errand: Errand?) { askedErrand = errand }

    /// Another line was entered than the one that confirms it.
    mutating func dropAskedErrand() { askedErrand = nil }

    mutating func takeAskedErrand() -> Errand? {
        defer { askedErrand = nil }
        return askedErrand
    }

    /// The offer on the status line, which Alt-y and Alt-n answer.
    mutating func show(offer: ShownOffer?) { shownOffer = offer }

    /// Takes back a question that is still on the status line. `false` when there is none.
    mutating func withdrawQuestion() -> Bool {
        let wasOpen = confirmation != nil && status?.isQuestion == true
        confirmation = nil
        if wasOpen { status = nil }
        return wasOpen
    }
}
