// Ctrl-t: choosing files and folders to send. The half-typed line stays as it is.

import ChatCore
import ChatWords

extension AppState {
    /// Opens the picker for the open chat, in the folder that was used last.
    mutating func showFilePicker(_ effects: inout [AppEffect]) {
        if case .files = overlay {
            overlay = nil
            return
        }
        guard let openID else {
            say("No chat is open: /query WHO opens one", isError: true)
            return
        }
        var picker = FilePicker(contact: openID, folder: pickerFolder ?? (home.isEmpty ? "/" : home))
        read(&picker, &effects)
        show(.files(picker))
    }

    mutating func perform(_ command: AppCommand, in picker: inout FilePicker, _ effects: inout [AppEffect]) {
        switch command {
        case .up: picker.move(by: -1)
        case .down: picker.move(by: 1)
        case .pageUp: picker.move(by: -10)
        case .pageDown: picker.move(by: 10)
        case .markFile: picker.toggleMark()
        case .sendFile:
            overlay = nil
            return
        case .hiddenFiles:
            picker.showsHidden.toggle()
            picker.placeCursor()
        case .deleteBackward where picker.filter.isEmpty, .left where picker.filter.isEmpty:
            leave(&picker, &effects)
        case .right where picker.filter.textBeforeCursor == picker.filter.text: enter(&picker, &effects)
        case .choose:
            // A folder is opened also when something is marked, so that more can be marked in it.
            guard picker.selectedFile != nil else {
                enter(&picker, &effects)
                break
            }
            if picker.marked.isEmpty { picker.toggleMark() }
            return send(picker, &effects)
        case .sendMarked:
            if picker.marked.isEmpty { picker.toggleMark() }
            if picker.marked.isEmpty { say("Nothing is marked") } else { return send(picker, &effects) }
        default:
            let before = picker.filter.characters
            if picker.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) == .ignored {
                return
            }
            if picker.filter.characters != before { filterChanged(&picker, &effects) }
        }
        overlay = .files(picker)
    }

    mutating func type(_ text: String, into picker: inout FilePicker, _ effects: inout [AppEffect]) {
        picker.filter.insert(text)
        filterChanged(&picker, &effects)
        overlay = .files(picker)
    }

    /// The folder of the picker has been read.
    mutating func receive(_ listing: FileListing, picker generation: Int) {
        guard case .files(var picker) = overlay, picker.generation == generation else { return }
        // Where the user has put the cursor; the first one is only the best of what was there.
        let chosen = picker.selected > 0 ? picker.selectedRow?.name : nil
        picker.listing = listing
        picker.isLooking = false
        if picker.wanted == nil { picker.wanted = chosen }
        picker.placeCursor()
        overlay = .files(picker)
    }

    // MARK: Parts

    private mutating func read(_ picker: inout FilePicker, _ effects: inout [AppEffect]) {
        picker.listing = nil
        ask(&picker, &effects)
    }

    private mutating func ask(_ picker: inout FilePicker, _ effects: inout [AppEffect]) {
        picker.generation = nextNumber()
        picker.isLooking = true
        effects.append(
            .ask(.files(folder: picker.folder, wish: picker.filter.text, generation: picker.generation)))
    }

    /// A path that is typed or pasted walks there: `photos/`, `../`, `~/`, `/tmp/x.png`.
    private mutating func filterChanged(_ picker: inout FilePicker, _ effects: inout [AppEffect]) {
        picker.placeCursor()
        guard picker.filter.text.contains("/") else {
            // What is wished for may be among those that are left out.
            if picker.listing?.isCut ?? true { ask(&picker, &effects) }
            return
        }
        let text = PastedPath.plain(picker.filter.text)
        let isAbsolute = text.hasPrefix("/") || text.hasPrefix("~/")
        let path = isAbsolute ? expanded(text) : picker.folder + "/" + text
        let (folder, name) = FilePath.split(path)
        picker.folder = FilePath.normalized(folder)
        picker.filter = InputLine(name)
        read(&picker, &effects)
    }

    /// Into the folder under the cursor.
    private mutating func enter(_ picker: inout FilePicker, _ effects: inout [AppEffect]) {
        switch picker.selectedRow {
        case .parent: leave(&picker, &effects)
        case .entry(let entry) where entry.isFolder:
            picker.folder = picker.path(of: entry.name)
            picker.filter = InputLine()
            read(&picker, &effects)
        case .entry, nil: break
        }
    }

    /// Up to the folder that this one is in.
    private mutating func leave(_ picker: inout FilePicker, _ effects: inout [AppEffect]) {
        guard picker.folder != "/" else { return }
        let (folder, name) = FilePath.split(picker.folder)
        picker.folder = folder
        picker.wanted = name
        picker.filter = InputLine()
        read(&picker, &effects)
    }

    private mutating func send(_ picker: FilePicker, _ effects: inout [AppEffect]) {
        overlay = nil
        pickerFolder = picker.folder
        effects.append(.run(.sendFiles(picker.marked.map(\.path), caption: "", to: picker.contact)))
        let names = picker.marked.map { abbreviated($0.path) }
        say("Offering \(names.count == 1 ? names.joined() : "\(names.count) files")")
    }
}
