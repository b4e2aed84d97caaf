// Everything that the screen shows, as one value. Only `update` changes it; `view` draws it.

package import ChatCore
package import ChatWords

/// The state of the program's screen.
package struct AppState: Sendable {
    /// Alt-y and Alt-n answer an offer only after it has been on the screen for so long: a key that was on its way
    /// when the offer appeared must not answer it.
    static let offerArming = Duration.milliseconds(700)

    // What the screen runs on; injected, so that pictures and tests are reproducible.

    package internal(set) var size: Size
    var clock: LocalClock
    var moment: Moment
    /// The home folder, shown as `~`.
    var home: String
    var version: String
    var settings = ScreenSettings() {
        didSet {
            if settings.keys != oldValue.keys || settings.enter != oldValue.enter {
                keymap = Keymap(overrides: settings.keys, enter: settings.enter)
            }
            if settings.spellCommand != oldValue.spellCommand { spelling = SpellCheck() }
        }
    }
    /// The keys as `settings.keys` changes them.
    private(set) var keymap = Keymap.standard
    /// What `settings.theme` names.
    var theme = Theme.terminal
    /// The keys of all settings and the values of those that have few, for completion.
    var settingNames: any SettingNames = NoSettings()

    /// What the terminal can do, as far as it is known.
    var terminal = TerminalCapabilities(colors: 256, unicode: true)

    // What the chat service says.

    var identity: LocalIdentity
    /// By contact id: a chat keeps its number while the program runs.
    var chats: [Chat] = []
    var requests: [ContactRequest] = []
    var transfers = TransferList()
    var downloads: (folder: String, freeBytes: UInt64)?
    var pictures = PictureShelf()
    var progressNews = ProgressNews()

    // What the user does.

    package internal(set) var openID: ContactID?
    var previousID: ContactID?
    /// The chats that were left last, the latest at the end: their newest pages are kept.
    var recentIDs: [ContactID] = []
    static let keptWindows = 8
    var input = InputLine()
    /// The half-typed lines of the chats that are not open.
    var drafts: [ContactID: InputLine] = [:]
    /// The chats whose drafts were changed on this screen.
    var typedDrafts: Set<ContactID> = []
    var killRing = KillRing()
    /// The last key was a kill in this direction: the next one joins it.
    var lastKill: KillRing.Direction?
    var history = InputHistory()
    var completion: Completion?
    var overlay: Overlay?
    /// The keys of an unfinished sequence (Ctrl-x of Ctrl-x Ctrl-e).
    var pendingKeys: [Key] = []
    /// Ctrl-v was pressed: the next key types what it is.
    var takesLiteral = false
    var spelling = SpellCheck()
    /// Enter was pressed once on a draft that was pasted, and asked.
    var hasAskedPaste = false
    /// Insert or normal mode, where the user wants vi's keys.
    var vi = ViMode()
    /// The shape that the terminal was told to give its cursor.
    var cursorShape = TerminalCommand.CursorShape.standard
    /// Where Esc returns to after a jump from the search.
    var returnPlace: ReturnPlace?
    /// `ui.mouse` as it was read last.
    var savedMouse = ScreenSettings().mouse
    /// What is happening is not the user's doing.
    var isNews = false
    /// The message under the cursor, while browse mode is on.
    var browse: BrowseMode?
    /// Something final that was asked for once.
    var confirmation: Confirmation?
    /// No panes and no indentation, so that the terminal's own selection copies well (Alt-l).
    var isPlain = false
    /// The folder in which files were chosen last.
    var pickerFolder: String?
    var listIsHidden = false
    var detailsAreHidden = false
    /// The terminal window has the focus, as far as it tells.
    var isFocused = true
    /// Whether somebody looks at it, as far as the keys tell.
    var attention = Attention()
    var isQuitting = false
    /// Something that was begun failed after that.
    var hasLeftUndone = false
    /// Keys and aliases that count here already and are on their way to the file.
    var unkeptKeys: Set<String> = []
    /// Another screen of this home goes on, and may leave another draft than this one.
    var isSecondScreen = false
    /// There is no screen: what happens is printed as lines.
    var isLineMode = false
    /// 0, or 128 + signal.
    var exitCode: Int32 = 0

    // What is shown for a while.

    var status: StatusNotice?
    var shownOffer: ShownOffer?
    /// What passed by on the status line in this run, oldest first.
    var said: [LocalNotice] = []
    /// Notices while no chat is open.
    var lobby: [LocalNotice] = []

    /// The first chat of the list beside the chat, where the wheel has moved it; `nil`: the open chat is seen.
    var listTop: Int?

    // What is under way.

    /// The last action has put characters into the input, and changed nothing else that is seen.
    var hasOnlyTyped = false
    var counter = 0
    /// The line that runs is that of a key.
    var runsBoundLine = false
    /// The line of the input whose command runs; it stands there again where nothing can be done with its text.
    var enteredLine: String?
    /// The folder that the latest command about files has named, whose number stands for its files in what is said.
    var namedFolder: TransferNumber?
    /// What /links has shown last.
    var listedLinks: ListedLinks?
    /// The number of the latest /goto: answers to earlier ones are stale.
    var counterOfGoTo = 0
    /// Whom to open first, when the command line named somebody.
    var firstContact: String?
    /// The conversations were read at least once.
    var hasLoaded = false
    /// What is to be seen first is still on its way: the list, and of the chat that opens the newest page and the draft.
    var isOpening: Bool {
        guard hasLoaded else { return true }
        guard let chat = openChat else { return false }
        return chat.storedDraft == .asked || (!chat.window.isLoaded && chat.window.loading != nil)
    }
    /// The mentions from before this start are to be asked for.
    var lacksMentions = false
    /// A command that asks once before it does something final, and waits for being entered again.
    var confirming: Errand?
    /// What a line of only yes or no answers.
    var lineQuestion = LineQuestion()
    var conversations = Refresh()
    var draftTimer: Duration?
    /// When (uptime) the open chat's link is asked how fast it is.
    var linkRefresh: Duration?
    /// Whose link has changed since it was last asked about: the next answer may be older than that.
    var linkNews: Set<ContactID> = []
    var typing: OwnTyping?
    /// What was told of late by bell and notifications.
    var announcements = Announcements()

    package init(
        size: Size, clock: LocalClock, moment: Moment, home: String, version: String,
        identity: LocalIdentity
    ) {
        self.size = size
        self.clock = clock
        self.moment = moment
        self.home = home
        self.version = version
        self.identity = identity
    }

    /// A sentence on the status line.
    struct StatusNotice: Sendable, Equatable {
        var text: String
        var isError: Bool
        /// It waits for an answer: a key that is none takes it away.
        var isQuestion = false
        /// The same in fewer words, for narrow screens.
        var shorts: [String] = []
        /// Where all of it can be read when it does not fit.
        var place = Place.log
        /// It is the first of several lines.
        var hasMore = false
        var until: Duration

        enum Place: Sendable {
            /// `/log` keeps what was said.
            case log
            /// At the end of the open chat, which is out of sight.
            case chat
        }
    }

    /// The offer that Alt-y and Alt-n answer. News from peers never changes it while it can be answered.
    struct ShownOffer: Sendable, Equatable {
        var number: TransferNumber
        /// Further offers of the same contact that are answered with it: those that waited when the question came up, and those
        /// that came before a key could answer it.
        var others: [TransferNumber] = []
        /// Uptime of the first time that it was in sight.
        var firstSince: Duration?
        /// Uptime since when it is in sight; `nil` while it is not.
        var since: Duration?
        /// What a key that came too early was told.
        var question: String?
    }

    /// Where Esc leads back to after a jump from a list.
    struct ReturnPlace: Sendable, Equatable {
        let contact: ContactID
        let scroll: ChatWindow.Scroll
        /// Where that was in the conversation: the jump may have taken its page out of memory.
        let position: HistoryPosition?
        let unreadLine: ChatWindow.UnreadLine?
        let search: SearchPane?

        init(_ chat: Chat, search: SearchPane?) {
            contact = chat.id
            scroll = chat.window.scroll
            position = chat.window.anchorPosition
            unreadLine = chat.window.unreadLine
            self.search = search
        }
    }

    /// We told a peer that we are typing.
    struct OwnTyping: Sendable, Equatable {
        var contact: ContactID
        /// Uptime of the last "composing"; repeated so that it does not run out at the peer.
        var toldAt: Duration
        var lastKey: Duration
    }

    /// A question to the service that is asked again when something changed, but not more often than it helps.
    struct Refresh: Sendable, Equatable {
        static let interval = Duration.milliseconds(200)

        var isRunning = false
        var isDirty = false
        var lastStart: Duration?

        /// When (uptime) it may start again.
        var due: Duration? {
            guard isDirty, !isRunning else { return nil }
            return lastStart.map { $0 + Self.interval } ?? .zero
        }
    }
}

// MARK: Looking things up

extension AppState {
    /// The key that does something, for sentences; where no key does it, what /bind calls it.
    func key(_ command: AppCommand) -> String {
        let label = keymap.label(of: command)
        return label.isEmpty ? command.name : label
    }

    func chatIndex(_ id: ContactID?) -> Int? {
        guard let id else { return nil }
        return chats.firstIndex { $0.id == id }
    }

    func chat(_ id: ContactID?) -> Chat? {
        chatIndex(id).map { chats[$0] }
    }

    var openChat: Chat? { chat(openID) }

    /// A contact's name for sentences.
    func name(of id: ContactID) -> String {
        chat(id)?.name.text ?? "?"
    }

    /// The contact that somebody means: the name as it is seen, in any case, else the only one that begins so, else its
    /// number.
    func contact(named text: String) -> ContactID? {
        let wanted = ContactNames.folded(text)
        if let exact = chats.first(where: { ContactNames.folded($0.peer.name) == wanted }) { return exact.id }
        // As it is shown, with what is marked in it.
        if let shown = chats.first(where: { ContactNames.folded($0.name.text) == wanted }) { return shown.id }
        if let chat = ContactNames.only(of: chats, beginningWith: text, name: \.peer.name) { return chat.id }
        if let number = Int(text), number > 0, chats.indices.contains(number - 1) { return chats[number - 1].id }
        return nil
    }

    /// What the terminal window is called.
    var windowTitle: SafeText {
        let unread = unreadChats > 0 ? "(\(unreadChats)) " : ""
        return SafeText(unread + "blipchat", as: .line)
            + (openChat.map { SafeText(literal: " · ") + $0.name } ?? .empty)
    }

    var unreadChats: Int { chats.count { $0.isUnread } }
    var queuedCount: Int { chats.reduce(0) { $0 + $1.conversation.queuedCount } }

    /// `path` with the home folder as `~`.
    func abbreviated(_ path: String) -> String { HomeFolder.abbreviated(path, home: home) }

    /// `~` and `~/…` with the home folder in full.
    func expanded(_ path: String) -> String {
        PastedPath.path(ofURI: path) ?? HomeFolder.expanded(path, home: home)
    }

    /// A number that was not given before in this run: generations, notices.
    mutating func nextNumber() -> Int {
        counter += 1
        return counter
    }
}

// MARK: Saying things

extension AppState {
    /// Shows a sentence on the status line for some seconds.
    ///
    /// `place`: where all of it can be read when it does not fit; `hasMore`: it is the first of several lines.
    mutating func say(
        _ text: String, isError: Bool = false, place: StatusNotice.Place = .log, hasMore: Bool = false
    ) {
        said.append(LocalNotice(id: nextNumber(), time: moment.wall, lines: [text], isError: isError))
        if said.count > Self.saidLimit { said.removeFirst(said.count - Self.saidLimit) }
        // What comes by itself does not hide what the next key answers; /log has it.
        if isNews, status?.isQuestion == true { return }
        status = StatusNotice(
            text: text, isError: isError, place: place, hasMore: hasMore, until: moment.uptime + .seconds(8))
    }

    /// Asks something that the next key answers or withdraws.
    mutating func say(question: String, short: String..., isError: Bool = false) {
        say(question, isError: isError)
        status?.isQuestion = true
        status?.shorts = short
    }

    /// Takes back a question that is still on the status line. `false` when there is none.
    mutating func withdrawQuestion() -> Bool {
        let wasOpen = confirmation != nil && status?.isQuestion == true
        confirmation = nil
        if wasOpen { status = nil }
        return wasOpen
    }

    /// Sentences that /log shows at most.
    private static let saidLimit = 200

    /// Adds dim lines to the open chat (or to the empty screen when there is none).
    mutating func note(_ lines: [String], isError: Bool = false) {
        let notice = LocalNotice(id: nextNumber(), time: moment.wall, lines: lines, isError: isError)
        // A chat whose history is still being read gets what is in the lobby after it.
        if let index = chatIndex(openID), chats[index].window.isLoaded {
            chats[index].window.add(notice)
            // The lines stand below what is on the screen: without a word here the command seems to do nothing.
            if !chats[index].window.isAtBottom, let first = lines.first {
                say(first, isError: isError, place: .chat, hasMore: lines.count > 1)
            }
        } else {
            lobby.append(notice)
            if lobby.count > 50 { lobby.removeFirst() }
        }
    }

    mutating func note(_ line: String, isError: Bool = false) {
        note([line], isError: isError)
    }
}
