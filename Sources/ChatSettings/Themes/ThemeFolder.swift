// The folder `themes` beside config.toml: the user's own themes, and which theme a name means.

package import ChatTUI
import ChatWords
import Glibc

/// The themes of a profile: those of the folder, and the built-in ones.
package struct ThemeFolder: Sendable {
    let path: String

    package init(path: String) { self.path = path }

    /// A file of the user's goes before a built-in theme of the same name.
    package func theme(named name: String) throws(CommandError) -> Theme {
        guard ThemeFile.isName(name) else { throw unknown(name) }
        let file = "\(path)/\(name).toml"
        switch SmallFile.contents(of: file, limit: 65_536) {
        case .success(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(.usage, file, "not UTF-8 text", advice: "save it as UTF-8")
            }
            do throws(ConfigurationError) {
                return try ThemeFile.read(text, name: name)
            } catch {
                throw CommandError(error, in: file)
            }
        case .failure(let error):
            guard error.code == ENOENT || error.code == ENOTDIR else {
                throw .system(file, "cannot be read", error.code)
            }
            guard let theme = Theme.builtIn.first(where: { $0.name == name }) else { throw unknown(name) }
            return theme
        }
    }

    /// All that can be chosen: the built-in ones, then those of the folder by name.
    package var names: [String] {
        let builtIn = Theme.builtIn.map(\.name)
        let own = SmallFile.names(in: path).filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
        return builtIn + own.filter { ThemeFile.isName($0) && !builtIn.contains($0) }.sorted()
    }

    private func unknown(_ name: String) -> CommandError {
        let near = NearestName.to(name, among: names)
        return CommandError(
            .usage, "theme \(name)", "there is no such theme",
            advice: near.map { "did you mean \($0)?" } ?? "the themes are " + names.joined(separator: ", "))
    }
}
