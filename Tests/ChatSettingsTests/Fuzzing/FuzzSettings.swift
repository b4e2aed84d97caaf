// The fuzz targets of the settings: files that a hand or another program writes.

import BLIPNet
import ChatCore
import ChatTUI
import ChatWords
import Storage
import TestSupport

@testable import ChatSettings

extension FuzzTarget {
    /// The targets of this folder.
    static let settings: [FuzzTarget] = [
        FuzzTarget(name: "config", run: fuzzConfiguration),
        FuzzTarget(name: "theme", run: fuzzTheme),
    ]
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
