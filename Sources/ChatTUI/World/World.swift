// The screen's copy of the chat, which events and answers of the service keep up to date.

import ChatCore
import ChatWords

/// Our identity, chats, requests and files, as the service has reported them.
struct World: Sendable {
    private(set) var identity: LocalIdentity {
        didSet { if identity.name != oldValue.name { findTwins() } }
    }
    /// By contact id: a chat keeps its number while the program runs.
    var chats: [Chat] = []
    private(set) var requests: [ContactRequest] = []
    var transfers = TransferList()
    private(set) var downloads: (folder: String, freeBytes: UInt64)?
    var pictures = PictureShelf()
    var progressNews = ProgressNews()
    /// The conversations were read at least once.
    private(set) var hasLoaded = false
    /// We still have to ask for the mentions from before this start.
    private(set) var lacksMentions = false
    /// Whose link has changed since it was last asked about: the next answer may be older than that.
    private var linkNews: Set<ContactID> = []
    /// The recent announcements by bell and notifications.
    var announcements = Announcements()
    /// Skeletons of our contacts' names and of ours (`NameLikeness`): anyone called so in a room may be somebody else.
    private(set) var skeletons: Set<String> = []
    /// Another screen of this home keeps running, and may leave another draft than this one.
    let isSecondScreen: Bool

    init(identity: LocalIdentity, isSecondScreen: Bool = false) {
        self.identity = identity
        self.isSecondScreen = isSecondScreen
    }
}

// MARK: Looking things up

extension World {
    func chatIndex(_ id: ContactID?) -> Int? {
        guard let id else { return nil }
        return chats.firstIndex { $0.id == id }
    }

    func chat(_ id: ContactID?) -> Chat? {
        chatIndex(id).map { chats[$0] }
    }

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
        if let number = Int(text), number > 0, chats.indices.contains(number - 1) {
            return chats[number - 1].id
        }
        return nil
    }

    var unreadChats: Int { chats.count { $0.isUnread } }

    var queuedCount: Int { chats.reduce(0) { $0 + $1.conversation.queuedCount } }
}

// MARK: News of the chat

extension World {
    /// All conversations, in the answer of the store to a question of `time` (uptime). Whatever only the screen knows of
    /// each stays.
    mutating func receive(_ list: [Conversation], askedAt time: Duration?) -> ListNews {
        if !hasLoaded { lacksMentions = true }
        hasLoaded = true
        var old: [ContactID: Chat] = [:]
        for chat in chats { old[chat.id] = chat }
        var news = ListNews()
        chats = list.map { conversation in
            let id = conversation.peer.id
            let key = old[id]?.peer.peerID
            if let new = conversation.peer.peerID, new != key { news.withNewKey.insert(id) }
            guard var chat = old[id] else {
                news.added.append(id)
                return Chat(conversation: conversation)
            }
            chat.receive(conversation, askedAt: time)
            return chat
        }
        let present = Set(chats.map(\.id))
        if !present.isSuperset(of: old.keys) { transfers.keep(of: present) }
        if list.count != old.count || list.contains(where: { old[$0.peer.id]?.peer.name != $0.peer.name }) {
            findTwins()
        }
        return news
    }

    /// The news in a list of all conversations.
    struct ListNews {
        fileprivate(set) var added: [ContactID] = []
        /// The contacts that have a key which they did not have before.
        fileprivate(set) var withNewKey: Set<ContactID> = []
    }

    /// The chat does not run, and no link with it.
    mutating func loseLinks() {
        for index in chats.indices { chats[index].receive(link: .offline(reason: .notRunning)) }
    }

    /// A contact that the user has just made. `false` when it is known.
    mutating func add(_ peer: Peer) -> Bool {
        guard chatIndex(peer.id) == nil else { return false }
        let conversation = Conversation(peer: peer, lastMessage: nil, unreadCount: 0, readUpTo: nil, queuedCount: 0)
        chats.insert(Chat(conversation: conversation), at: chats.firstIndex { $0.id > peer.id } ?? chats.count)
        findTwins()
        return true
    }

    mutating func receive(_ identity: LocalIdentity) { self.identity = identity }

    /// All open contact requests.
    mutating func receive(requests list: [ContactRequest]) { requests = list }

    /// A request is decided about.
    mutating func forget(request id: Int64) { requests.removeAll { $0.id == id } }

    mutating func receive(downloads folder: String, freeBytes: UInt64) { downloads = (folder, freeBytes) }

    /// Whether nobody has asked yet for the unread messages that name us; the caller does.
    mutating func takeLacksMentions() -> Bool {
        defer { lacksMentions = false }
        return lacksMentions
    }
}

// MARK: Messages and offers

extension World {
    /// The first file tells of the whole folder.
    func knowsFolder(_ message: ChatMessage) -> Bool {
        ChatWindow.folder(of: message).map(transfers.knows) ?? false
    }

    /// Marks the names that are like one that was there before, and learns which names nobody in a room should have.
    mutating func findTwins() {
        let likenesses = NameLikeness.likenesses(among: chats.map(\.peer))
        for index in chats.indices { chats[index].receive(twin: likenesses.twins[chats[index].id]) }
        skeletons = likenesses.people.union([NameLikeness.skeleton(of: identity.name)])
    }

    func mentionsMe(_ message: ChatMessage) -> Bool {
        guard message.direction == .incoming, case .text(let text) = message.content else { return false }
        return NameMention.occurs(of: identity.name, in: text)
    }

    mutating func noteLinkNews(of contact: ContactID) { linkNews.insert(contact) }

    /// An answer about links. What came as news while it was on its way counts; returns whose: to ask about once more.
    mutating func receive(links: [ContactID: LinkState]) -> Set<ContactID> {
        let overtaken = linkNews.intersection(links.keys)
        for index in chats.indices where !overtaken.contains(chats[index].id) {
            if let link = links[chats[index].id] { chats[index].receive(link: link) }
        }
        linkNews.subtract(overtaken)
        return overtaken
    }

    mutating func receive(mentions: [ChatMessage]) {
        for message in mentions where mentionsMe(message) {
            if let index = chatIndex(message.contact), chats[index].isUnread {
                chats[index].noteMention()
            }
        }
    }

    mutating func receive(quotes messages: [ChatMessage], asked: [MessageID], of contact: ContactID) {
        if let index = chatIndex(contact) { chats[index].receive(quotes: messages, asked: asked) }
    }

    /// By what was stored last; those without any message last, as they were added.
    func isNewer(_ left: Int, _ right: Int) -> Bool {
        let newest = HistoryPosition(.min)
        let (one, other) = (
            chats[left].conversation.lastMessage?.position ?? newest,
            chats[right].conversation.lastMessage?.position ?? newest
        )
        return one == other ? left < right : one > other
    }

    /// Offers that can be answered: nothing is taken from somebody who is blocked.
    var openOffers: [FileTransfer] { transfers.openOffers.filter { chat($0.contact)?.peer.isBlocked != true } }

    /// The oldest offer that waits, with all others of the same contact: one question is about all of them.
    var nextOffer: ShownOffer? {
        let offers = openOffers
        guard let first = offers.first else { return nil }
        return ShownOffer(
            number: first.number,
            others: offers.dropFirst().filter { $0.contact == first.contact }.map(\.number))
    }

    /// The offers that the keys answer now; some of those that were shown may have been decided about meanwhile.
    func offers(of shown: ShownOffer) -> [FileTransfer] {
        openOffers.filter { $0.number == shown.number || shown.others.contains($0.number) }
    }

    /// Of an offer: the bytes of the file, or of the folder that it belongs to.
    func wholeSize(of offer: FileTransfer) -> UInt64 { transfers.group(of: offer.number)?.size ?? offer.size }

    /// Tells the store what the user has seen, unless it is busy with what they saw before.
    mutating func sendSeen(at index: Int, _ effects: inout [AppEffect]) {
        guard let position = chats[index].takeSeen() else { return }
        effects.append(.run(.call(.markSeen(chats[index].id, upTo: position))))
    }

    /// Whether another file represents the folder of this one: the line in the window, or the first of the transfers
    /// where no file of it is in the window.
    func isBehindFolder(_ message: ChatMessage) -> Bool {
        guard case .file(let transfer) = message.content, let key = ChatWindow.folder(of: message) else { return false }
        let line =
            chat(message.contact)?.window.folders.heads[key]?.key.id
            ?? transfers.group(of: transfer.number)?.lead.id
        return line.map { $0 != message.id } ?? false
    }

    /// The transfers of the folder whose line `message` is, as far as they are known.
    func folderGroup(of message: ChatMessage, _ head: FileTransfer, in window: ChatWindow) -> TransferGroup {
        if let group = transfers.group(of: head.number) { return group }
        var group = TransferGroup(head)
        for file in window.files(behind: message) { group.change(from: nil, to: transfers.byID[file.id] ?? file) }
        return group
    }

    /// How far the message of an offer is, where it is loaded.
    func mark(of transfer: FileTransfer) -> DeliveryState? {
        chat(transfer.contact)?.window.message(.id(transfer.id))?.state
    }

    /// Whether the other side does not have an offer of ours yet.
    func isBeforeOffering(_ transfer: FileTransfer) -> Bool { [.pending, .sent].contains(mark(of: transfer)) }
}

// MARK: Words

extension World {
    /// The words for a message, with the name of its contact as the screen has it.
    func words(of message: ChatMessage) -> MessageWords {
        MessageWords(message, contact: chat(message.contact)?.name ?? SafeText(literal: "?"), known: skeletons)
    }
}
