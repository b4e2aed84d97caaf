// Opening links and files: only on the user's key, with one argument and without a shell (PRODUCT, "Hostile text" 9).

import ChatCore
import ChatWords

/// Opens files and links with the programs of the user.
enum Opening {
    /// Enter on a message in browse mode: what it is there for.
    static func actOn(_ message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .file(let old) = message.content, !message.isRetracted {
            let transfer = state.world.transfers.byID[old.id] ?? old
            if let index = state.world.chatIndex(message.contact), state.world.chats[index].window.isHead(message) {
                let group = state.world.folderGroup(of: message, transfer, in: state.world.chats[index].window)
                guard let offer = group.isOpenOffer ? state.world.transfers.firstOffer(of: group) : nil else {
                    state.world.chats[index].window.toggleFolder(of: message)
                    return Browsing.reveal(message.key, &state)
                }
                return effects.append(.run(.accept(offer.number, folder: nil)))
            }
            if transfer.state == .offered, transfer.direction == .incoming {
                effects.append(.run(.accept(transfer.number, folder: nil)))
            } else {
                open(message, &state, &effects)
            }
            return
        }
        if message.isRetracted { return ReaderPane.showInfo(of: message, &state, &effects) }
        if isFolded(message, state) { return state.show(.reader(ReaderPane(.text(message)))) }
        if !links(of: message).isEmpty { return open(message, &state, &effects) }
        if let id = message.replyTo, let chat = state.openChat, case .found(let quoted) = chat.quoted(id),
            let index = state.world.chatIndex(state.place.openID)
        {
            let place = ReturnPlace(chat, search: nil)
            Scrolling.jump(to: quoted.key, at: quoted.position, at: index, &state, &effects)
            state.place.keep(wayBack: place)
            return
        }
        if let id = message.replyTo, let chat = state.openChat, case .missing = chat.quoted(id) {
            state.say("The message it replies to is not in this history")
        }
        ReaderPane.showInfo(of: message, &state, &effects)
    }

    /// The history shows only its beginning.
    static func isFolded(_ message: ChatMessage, _ state: AppState) -> Bool {
        guard let chat = state.world.chat(message.contact), case .text = message.content else { return false }
        let width = ScreenLayout(state).chat.size.columns
        return MessageRows(state: state, chat: chat, message: message, width: width).isFolded
    }

    static func links(of message: ChatMessage) -> [Link] {
        guard !message.isRetracted else { return [] }
        switch message.content {
        case .text(let text): return SafeText(text, as: .multiline).links
        case .file(let transfer): return SafeText(transfer.caption, as: .multiline).links
        }
    }

    /// `o`: the file, or the link; of several links one can be chosen.
    static func open(_ message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .file(let old) = message.content, !message.isRetracted {
            if let window = state.world.chat(message.contact)?.window, window.isHead(message) {
                return openFile(
                    of: state.world.folderGroup(of: message, state.world.transfers.byID[old.id] ?? old, in: window),
                    &state, &effects)
            }
            return open(state.world.transfers.byID[old.id] ?? old, &state, &effects)
        }
        let links = links(of: message)
        switch links.count {
        case 0: state.say("No link in this message")
        case 1: open(links[0], &state, &effects)
        default:
            let items = links.enumerated().map { LinkItem(number: $0 + 1, link: $1, message: message) }
            state.show(.choice(ChoicePane(.links(items))))
        }
    }

    /// Opens a web address at once, anything else when the user asks again.
    static func open(_ link: Link, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if link.scheme == "blip" {
            return Mouse.typeHint("/add \(link.text)", &state)
        }
        if !link.isWeb, !state.place.confirm(.open(link.text), at: state.surface.moment.uptime) {
            return state.say(
                question: "\(link.text.prefix(60)) is not a web address. Repeat that to open it",
                short: "Not a web address. Again: opens it", isError: true)
        }
        launch(link.isWeb ? link.terminalURI ?? link.target : link.target, &state, &effects)
    }

    /// A file that is here. One that would be run rather than shown is for the user to start.
    static func open(_ transfer: FileTransfer, _ state: inout AppState, _ effects: inout [AppEffect]) {
        open(transfer, at: transfer.path, isFolder: false, &state, &effects)
    }

    /// A received file that is complete, or our own; for a folder, the folder.
    static func openFile(of group: TransferGroup, _ state: inout AppState, _ effects: inout [AppEffect]) {
        open(group.lead, at: group.path, isFolder: group.isFolder, &state, &effects)
    }

    private static func open(
        _ transfer: FileTransfer, at path: String?, isFolder: Bool, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        let number = transfer.number.rawValue
        guard let path, transfer.direction == .outgoing || transfer.state == .complete else {
            let end = transfer.state.isFinal ? "nothing arrived" : "nothing to open yet"
            return state.say("#\(number) is \(Sentences.word(for: transfer.state)): \(end)")
        }
        if NameFilter.isProgram(transfer.name), !isFolder {
            return state.say(
                "#\(number) is a program in \(state.surface.abbreviated(Self.folder(of: path))): start it from there")
        }
        launch(path, &state, &effects)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func launch(_ target: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let command = CommandLine.words(of: state.surface.settings.openCommand), !command.isEmpty else {
            return state.say("No program is set to open files and links (/set files.open_command)", isError: true)
        }
        effects.append(.spawn(command + [target]))
        state.say("Opening \(SafeText(target, as: .line).truncated(to: 60).text)")
    }

    /// `s`: takes an offer, or says where the file is.
    static func saveFile(of message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard case .file(let old) = message.content, !message.isRetracted else {
            return state.say("No file in this message")
        }
        let transfer = state.world.transfers.byID[old.id] ?? old
        let number = transfer.number.rawValue
        switch (transfer.direction, transfer.state) {
        case (.incoming, .offered): effects.append(.run(.accept(transfer.number, folder: nil)))
        case (.incoming, .paused): effects.append(.run(.call(.resumeTransfer(transfer.number))))
        case (_, .complete), (.outgoing, _):
            // The line of a closed folder means all of its files.
            let isFolder = state.openChat?.window.isClosedHead(message) ?? false
            let path = isFolder ? transfer.pathOfFolder : transfer.path
            state.say(path.map { "#\(number) is \(state.surface.abbreviated($0))" } ?? "#\(number) is not on this disk")
        default: state.say("#\(number) is \(Sentences.word(for: transfer.state))")
        }
    }
}
