// Ctrl-t: choosing files and folders to send. The half-typed line stays as it is.

import ChatCore

extension FilePicker {
    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        switch command {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -10)
        case .pageDown: move(by: 10)
        case .markFile: toggleMark()
        case .sendFile: return .closes
        case .hiddenFiles:
            showsHidden.toggle()
            placeCursor()
        case .deleteBackward where filter.isEmpty, .left where filter.isEmpty: leaveFolder(&state, &effects)
        case .right where filter.textBeforeCursor == filter.text: enterFolder(&state, &effects)
        case .choose:
            // A folder is opened also when something is marked, so that more can be marked in it.
            guard selectedFile != nil else {
                enterFolder(&state, &effects)
                break
            }
            if marked.isEmpty { toggleMark() }
            return send(&state, &effects)
        case .sendMarked:
            if marked.isEmpty { toggleMark() }
            if !marked.isEmpty { return send(&state, &effects) }
            state.say("Nothing is marked")
        default:
            let before = filter.characters
            let outcome = filter.perform(
                command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
            if outcome != .ignored, filter.characters != before { filterChanged(&state, &effects) }
        }
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        filter.insert(text)
        filterChanged(&state, &effects)
    }

    mutating func click(_ field: FieldTarget, column: Int) { filter.move(to: field.offset(in: filter, at: column)) }

    // MARK: Parts

    fileprivate mutating func read(_ state: inout AppState, _ effects: inout [AppEffect]) {
        listing = nil
        ask(&state, &effects)
    }

    private mutating func ask(_ state: inout AppState, _ effects: inout [AppEffect]) {
        generation = state.place.nextNumber()
        isLooking = true
        effects.append(.ask(.files(folder: folder, wish: filter.text, generation: generation)))
    }

    /// A path that is typed or pasted walks there: `photos/`, `../`, `~/`, `/tmp/x.png`.
    private mutating func filterChanged(_ state: inout AppState, _ effects: inout [AppEffect]) {
        placeCursor()
        guard filter.text.contains("/") else {
            // The entry that the user wants may be among those that are left out.
            if listing?.isCut ?? true { ask(&state, &effects) }
            return
        }
        let text = PastedPath.plain(filter.text)
        let isAbsolute = text.hasPrefix("/") || text.hasPrefix("~/")
        let path = isAbsolute ? state.surface.expanded(text) : folder + "/" + text
        let (parent, name) = FilePath.split(path)
        folder = FilePath.normalized(parent)
        filter = InputLine(name)
        read(&state, &effects)
    }

    /// Into the folder under the cursor.
    private mutating func enterFolder(_ state: inout AppState, _ effects: inout [AppEffect]) {
        switch selectedRow {
        case .parent: leaveFolder(&state, &effects)
        case .entry(let entry) where entry.isFolder:
            folder = path(of: entry.name)
            filter = InputLine()
            read(&state, &effects)
        case .entry, nil: break
        }
    }

    /// Up to the folder that this one is in.
    private mutating func leaveFolder(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard folder != "/" else { return }
        let (parent, name) = FilePath.split(folder)
        folder = parent
        wanted = name
        filter = InputLine()
        read(&state, &effects)
    }

    private func send(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        state.place.keep(pickerFolder: folder)
        effects.append(.run(.sendFiles(marked.map(\.path), caption: "", to: contact)))
        let names = marked.map { state.surface.abbreviated($0.path) }
        state.say("Offering \(names.count == 1 ? names.joined() : "\(names.count) files")")
        return .closes
    }

    /// The folder has been read.
    fileprivate mutating func take(_ listing: FileListing) {
        // Where the user has put the cursor; the first one is only the best of what was there.
        let chosen = selected > 0 ? selectedRow?.name : nil
        self.listing = listing
        isLooking = false
        if wanted == nil { wanted = chosen }
        placeCursor()
    }
}

extension FilePicker {
    /// Opens the picker for the open chat, in the folder that was used last.
    static func show(_ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .files = state.place.overlay {
            state.place.closePane()
            return
        }
        guard let openID = state.place.openID else {
            state.say("No chat is open: /query WHO opens one", isError: true)
            return
        }
        var picker = FilePicker(
            contact: openID, folder: state.place.pickerFolder ?? (state.surface.home.isEmpty ? "/" : state.surface.home)
        )
        picker.read(&state, &effects)
        state.show(.files(picker))
    }

    /// The folder of the picker has been read.
    static func receive(_ listing: FileListing, picker generation: Int, _ state: inout AppState) {
        guard case .files(var picker) = state.place.overlay, picker.generation == generation else { return }
        picker.take(listing)
        state.place.put(.files(picker))
    }
}
