// How wide the terminal draws what terminals disagree about: measured at start by WidthProbe, used for painting.

import ChatWords

/// The kinds of clusters whose width depends on the terminal.
package enum DoubtfulKind: Int, Sendable, Hashable, CaseIterable {
    /// A symbol with VS16, which makes it an emoji.
    case emojiPresentation
    /// An emoji with a skin tone.
    case skinTone
    /// Emoji joined by ZWJ.
    case joined
    /// Two regional indicators.
    case flag
    /// East_Asian_Width Ambiguous: one column, in some East Asian settings two.
    case ambiguous

    /// A text of this kind, of the width that our tables give it.
    var sample: String {
        switch self {
        case .emojiPresentation: "❤\u{FE0F}"
        case .skinTone: "👍🏽"
        case .joined: "👩\u{200D}🚀"
        case .flag: "🇩🇪"
        case .ambiguous: "●"
        }
    }

    /// For people who look into it.
    var name: String {
        switch self {
        case .emojiPresentation: "VS16"
        case .skinTone: "skin tone"
        case .joined: "ZWJ"
        case .flag: "flag"
        case .ambiguous: "ambiguous"
        }
    }

    /// The columns of the sample by our tables.
    var columns: Int { self == .ambiguous ? 1 : 2 }

    /// The kind of the cluster; `nil` when all terminals should agree about it.
    init?(_ cluster: Cluster) {
        let scalars = cluster.text.unicodeScalars
        guard scalars.count > 1 else { return nil }
        if scalars.contains("\u{200D}"), scalars.first.map(TextWidth.isPictograph) ?? false {
            self = .joined
        } else if scalars.dropFirst().contains(where: \.properties.isEmojiModifier) {
            self = .skinTone
        } else if scalars.allSatisfy({ TextWidth.isRegionalIndicator($0.value) }) {
            self = .flag
        } else if scalars.contains("\u{FE0F}") {
            self = .emojiPresentation
        } else {
            return nil
        }
    }
}

/// The measured widths. A kind without a measurement is drawn as our tables have it.
package struct TerminalWidths: Sendable, Hashable {
    /// Columns that the terminal gave to the sample of each kind.
    package var measured: [DoubtfulKind: Int] = [:]

    package init(measured: [DoubtfulKind: Int] = [:]) { self.measured = measured }

    /// No emoji sequences: each scalar for itself, as the C library counts.
    package static let perScalar = TerminalWidths(measured: [
        .emojiPresentation: 1, .skinTone: 4, .joined: 4, .flag: 4, .ambiguous: 1,
    ])
    /// Whole clusters, as our tables have them.
    package static let perCluster = TerminalWidths(
        measured: Dictionary(uniqueKeysWithValues: DoubtfulKind.allCases.map { ($0, $0.columns) }))

    /// Whether the terminal draws this kind as wide as we do, as far as it is known.
    package func agrees(on kind: DoubtfulKind) -> Bool { measured[kind].map { $0 == kind.columns } ?? true }

    /// What is drawn in place of a cluster that this terminal would draw wider or narrower: exactly as many columns.
    /// `nil` when it can be drawn as it is. `mostBytes`: what a cell of the terminal can hold.
    func substitute(for cluster: Cluster, mostBytes: Int = .max) -> String? {
        guard let kind = DoubtfulKind(cluster), !agrees(on: kind) || cluster.text.utf8.count > mostBytes else {
            return nil
        }
        let scalars = cluster.text.unicodeScalars
        if kind == .flag {
            // The letters of the country code.
            return scalars.reduce(into: "") { letters, scalar in
                letters.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value - 0x1F1E6 + 0x41)))
            }
        }
        guard let base = scalars.first else { return nil }
        return String(base) + String(repeating: " ", count: max(0, cluster.width - TextWidth.width(of: base)))
    }

    /// The measurements as words, for `/doctor`.
    var summary: String {
        guard !measured.isEmpty else { return "not measured" }
        let words = DoubtfulKind.allCases.compactMap { kind -> String? in
            guard let columns = measured[kind] else { return nil }
            let isReplaced = kind != .ambiguous && !agrees(on: kind)
            return "\(kind.name) \(columns)" + (isReplaced ? " (replaced)" : "")
        }
        return words.joined(separator: ", ")
    }
}
