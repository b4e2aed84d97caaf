// The fuzz targets of the program: what a hand, another program or an export gives it.

import ChatCore
import ChatTUI
import ChatWords
import Storage
import TestSupport

@testable import blipchat

extension FuzzTarget {
    /// The targets of this folder.
    static let program: [FuzzTarget] = [
        FuzzTarget(name: "control-line", run: fuzzControlLine),
        FuzzTarget(name: "import", run: fuzzImport),
        FuzzTarget(name: "config", run: fuzzConfiguration),
        FuzzTarget(name: "theme", run: fuzzTheme),
    ]
}

/// Any line as JSON, as a request and as a line of a session: what is read comes back when it is written.
func fuzzControlLine(_ bytes: UnsafeRawBufferPointer) throws {
    guard let json = try? JSONReader.read(Array(bytes)) else { return }
    let text = json.text
    try require(try JSONReader.read(Array(text.utf8)) == json, "\(text) comes back as something else")
    let isHarmless = text.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !scalar.properties.isBidiControl
    }
    try require(isHarmless, "the text of a value is not safe to print")
    if let operation = try? ControlOperation(json) {
        try require(try ControlOperation(operation.json) == operation, "\(operation) comes back as something else")
        _ = (operation.isSending, operation.concernsPeers, operation.waitsForPeer, operation.rest(after: .seconds(1)))
    }
    if let line = try? SessionLine(json) {
        let written = try line.json()
        try require(try SessionLine(written).json() == written, "a line of a session comes back as something else")
    }
}

/// Any text as an export: refused as a whole, or added, and a second time nothing new is found in it.
func fuzzImport(_ bytes: UnsafeRawBufferPointer) throws {
    let text = Array(bytes)
    try fuzzTask {
        let folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
        let file = folder.file("export.json")
        try TestFile.write(text, to: file)
        let store = try await HistoryDatabase.open(at: folder.file("history.sqlite"))
        do {
            let first = try await HistoryImporter(store: store, path: file).run()
            let second = try await HistoryImporter(store: store, path: file).run()
            await store.close()
            let added = second.contacts + second.messages + second.operations
            try require(added == 0, "the second import adds \(added) after \(first)")
        } catch let error as CommandError {
            // Refused: nothing of it may be there.
            let conversations = try await store.conversations()
            await store.close()
            try require(conversations.isEmpty, "\(error), and yet there are \(conversations.count) contacts")
        }
    }
}

/// Any text as config.toml: problems have places in it, and a setting that is changed has its new value, while the
/// others keep theirs.
func fuzzConfiguration(_ bytes: UnsafeRawBufferPointer) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    var problems: [ConfigurationError] = []
    let configuration = Configuration(text: text, home: "/home/jo", problems: &problems)
    _ = configuration
    let lines = text.unicodeScalars.count { $0 == "\n" } + 1
    for problem in problems {
        try require(
            (1...lines).contains(problem.position.line), "a problem in line \(problem.position.line) of \(lines)")
    }
    var before: [ConfigurationError] = []
    let entries = ConfigurationReader.read(text, problems: &before)
    let changes: [(SettingPath, ConfigurationValue)] = [
        (SettingPath(section: "", contact: nil, name: "name"), .string("J\"o\n\u{7F}")),
        (SettingPath(section: "ui", contact: nil, name: "theme"), .string("dark")),
        (SettingPath(section: "contact", contact: "Ann \"x\"", name: "keep"), .integer(30)),
    ]
    for (path, value) in changes {
        var editor = ConfigurationEditor(text)
        try require(editor.text == text, "an editor that changed nothing gives another text")
        editor.set(path, to: value)
        var after: [ConfigurationError] = []
        let changed = ConfigurationReader.read(editor.text, problems: &after)
        let found = changed.first { $0.path.meaning == path.meaning }
        try require(found?.value == value, "\(path.text) was set and is \(String(describing: found?.value))")
        let others = entries.filter { $0.path.meaning != path.meaning }.map { [$0.path.text, $0.value.text] }
        let kept = changed.filter { $0.path.meaning != path.meaning }.map { [$0.path.text, $0.value.text] }
        try require(others == kept, "setting \(path.text) changed other settings")
        guard before.isEmpty else { continue }
        try require(after.isEmpty, "setting \(path.text) broke line \(after.first?.position.line ?? 0)")
        try require(editor.unset(path), "\(path.text) cannot be taken out again")
    }
}

/// Any text as a theme: refused at a line, or the same theme after writing and reading it again.
func fuzzTheme(_ bytes: UnsafeRawBufferPointer) throws {
    guard let theme = try? ThemeFile.read(String(decoding: bytes, as: UTF8.self), name: "fuzz") else { return }
    let again = try ThemeFile.read(ThemeFile.text(of: theme), name: "fuzz")
    try require(again == theme, "a theme comes back as another one")
}
