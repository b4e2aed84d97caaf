// Remembers between runs what the probe measured: a small file with one line for each kind of terminal.

import ChatWords
import Glibc

/// The file of measured widths. Widths that cannot be read are measured anew, those that cannot be written next time.
package struct WidthMemory: Sendable, Equatable {
    private static let maxBytes = 16_384
    private static let maxLines = 50

    let path: String

    package init(path: String) { self.path = path }

    /// TERM, tmux and the terminal's own name decide; other bytes than printable ones are no part of a key.
    private static func key(_ environment: TerminalEnvironment) -> String {
        let parts = [environment.type ?? "", environment.isTmux ? "tmux" : "", environment.program ?? ""]
        return String(decoding: parts.joined(separator: "+").utf8.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }

    /// What `blipchat doctor` says of the terminal of this process: its kind, and how wide it draws what terminals
    /// disagree about, as an earlier screen has measured it or as the settings say.
    @ScreenActor package func words(_ settings: ScreenSettings) -> (text: String, isKnown: Bool) {
        let environment = TerminalEnvironment.current()
        var kind = environment.type ?? "TERM is not set"
        if environment.isTmux { kind += " in tmux" }
        if let program = environment.program { kind += " (\(program))" }
        let applied = environment.applying(settings)
        guard applied.unicode else { return ("\(kind), ASCII: every character takes one column", true) }
        switch settings.width {
        case .wcwidth: return ("\(kind), widths as set: \(TerminalWidths.perScalar.summary)", true)
        case .grapheme: return ("\(kind), widths as set: \(TerminalWidths.perCluster.summary)", true)
        case .auto: break
        }
        guard let widths = widths(of: environment) else { return ("\(kind), widths not measured yet", false) }
        return ("\(kind), widths in columns as measured: \(widths.summary)", true)
    }

    func widths(of environment: TerminalEnvironment) -> TerminalWidths? {
        let key = Self.key(environment)
        guard let line = lines().last(where: { $0.first.map(String.init) == key }) else { return nil }
        var widths = TerminalWidths()
        for (kind, word) in zip(DoubtfulKind.allCases, line.dropFirst()) {
            if let columns = Int(word), (1...9).contains(columns) { widths.measured[kind] = columns }
        }
        return widths.measured.isEmpty ? nil : widths
    }

    func keep(_ widths: TerminalWidths, of environment: TerminalEnvironment) {
        let key = Self.key(environment)
        let numbers = DoubtfulKind.allCases.map { widths.measured[$0].map(String.init) ?? "-" }
        var kept = lines().filter { $0.first.map(String.init) != key }.map { $0.joined(separator: " ") }
        kept.append(([key] + numbers).joined(separator: " "))
        let text = kept.suffix(Self.maxLines).joined(separator: "\n") + "\n"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = text.withCString { write(file, $0, strlen($0)) }
    }

    /// The words of each line.
    private func lines() -> [[Substring]] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.maxBytes)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: " ")
        }
    }
}
