// Quiet hours as they are written in the configuration: `22:00-07:00`.

import ChatWords

extension ScreenSettings.QuietHours {
    /// `HH:MM-HH:MM`, 24 hours; `nil` when it is not that.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = Self.minute(parts[0]), let to = Self.minute(parts[1]), from != to else {
            return nil
        }
        self.init(from: from, to: to)
    }

    package var text: String { Self.text(from) + "-" + Self.text(to) }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), parts[1].utf8.count == 2,
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return two(minute / 60) + ":" + two(minute % 60)
    }
}
