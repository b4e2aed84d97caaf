// Slash commands that the command line has, too, and that are done there: /export /import /doctor; and /backup and /qr.

import ChatCore
import ChatWords

extension AppState {
    mutating func runProgram(_ verb: SlashVerb, _ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        switch verb {
        case .export: export(&scanner, &effects)
        case .importHistory:
            // Nobody can be asked there whether contacts may be added: the first answer names this word.
            var ahead = scanner
            let isAgreed = ahead.next() == "--yes"
            if isAgreed { scanner = ahead }
            guard let path = onlyPath(&scanner, "/import PATH") else { return }
            effects.append(.ask(.command(ProgramCommand(["import"] + (isAgreed ? ["--yes"] : []) + [path]))))
        case .backup:
            if let path = onlyPath(&scanner, "/backup PATH") { effects.append(.ask(.backUp(path))) }
        case .doctor: effects.append(.ask(.command(ProgramCommand(["doctor"]))))
        default: askQRCode(&effects)
        }
    }

    /// By the end of a path. Without any it is text.
    private static let exportFormats = ["txt": "text", "text": "text", "json": "json", "html": "html"]

    /// `/export [WHO] PATH`: the form by the end of the path. Options as on the command line are passed on.
    private mutating func export(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        var ahead = scanner
        let words = ahead.all()
        if words.contains(where: { $0.hasPrefix("-") }) {
            effects.append(.ask(.command(ProgramCommand(["export"] + words.map(expanded)))))
            return
        }
        var contact: Chat?
        if words.count > 1 {
            guard let id = nextContact(&scanner) else { return }
            contact = chat(id)
        } else if let word = words.first, let id = self.contact(named: word) {
            return note(
                "/export \(name(of: id)) PATH: say where to, or ./\(word) for a file by that name", isError: true)
        }
        // A contact whose name is mistyped would be a file with all of the history.
        if contact == nil, let word = words.first, words.count == 1, !word.contains("/"), !word.contains(".") {
            let shown = SafeText(word, as: .name).text
            return note(
                "Nobody is called \(shown): /export ./\(shown) writes all chats to a file of that name", isError: true)
        }
        guard let path = onlyPath(&scanner, "/export [WHO] PATH") else { return }
        let name = path.split(separator: "/").last ?? ""
        let end = name.dropFirst().lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        guard let format = Self.exportFormats[end ?? "txt"] else {
            return note(
                "\(SafeText(abbreviated(path), as: .name).text): /export writes .txt, .json or .html (by the end of the path)",
                isError: true)
        }
        var command = ["export"]
        if let contact { command.append(contact.peer.name) }
        command += ["--format", format, "-o", path]
        effects.append(.ask(.command(ProgramCommand(command))))
    }

    /// The path that is the rest of a line. What follows on it would be lost, and the path be another one.
    private mutating func onlyPath(_ scanner: inout ArgumentScanner, _ usage: String) -> String? {
        guard let path = scanner.next() else {
            note("\(usage): the path is missing", isError: true)
            return nil
        }
        return isEnd(&scanner, of: usage, hint: "put a path with spaces in quotes") ? expanded(path) : nil
    }

    private mutating func askQRCode(_ effects: inout [AppEffect]) {
        guard let address = identity.address else {
            note("You are not listening, so nobody can call you: there is no address to show", isError: true)
            return
        }
        effects.append(.ask(.qrCode("\(address)")))
    }

    mutating func receive(_ code: Result<QRCode, QRCodeError>, of address: String) {
        switch code {
        case .success(let code): show(.qr(QRPane(address: address, code: code)))
        case .failure(let error):
            note(["No QR code: \(error.reason) (\(error.advice)). The address is:", address], isError: true)
        }
    }

    /// A command has ended: what it said, or that it is done.
    mutating func show(_ output: ProgramOutput, of command: ProgramCommand) {
        let name = command.words.first ?? ""
        let isError = output.exitCode != 0
        let said = output.lines.map { $0.hasPrefix("blipchat: ") ? String($0.dropFirst(10)) : $0 }
        let lines = said + (name == "doctor" ? terminalLines : [])
        let place = command.words.firstIndex(of: "-o").flatMap { command.words.dropFirst($0 + 1).first }
        let done = place.map { "/\(name): written to \($0)" } ?? "/\(name): done"
        note(lines.isEmpty ? [isError ? "/\(name) failed" : done] : lines, isError: isError && name != "doctor")
        // /log keeps this line: it has the reason.
        let reason = lines.first.map { ": \($0)" } ?? ""
        let failed = name == "doctor" ? "/doctor found something (see above)" : "/\(name) failed\(reason)"
        say(isError ? failed : done, isError: isError)
    }

    /// What only the screen knows: its terminal, as far as it has answered.
    private var terminalLines: [String] {
        guard !isLineMode else { return ["line mode: blipchat asks the terminal nothing"] }
        let colors = terminal.colors == 0 ? "no colours" : "\(terminal.colors) colours"
        let pictures =
            switch terminal.graphics {
            case .none: "characters"
            case .kitty: "kitty's protocol"
            case .sixel: "sixels"
            }
        let parts = [
            colors, terminal.unicode ? "Unicode" : "ASCII", "pictures as \(pictures)",
            terminal.links ? "links" : "no links", terminal.mouse ? "mouse" : "no mouse",
            terminal.bracketedPaste ? "bracketed pastes" : "pastes guessed by speed",
        ]
        let ambiguous = "characters of ambiguous width take \(TextWidth.ambiguousColumns)"
        return [
            "terminal \(terminal.name): " + parts.joined(separator: ", "),
            "widths in columns: \(terminal.widths.summary); \(ambiguous)",
        ]
    }
}
