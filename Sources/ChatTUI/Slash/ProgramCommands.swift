// Slash commands that the command line has, too, and that are done there: /export /import /doctor; and /backup and /qr.

import ChatCore
import ChatWords

/// Commands that the command line has, too.
enum ProgramCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .export: export(&scanner, &state, &effects)
        case .importHistory:
            // The command cannot ask there whether contacts may be added: its first answer names this word.
            var ahead = scanner
            let isAgreed = ahead.next() == "--yes"
            if isAgreed { scanner = ahead }
            guard let path = onlyPath(&scanner, "/import PATH", &state) else { return }
            effects.append(.ask(.command(ProgramCommand(["import"] + (isAgreed ? ["--yes"] : []) + [path]))))
        case .backup:
            if let path = onlyPath(&scanner, "/backup PATH", &state) { effects.append(.ask(.backUp(path))) }
        case .doctor: effects.append(.ask(.command(ProgramCommand(["doctor"]))))
        case .qr: askQRCode(&state, &effects)
        // The table sends no other command here.
        default: break
        }
    }

    /// By the end of a path. Without any it is text.
    private static let exportFormats = ["txt": "text", "text": "text", "json": "json", "html": "html"]

    /// `/export [WHO] PATH`: the form by the end of the path. Options as on the command line are passed on.
    private static func export(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        var ahead = scanner
        let words = ahead.all()
        if words.contains(where: { $0.hasPrefix("-") }) {
            effects.append(.ask(.command(ProgramCommand(["export"] + words.map(state.surface.expanded)))))
            return
        }
        var contact: Chat?
        if words.count > 1 {
            guard let id = scanner.contact(&state) else { return }
            contact = state.world.chat(id)
        } else if let word = words.first, let id = state.world.contact(named: word) {
            return state.note(
                "/export \(state.world.name(of: id)) PATH: say where to, or ./\(word) for a file by that name",
                isError: true)
        }
        // A mistyped name of a contact would become a file with all of the history.
        if contact == nil, let word = words.first, words.count == 1, !word.contains("/"), !word.contains(".") {
            let shown = SafeText(word, as: .name).text
            return state.note(
                "Nobody is called \(shown): /export ./\(shown) writes all chats to a file of that name", isError: true)
        }
        guard let path = onlyPath(&scanner, "/export [WHO] PATH", &state) else { return }
        let name = path.split(scalar: "/").last ?? ""
        let end = name.dropFirst().lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        guard let format = Self.exportFormats[end ?? "txt"] else {
            return state.note(
                "\(SafeText(state.surface.abbreviated(path), as: .name).text): /export writes .txt, .json or .html (by the end of the path)",
                isError: true)
        }
        var command = ["export"]
        if let contact { command.append(contact.peer.name) }
        command += ["--format", format, "-o", path]
        effects.append(.ask(.command(ProgramCommand(command))))
    }

    /// The path that is the rest of a line. Words after it would be lost, and the path would be another one.
    private static func onlyPath(_ scanner: inout ArgumentScanner, _ usage: String, _ state: inout AppState) -> String?
    {
        guard let path = scanner.next() else {
            state.note("\(usage): the path is missing", isError: true)
            return nil
        }
        return scanner.isEnd(of: usage, hint: "put a path with spaces in quotes", &state)
            ? state.surface.expanded(path) : nil
    }

    private static func askQRCode(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let address = state.world.identity.address else {
            state.note("You are not listening, so nobody can call you: there is no address to show", isError: true)
            return
        }
        effects.append(.ask(.qrCode("\(address)")))
    }

    static func receive(_ code: Result<QRCode, QRCodeError>, of address: String, _ state: inout AppState) {
        switch code {
        case .success(let code): state.show(.qr(QRPane(address: address, code: code)))
        case .failure(let error):
            state.note(["No QR code: \(error.reason) (\(error.advice)). The address is:", address], isError: true)
        }
    }

    /// A command has ended: shows its output, or that it is done.
    static func show(_ output: ProgramOutput, of command: ProgramCommand, _ state: inout AppState) {
        let name = command.words.first ?? ""
        let isError = output.exitCode != 0
        let said = output.lines.map { $0.hasPrefix("blipchat: ") ? String($0.dropFirst(10)) : $0 }
        let lines = said + (name == "doctor" ? state.surface.terminalLines : [])
        let place = command.words.firstIndex(of: "-o").flatMap { command.words.dropFirst($0 + 1).first }
        let done = place.map { "/\(name): written to \($0)" } ?? "/\(name): done"
        state.note(lines.isEmpty ? [isError ? "/\(name) failed" : done] : lines, isError: isError && name != "doctor")
        // /log keeps this line: it has the reason.
        let reason = lines.first.map { ": \($0)" } ?? ""
        let failed = name == "doctor" ? "/doctor found something (see above)" : "/\(name) failed\(reason)"
        state.say(isError ? failed : done, isError: isError)
    }
}
