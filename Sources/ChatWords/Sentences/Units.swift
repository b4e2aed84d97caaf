// Sizes, rates and durations as people read them.

import ChatCore

/// Numbers with their units, decimal (1 kB = 1000 bytes).
package enum Units {
    /// `512 B`, `4.1 MB`, `212 GB`.
    package static func size(_ bytes: UInt64) -> String { ByteSize.words(bytes) }

    /// The bytes that somebody means, as for sizes so for rates: a number, perhaps with a fraction, and k, M, G or T,
    /// which mean the same as where we show them: powers of 1000. Ki, Mi, Gi and Ti are powers of 1024. What `size` and
    /// `rate` write may be typed back without its blank (`1.5MB`, `500kB/s`). Beyond 64 bits it is the largest number.
    package static func bytes(of text: String) -> UInt64? {
        var rest = Substring(text)
        if rest.hasSuffix("/s") { rest.removeLast(2) }
        if rest.hasSuffix("B") { rest.removeLast() }
        let isBinary = rest.hasSuffix("i")
        if isBinary { rest.removeLast() }
        let power = rest.last.flatMap { "kMGT".firstIndex(of: $0 == "K" ? "k" : $0) }
            .map { "kMGT".distance(from: "kMGT".startIndex, to: $0) + 1 }
        if power != nil { rest.removeLast() } else if isBinary { return nil }
        let unit = repeatElement(UInt64(isBinary ? 1024 : 1000), count: power ?? 0).reduce(1, *)
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...(power == nil ? 1 : 2)).contains(parts.count), (1...19).contains(parts[0].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = UInt64(parts[0])
        else { return nil }
        var fraction: UInt64 = 0
        if parts.count == 2 {
            // Nine digits are more than anybody means, and their product with any unit fits.
            guard (1...9).contains(parts[1].utf8.count), let digits = UInt64(parts[1]) else { return nil }
            let scale = repeatElement(UInt64(10), count: parts[1].utf8.count).reduce(1, *)
            fraction = UInt64(Double(unit) * Double(digits) / Double(scale))
        }
        let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
        let (sum, tooMuch) = bytes.addingReportingOverflow(fraction)
        return overflow || tooMuch ? .max : sum
    }

    /// The seconds that somebody means: `90s`, `30m`, `2h`, `1d`, `1w`, or minutes without a unit; at most ten years.
    package static func seconds(of text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        let unit = text.last.flatMap { units[Character($0.lowercased())] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard (1...9).contains(digits.count), let number = Int64(digits), number > 0 else { return nil }
        return min(number * (unit ?? 60), 315_360_000)
    }

    /// `12 ms`, `<1 ms`, `2.1 s`
    package static func milliseconds(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        if milliseconds < 1 { return "<1 ms" }
        if milliseconds < 2000 { return "\(milliseconds) ms" }
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }

    /// `1.2 MB/s`
    package static func rate(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond.isFinite, bytesPerSecond >= 0 else { return size(0) + "/s" }
        return size(UInt64(min(bytesPerSecond, 1e18))) + "/s"
    }

    /// `1 s`, `9 min`, `3 h`, `2 d`
    package static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<0: "0 s"
        case 0..<120: "\(seconds) s"
        case 120..<7200: "\(seconds / 60) min"
        case 7200..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    package static func duration(_ duration: Duration) -> String {
        self.duration(duration.components.seconds)
    }

    /// `1 file`, `12,408 files`
    package static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(grouped(count)) files" }

    /// `12,408`
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `1st`, `12th`, `1,023rd`
    package static func ordinal(_ number: Int64) -> String {
        let isTeen = (11...13).contains(number % 100)
        let ending = isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
        return grouped(Int(clamping: number)) + ending
    }

    /// Whole percent of `part` in `whole`; 100 only when all of it is there.
    package static func percent(_ part: UInt64, of whole: UInt64) -> Int {
        guard whole > 0 else { return 100 }
        if part >= whole { return 100 }
        return min(99, Int(Double(part) / Double(whole) * 100))
    }
}

extension Duration {
    /// The parts of a millisecond are cut off.
    package var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
