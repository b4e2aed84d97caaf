// Opening links and files: only on the user's key, with one argument and without a shell (PRODUCT, "Hostile text" 9).

import ChatCore
import ChatWords

extension AppState {
    /// Enter on a message in browse mode: what it is there for.
    mutating func actOn(_ message: ChatMessage, _ effects: inout [AppEffect]) {
        if case .file(let old) = message.content, !message.isRetracted {
            let transfer = transfers.byID[old.id] ?? old
            if let index = chatIndex(message.contact), chats[index].window.isHead(message) {
                let group = folderGroup(of: message, transfer, in: chats[index].window)
                guard let offer = group.isOpenOffer ? transfers.firstOffer(of: group) : nil else {
                    chats[index].window.toggleFolder(of: message)
                    return reveal(message.key)
                }
                return effects.append(.run(.accept(offer.number, folder: nil)))
            }
            if transfer.state == .offered, transfer.direction == .incoming {
                effects.append(.run(.accept(transfer.number, folder: nil)))
            } else {
                open(message, &effects)
            }
            return
        }
        if message.isRetracted { return showInfo(of: message, &effects) }
        if isFolded(message) { return show(.reader(ReaderPane(.text(message)))) }
        if !links(of: message).isEmpty { return open(message, &effects) }
        if let id = message.replyTo, let chat = openChat, case .found(let quoted) = chat.quoted(id),
            let index = chatIndex(openID)
        {
            let place = ReturnPlace(chat, search: nil)
            jump(to: quoted.key, at: quoted.position, at: index, &effects)
            returnPlace = place
            return
        }
        if let id = message.replyTo, let chat = openChat, case .missing = chat.quoted(id) {
            say("The message it replies to is not in this history")
        }
        showInfo(of: message, &effects)
    }

    /// The history shows only its beginning.
    func isFolded(_ message: ChatMessage) -> Bool {
        guard let chat = chat(message.contact), case .text = message.content else { return false }
        let width = ScreenLayout(self).chat.size.columns
        return MessageRows(state: self, chat: chat, message: message, width: width).isFolded
    }

    func links(of message: ChatMessage) -> [Link] {
        guard !message.isRetracted else { return [] }
        switch message.content {
        case .text(let text): return SafeText(text, as: .multiline).links
        case .file(let transfer): return SafeText(transfer.caption, as: .multiline).links
        }
    }

    /// `o`: the file, or the link; of several links one can be chosen.
    mutating func open(_ message: ChatMessage, _ effects: inout [AppEffect]) {
        if case .file(let old) = message.content, !message.isRetracted {
            if let window = chat(message.contact)?.window, window.isHead(message) {
                return openFile(of: folderGroup(of: message, transfers.byID[old.id] ?? old, in: window), &effects)
            }
            return open(transfers.byID[old.id] ?? old, &effects)
        }
        let links = links(of: message)
        switch links.count {
        case 0: say("No link in this message")
        case 1: open(links[0], &effects)
        default:
            let items = links.enumerated().map { LinkItem(number: $0 + 1, link: $1, message: message) }
            show(.choice(ChoicePane(.links(items))))
        }
    }

    /// A web address is opened at once, anything else when it is asked for again.
    mutating func open(_ link: Link, _ effects: inout [AppEffect]) {
        if link.scheme == "blip" {
            return typeHint("/add \(link.text)")
        }
        if !link.isWeb, !confirm(.open(link.text)) {
            return say(
                question: "\(link.text.prefix(60)) is not a web address. Repeat that to open it",
                short: "Not a web address. Again: opens it", isError: true)
        }
        launch(link.isWeb ? link.terminalURI ?? link.target : link.target, &effects)
    }

    /// A file that is here. What would be run rather than shown is the user's to start.
    mutating func open(_ transfer: FileTransfer, _ effects: inout [AppEffect]) {
        open(transfer, at: transfer.path, isFolder: false, &effects)
    }

    /// A received file that is complete, or our own; of a folder the folder.
    mutating func openFile(of group: TransferGroup, _ effects: inout [AppEffect]) {
        open(group.lead, at: group.path, isFolder: group.isFolder, &effects)
    }

    private mutating func open(
        _ transfer: FileTransfer, at path: String?, isFolder: Bool, _ effects: inout [AppEffect]
    ) {
        let number = transfer.number.rawValue
        guard let path, transfer.direction == .outgoing || transfer.state == .complete else {
            let end = transfer.state.isFinal ? "nothing arrived" : "nothing to open yet"
            return say("#\(number) is \(Sentences.word(for: transfer.state)): \(end)")
        }
        if NameFilter.isProgram(transfer.name), !isFolder {
            return say("#\(number) is a program in \(abbreviated(Self.folder(of: path))): start it from there")
        }
        launch(path, &effects)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private mutating func launch(_ target: String, _ effects: inout [AppEffect]) {
        guard let command = CommandLine.words(of: settings.openCommand), !command.isEmpty else {
            return say("No program is set to open files and links (/set files.open_command)", isError: true)
        }
        effects.append(.spawn(command + [target]))
        say("Opening \(SafeText(target, as: .line).truncated(to: 60).text)")
    }

    /// `s`: takes an offer, or says where the file is.
    mutating func saveFile(of message: ChatMessage, _ effects: inout [AppEffect]) {
        guard case .file(let old) = message.content, !message.isRetracted else {
            return say("No file in this message")
        }
        let transfer = transfers.byID[old.id] ?? old
        let number = transfer.number.rawValue
        switch (transfer.direction, transfer.state) {
        case (.incoming, .offered): effects.append(.run(.accept(transfer.number, folder: nil)))
        case (.incoming, .paused): effects.append(.run(.resume(transfer.number)))
        case (_, .complete), (.outgoing, _):
            // The line of a closed folder stands for all of its files.
            let isFolder = openChat?.window.isClosedHead(message) ?? false
            let path = isFolder ? transfer.pathOfFolder : transfer.path
            say(path.map { "#\(number) is \(abbreviated($0))" } ?? "#\(number) is not on this disk")
        default: say("#\(number) is \(Sentences.word(for: transfer.state))")
        }
    }
}
