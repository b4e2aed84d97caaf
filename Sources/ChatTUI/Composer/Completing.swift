// Tab and Shift-Tab in the input: from the word before the cursor to candidates, and from listing to candidates.

import ChatCore
import ChatWords

/// Tab: completes the word in front of the cursor.
enum Completing {
    /// Tab (step 1) or Shift-Tab (step -1).
    static func complete(step: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if let completion = state.composer.completion, !completion.candidates.isEmpty {
            select(step: step, &state)
            return
        }
        if state.composer.input.isEmpty {
            if step > 0 { MainCommands.perform(.nextUnread, &state, &effects) }
            return
        }
        let context = CompletionContext(textBeforeCursor: state.composer.input.textBeforeCursor)
        if completePhrase(in: context, &state) { return }
        switch context.kind {
        case .path: readFolder(for: context, &state, &effects)
        case .value where candidates(for: context, state).isEmpty, .nothing: state.say("Nothing to complete here")
        default: offer(candidates(for: context, state), for: context, &state)
        }
    }

    /// The candidates for the typed beginning, as far as the state knows them: a folder has to be read first.
    private static func candidates(for context: CompletionContext, _ state: AppState) -> [Completion.Candidate] {
        let word = context.word.lowercased()
        func plain(_ words: some Sequence<String>) -> [Completion.Candidate] {
            words.map { .init(label: $0, value: $0) }
        }
        func aliases() -> [String] { state.surface.settings.aliases.keys.filter { $0.hasPrefix(word) }.sorted() }
        switch context.kind {
        case .command, .commandArgument:
            return (SlashCommands.completions(of: word) + aliases()).map { .init(label: "/" + $0, value: $0) }
        case .contact: return plain(state.world.chats.map(\.peer.name).filter { $0.lowercased().hasPrefix(word) })
        case .transfer(let verb):
            let transfers = state.world.transfers.unfinished.filter {
                $0.fits(verb) && String($0.number.rawValue).hasPrefix(word)
            }
            let all = verb != .limit && !word.isEmpty && "all".hasPrefix(word) ? ["all"] : []
            return transfers.map { .init(label: "#\($0.number.rawValue) \($0.name)", value: "\($0.number.rawValue)") }
                + plain(all)
        case .oneOf(let words): return plain(words.filter { $0.hasPrefix(word) })
        case .request:
            let requests = state.world.requests.filter { String($0.id).hasPrefix(word) }
            return requests.map { .init(label: "\($0.id) \($0.name)", value: "\($0.id)") }
        case .setting:
            return plain(
                state.surface.settingNames.keys.filter {
                    $0.hasPrefix(word) || $0.split(separator: ".").last?.hasPrefix(word) == true
                })
        case .value(let key):
            return plain((state.surface.settingNames.choices[key] ?? []).filter { $0.lowercased().hasPrefix(word) })
        case .action: return plain(AppCommand.allCases.map(\.name).filter { $0.hasPrefix(word) }.sorted())
        case .key:
            let names = Set(state.surface.keymap.lines.map(\.keys.name))
            return plain(names.filter { $0.lowercased().hasPrefix(word) }.sorted())
        case .filter(let filters):
            return filters.filter { $0.hasPrefix(word) }.map { .init(label: $0, value: $0, isFolder: true) }
        case .alias: return plain(aliases())
        case .spoken: return plain(MeetWords.completions(of: word))
        case .emoji:
            let name = word.dropFirst()
            // `:smile:` is the whole name.
            let emoji = EmojiNames.table.filter {
                name.last == ":" ? $0.name == name.dropLast() : $0.name.hasPrefix(name)
            }
            return emoji.map { .init(label: "\($0.emoji) :\($0.name):", value: $0.emoji) }
        case .path, .nothing: return []
        }
    }

    /// Asks for what is in the folder of a half-typed path; `receive` gets it.
    private static func readFolder(
        for context: CompletionContext, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        let slash = context.word.lastIndex(of: "/").map { context.word.index(after: $0) }
        let folder = String(context.word[..<(slash ?? context.word.startIndex)])
        let prefix = String(context.word[(slash ?? context.word.startIndex)...])
        let generation = state.place.nextNumber()
        state.composer.offer(
            Completion(start: context.start, generation: generation, folder: folder, prefix: prefix))
        let path = context.word == "~" ? state.surface.home : folder.isEmpty ? "." : state.surface.expanded(folder)
        effects.append(.ask(.files(folder: path, beginning: context.word == "~" ? "" : prefix, generation: generation)))
    }

    /// A name of several words is completed as a whole. `false` when none is meant.
    private static func completePhrase(in context: CompletionContext, _ state: inout AppState) -> Bool {
        for phrase in CompletionContext.phrases(before: state.composer.input.textBeforeCursor) {
            let word = phrase.word.lowercased()
            let names = state.world.chats.map(\.peer.name).filter { $0.lowercased().hasPrefix(word) }
            guard !names.isEmpty else { continue }
            var context = context
            (context.kind, context.word, context.start) = (.contact, phrase.word, phrase.start)
            offer(names.map { .init(label: $0, value: $0) }, for: context, &state)
            return true
        }
        return false
    }

    /// A folder was read.
    static func receive(_ listing: FileListing, generation: Int, _ state: inout AppState) {
        guard let waiting = state.composer.completion, waiting.generation == generation else {
            FilePicker.receive(listing, picker: generation, &state)
            return
        }
        state.composer.dropCompletion()
        var context = CompletionContext(textBeforeCursor: state.composer.input.textBeforeCursor)
        context.start = waiting.start
        if context.word == "~" {
            replaceWord(from: context.start, with: .init(label: "~/", value: "~/", isFolder: true), &state)
            return
        }
        let candidates = Completion.candidates(in: listing, folder: waiting.folder, prefix: waiting.prefix)
        offer(candidates, for: context, &state)
    }

    /// Takes a single candidate; lists several after inserting their common beginning.
    private static func offer(
        _ candidates: [Completion.Candidate], for context: CompletionContext, _ state: inout AppState
    ) {
        guard let first = candidates.first else {
            state.composer.dropCompletion()
            state.say(context.word.isEmpty ? "Nothing to complete here" : "Nothing begins with \(context.word)")
            return
        }
        if candidates.count == 1 {
            state.composer.dropCompletion()
            replaceWord(from: context.start, with: first, &state)
            return
        }
        let common = Completion.commonPrefix(of: candidates.map(\.value))
        if common.count > context.word.count {
            state.composer.input.replace(from: context.start, with: state.composer.written(common, open: true))
        }
        state.composer.offer(Completion(start: context.start, candidates: candidates))
    }

    private static func select(step: Int, _ state: inout AppState) {
        guard let list = state.composer.completion else { return }
        let count = list.candidates.count
        takeCandidate(list.selected.map { ($0 + step + count) % count } ?? (step > 0 ? 0 : count - 1), &state)
    }

    /// Puts a candidate into the line; the others stay on offer.
    static func takeCandidate(_ next: Int, _ state: inout AppState) {
        guard var list = state.composer.completion, list.candidates.indices.contains(next) else { return }
        list.selected = next
        state.composer.input.replace(
            from: list.start, with: state.composer.written(list.candidates[next].value, open: false))
        // A folder that was walked to is entered by the next Tab after any other key, or with its slash at once.
        state.composer.offer(list)
        Drafts.changed(&state)
    }

    private static func replaceWord(from start: Int, with candidate: Completion.Candidate, _ state: inout AppState) {
        let word = state.composer.written(candidate.value, open: candidate.isFolder)
        state.composer.input.replace(from: start, with: candidate.isFolder ? word : word + " ")
        Drafts.changed(&state)
    }
}
