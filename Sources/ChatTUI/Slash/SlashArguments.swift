// The checks that many commands make on their arguments: whom they name, and whether anything follows them.

import ChatCore
import ChatWords

/// Looks up whom a command names, and says what is wrong with the name.
enum SlashArguments {
    /// The contact that somebody means, the open one when nobody is named; says so when there is none.
    static func contact(_ word: String?, _ state: inout AppState) -> ContactID? {
        guard let word else {
            if state.place.openID == nil {
                state.note("No chat is open: say who you mean (/contacts lists them)", isError: true)
            }
            return state.place.openID
        }
        // In quotes as a whole, or as it is: the first of several words would be somebody else.
        var scanner = ArgumentScanner(word)
        let first = scanner.next()
        let unquoted = scanner.remainder() == nil ? first : nil
        if let id = state.world.contact(named: word) ?? unquoted.flatMap(state.world.contact(named:)) { return id }
        let shown = SafeText(word, as: .name).text
        guard !shown.isEmpty else {
            state.note("No contact is called \"\" (/contacts lists them)", isError: true)
            return nil
        }
        let near = NearestName.to(
            word, among: state.world.chats.map { $0.peer.name.lowercased() }, tolerance: .generous)
        let meant = near.flatMap { near in state.world.chats.first { $0.peer.name.lowercased() == near } }
        let hint = meant.map { "did you mean \($0.name.text)?" } ?? "/contacts lists them"
        state.note("No contact is called \(shown) (\(hint))", isError: true)
        return nil
    }

    /// A contact that we refuse is neither called nor pinged: `true` when that was said.
    static func saysBlocked(_ contact: ContactID, _ state: inout AppState) -> Bool {
        guard let chat = state.world.chat(contact), chat.peer.isBlocked else { return false }
        state.note(Sentences.blocked(chat.name.text), isError: true)
        return true
    }
}

extension ArgumentScanner {
    /// Whether nothing follows; says so when something does, which would have been ignored.
    mutating func isEnd(of usage: String, hint: String? = nil, _ state: inout AppState) -> Bool {
        guard let rest = remainder() else { return true }
        let shown = SafeText(rest, as: .line).truncated(to: 30).text
        state.note("\(usage): what is \"\(shown)\" for?" + (hint.map { " (\($0))" } ?? ""), isError: true)
        return false
    }

    /// The contact that the next argument names, when more arguments follow it.
    mutating func contact(_ state: inout AppState) -> ContactID? {
        SlashArguments.contact(next(among: state.world.chats.map(\.peer.name)), &state)
    }
}
