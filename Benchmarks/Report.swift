// The tables that the benchmark prints: figures in columns, goals beside them with the word whether they are met.

internal import Workbench

/// What a figure should be (issue: "Speed and memory").
struct Goal {
    private let text: String
    private let isMet: Bool

    static func atLeast(_ goal: Double, _ value: Double, unit: String = "") -> Goal {
        Goal(text: ">= \(Figure.short(goal))\(unit)", isMet: value >= goal)
    }

    static func atMost(_ goal: Double, _ value: Double, unit: String = "") -> Goal {
        Goal(text: "<= \(Figure.short(goal))\(unit)", isMet: value <= goal)
    }

    static func below(_ goal: Double, _ value: Double, unit: String = "") -> Goal {
        Goal(text: "< \(Figure.short(goal))\(unit)", isMet: value < goal)
    }

    var sentence: String { "goal \(text): \(isMet ? "met" : "MISSED")" }
}

/// A table on standard output.
enum Report {
    private static let nameWidth = 44
    private static let cellWidth = 13

    /// The title of a table over its first column, and the titles of the others.
    static func heading(_ title: String, _ columns: String...) {
        let cells = columns.map { $0.leftPadded(to: cellWidth) }.joined()
        say(cells.isEmpty ? title : title.padded(to: nameWidth + 2) + cells)
    }

    static func row(_ name: String, _ cells: String..., goal: Goal? = nil) {
        var line = "  " + name.padded(to: nameWidth) + cells.map { $0.leftPadded(to: cellWidth) }.joined()
        if let goal { line += "   " + goal.sentence }
        say(line)
    }

    /// A sentence between the rows.
    static func note(_ sentence: String) { say("  " + sentence) }

    static func end() { say("") }

    static func say(_ line: String) {
        print(line)
        flushOutput()
    }
}

/// Numbers as the tables show them.
enum Figure {
    static func whole(_ value: Double) -> String { value.isFinite ? String(Int(value.rounded())) : "-" }
    static func tenths(_ value: Double) -> String { value.isFinite ? "\((value * 10).rounded() / 10)" : "-" }
    static func percent(_ share: Double) -> String { whole(share * 100) + " %" }
    static func microseconds(_ duration: Duration) -> String { whole(duration.seconds * 1e6) + " us" }
    static func microseconds(_ seconds: Double) -> String { tenths(seconds * 1e6) + " us" }
    /// Without a fraction where there is none.
    static func short(_ value: Double) -> String { value == value.rounded() ? whole(value) : tenths(value) }
}

extension Rate {
    /// When `count` counts bytes: millions of them per second.
    var megabytesPerSecond: Double { perSecond / 1e6 }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(width - count, 1)) + self }
}
