// Tab and Shift-Tab in the input: from the word before the cursor to candidates, and from listing to candidates.

import ChatCore
import ChatWords

extension AppState {
    /// Tab (step 1) or Shift-Tab (step -1).
    mutating func complete(step: Int, _ effects: inout [AppEffect]) {
        if let completion, !completion.candidates.isEmpty {
            select(step: step)
            return
        }
        if input.isEmpty {
            if step > 0 { perform(.nextUnread, &effects) }
            return
        }
        let context = CompletionContext(textBeforeCursor: input.textBeforeCursor)
        if completePhrase(in: context) { return }
        let word = context.word.lowercased()
        switch context.kind {
        case .command, .commandArgument:
            let aliases = settings.aliases.keys.filter { $0.hasPrefix(word) }.sorted()
            offer(
                (SlashCommands.completions(of: word) + aliases).map { .init(label: "/" + $0, value: $0) },
                for: context)
        case .contact:
            let names = chats.map(\.peer.name).filter { $0.lowercased().hasPrefix(word) }
            offer(names.map { .init(label: $0, value: $0) }, for: context)
        case .transfer(let verb):
            let numbers = transfers.unfinished.filter {
                $0.fits(verb) && String($0.number.rawValue).hasPrefix(word)
            }
            let all: [Completion.Candidate] =
                verb != .limit && !word.isEmpty && "all".hasPrefix(word) ? [.init(label: "all", value: "all")] : []
            offer(
                numbers.map { .init(label: "#\($0.number.rawValue) \($0.name)", value: "\($0.number.rawValue)") } + all,
                for: context)
        case .oneOf(let words):
            offer(words.filter { $0.hasPrefix(word) }.map { .init(label: $0, value: $0) }, for: context)
        case .request:
            let numbers = requests.filter { String($0.id).hasPrefix(word) }
            offer(numbers.map { .init(label: "\($0.id) \($0.name)", value: "\($0.id)") }, for: context)
        case .path:
            let slash = context.word.lastIndex(of: "/").map { context.word.index(after: $0) }
            let folder = String(context.word[..<(slash ?? context.word.startIndex)])
            let prefix = String(context.word[(slash ?? context.word.startIndex)...])
            let generation = nextNumber()
            completion = Completion(start: context.start, generation: generation, folder: folder, prefix: prefix)
            let path = context.word == "~" ? home : folder.isEmpty ? "." : expanded(folder)
            effects.append(
                .ask(.files(folder: path, beginning: context.word == "~" ? "" : prefix, generation: generation)))
        case .setting:
            let keys = settingNames.keys.filter {
                $0.hasPrefix(word) || $0.split(separator: ".").last?.hasPrefix(word) == true
            }
            offer(keys.map { .init(label: $0, value: $0) }, for: context)
        case .value(let key):
            let values = (settingNames.choices[key] ?? []).filter { $0.lowercased().hasPrefix(word) }
            guard !values.isEmpty else { return say("Nothing to complete here") }
            offer(values.map { .init(label: $0, value: $0) }, for: context)
        case .action:
            let names = AppCommand.allCases.map(\.name).filter { $0.hasPrefix(word) }.sorted()
            offer(names.map { .init(label: $0, value: $0) }, for: context)
        case .key:
            let names = Set(keymap.lines.map(\.keys.name)).filter { $0.lowercased().hasPrefix(word) }.sorted()
            offer(names.map { .init(label: $0, value: $0) }, for: context)
        case .filter(let filters):
            let names = filters.filter { $0.hasPrefix(word) }
            offer(names.map { .init(label: $0, value: $0, isFolder: true) }, for: context)
        case .alias:
            let names = settings.aliases.keys.filter { $0.hasPrefix(word) }.sorted()
            offer(names.map { .init(label: $0, value: $0) }, for: context)
        case .emoji:
            let name = word.dropFirst()
            // `:smile:` is the whole name.
            let names =
                name.last == ":"
                ? EmojiNames.table.filter { $0.name == name.dropLast() }
                : EmojiNames.table.filter { $0.name.hasPrefix(name) }
            offer(names.map { .init(label: "\($0.emoji) :\($0.name):", value: $0.emoji) }, for: context)
        case .nothing: say("Nothing to complete here")
        }
    }

    /// A name of several words is completed as a whole. `false` when none is meant.
    private mutating func completePhrase(in context: CompletionContext) -> Bool {
        for phrase in CompletionContext.phrases(before: input.textBeforeCursor) {
            let word = phrase.word.lowercased()
            let names = chats.map(\.peer.name).filter { $0.lowercased().hasPrefix(word) }
            guard !names.isEmpty else { continue }
            var context = context
            (context.kind, context.word, context.start) = (.contact, phrase.word, phrase.start)
            offer(names.map { .init(label: $0, value: $0) }, for: context)
            return true
        }
        return false
    }

    /// A folder was read.
    mutating func receive(_ listing: FileListing, generation: Int) {
        guard let waiting = completion, waiting.generation == generation else {
            receive(listing, picker: generation)
            return
        }
        completion = nil
        var context = CompletionContext(textBeforeCursor: input.textBeforeCursor)
        context.start = waiting.start
        if context.word == "~" {
            replaceWord(from: context.start, with: .init(label: "~/", value: "~/", isFolder: true))
            return
        }
        let candidates = Completion.candidates(in: listing, folder: waiting.folder, prefix: waiting.prefix)
        offer(candidates, for: context)
    }

    /// One candidate is taken, several are listed behind their common beginning.
    private mutating func offer(_ candidates: [Completion.Candidate], for context: CompletionContext) {
        guard let first = candidates.first else {
            completion = nil
            say(context.word.isEmpty ? "Nothing to complete here" : "Nothing begins with \(context.word)")
            return
        }
        if candidates.count == 1 {
            completion = nil
            replaceWord(from: context.start, with: first)
            return
        }
        let common = Completion.commonPrefix(of: candidates.map(\.value))
        if common.count > context.word.count {
            input.replace(from: context.start, with: written(common, open: true))
        }
        completion = Completion(start: context.start, candidates: candidates)
    }

    private mutating func select(step: Int) {
        guard let list = completion else { return }
        let count = list.candidates.count
        takeCandidate(list.selected.map { ($0 + step + count) % count } ?? (step > 0 ? 0 : count - 1))
    }

    /// Puts a candidate into the line; the others stay on offer.
    mutating func takeCandidate(_ next: Int) {
        guard var list = completion, list.candidates.indices.contains(next) else { return }
        list.selected = next
        input.replace(from: list.start, with: written(list.candidates[next].value, open: false))
        // A folder that was walked to is entered by the next Tab after any other key, or with its slash at once.
        completion = list
        draftChanged()
    }

    /// An argument of a command is quoted where it has to be; in a message nobody reads it as one.
    private func written(_ value: String, open: Bool) -> String {
        guard input.characters.first == "/", input.characters.dropFirst().first != "/" else { return value }
        return ArgumentScanner.quoted(value, open: open)
    }

    private mutating func replaceWord(from start: Int, with candidate: Completion.Candidate) {
        let word = written(candidate.value, open: candidate.isFolder)
        input.replace(from: start, with: candidate.isFolder ? word : word + " ")
        draftChanged()
    }
}
