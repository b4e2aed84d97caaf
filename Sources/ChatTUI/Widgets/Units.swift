// Sizes, rates and durations as people read them.

/// Numbers with their units, decimal (1 kB = 1000 bytes).
public enum Units {
    /// `512 B`, `4.1 MB`, `212 GB`.
    public static func size(_ bytes: UInt64) -> String {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        guard bytes >= 1000 else { return "\(bytes) B" }
        var tenths = bytes / 100
        for (index, unit) in units.enumerated() {
            // Two digits with one place, more without.
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            if tenths < 10_000 || index == units.count - 1 { return "\(tenths / 10) \(unit)" }
            tenths /= 1000
        }
        return "\(bytes) B"
    }

    /// The bytes that somebody means: digits and perhaps k, M, G or T (powers of 1024), as for sizes so for rates.
    public static func bytes(of text: String) -> UInt64? {
        let units: [UInt8: UInt64] = [0x6B: 10, 0x4B: 10, 0x4D: 20, 0x47: 30, 0x54: 40]
        let shift = text.utf8.last.flatMap { units[$0] }
        let digits = shift == nil ? Substring(text).utf8 : text.utf8.dropLast()
        guard (1...19).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(Substring(digits))
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        return overflow ? .max : bytes
    }

    /// The seconds that somebody means: `90s`, `30m`, `2h`, `1d`, `1w`, or minutes without a unit; at most ten years.
    static func seconds(of text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        let unit = text.last.flatMap { units[Character($0.lowercased())] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard (1...9).contains(digits.count), let number = Int64(digits), number > 0 else { return nil }
        return min(number * (unit ?? 60), 315_360_000)
    }

    /// `12 ms`, `<1 ms`, `2.1 s`
    static func milliseconds(_ duration: Duration) -> String {
        let parts = duration.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        if milliseconds < 1 { return "<1 ms" }
        if milliseconds < 2000 { return "\(milliseconds) ms" }
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }

    /// `1.2 MB/s`
    static func rate(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond.isFinite, bytesPerSecond >= 0 else { return size(0) + "/s" }
        return size(UInt64(min(bytesPerSecond, 1e18))) + "/s"
    }

    /// `1 s`, `9 min`, `3 h`, `2 d`
    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<0: "0 s"
        case 0..<120: "\(seconds) s"
        case 120..<7200: "\(seconds / 60) min"
        case 7200..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    static func duration(_ duration: Duration) -> String {
        self.duration(duration.components.seconds)
    }

    /// `12,408`
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// Whole percent of `part` in `whole`; 100 only when all of it is there.
    static func percent(_ part: UInt64, of whole: UInt64) -> Int {
        guard whole > 0 else { return 100 }
        if part >= whole { return 100 }
        return min(99, Int(Double(part) / Double(whole) * 100))
    }
}
