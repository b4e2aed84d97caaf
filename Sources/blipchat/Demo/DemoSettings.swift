// What the demo takes over from the user: how the screen looks and what its keys do. Everything else of it is its own.

import ChatSettings
import ChatTUI

enum DemoSettings {
    /// The settings of the screen, and the name. Where files go, whom to call, what is kept: that means nothing to a
    /// chat that is gone in a minute.
    private static let sections: Set<String> = ["ui", "ui.unicode", "input", "keys", "alias"]

    /// Copies them into the home of the demo, where `/set` changes them for the demo alone. Throws what is wrong in the
    /// user's file. `home` replaces `~/` in paths.
    static func copy(from user: HomePaths, to demo: HomePaths, home: String?) throws(CommandError) {
        try demo.createFolders()
        // The error for a mistake in them names the user's own file.
        let settings = try Configuration.load(from: user.configuration, home: home)
        _ = try ThemeFolder(path: user.themes).theme(named: settings.screen.theme)
        let file = ConfigurationFile(paths: demo, home: home)
        for entry in try entries(of: user.configuration) { try file.set(entry.path, to: entry.value) }
        // The picture that the echo sends is there to be seen; it comes from this program, and from nobody else.
        try file.set(SettingPath(section: "files", contact: nil, name: "preview"), to: .string("auto"))
        for name in SmallFile.names(in: user.themes) where name.hasSuffix(".toml") {
            guard case .success(let bytes) = SmallFile.contents(of: "\(user.themes)/\(name)", limit: 65_536) else {
                continue
            }
            try HomePaths.createFolder(demo.themes)
            do {
                try SmallFile.replace("\(demo.themes)/\(name)", with: bytes)
            } catch {
                throw .system(demo.themes, "cannot be written", error.code)
            }
        }
    }

    private static func entries(of path: String) throws(CommandError) -> [ConfigurationEntry] {
        var problems: [ConfigurationError] = []
        let entries = ConfigurationReader.read(try Configuration.text(of: path), problems: &problems)
        if let first = problems.first { throw CommandError(first, in: path) }
        return entries.filter { sections.contains($0.path.section) || $0.path.key == "name" }
    }
}
