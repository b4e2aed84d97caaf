// A host name as it may be shown: letters of several scripts in one name can be made to look like another name, so such
// a name is shown in the ASCII form that the domain name system knows (RFC 5891).

/// A host with its port, as written in a link.
package struct HostName {
    private let name: String
    /// `:8080`, or nothing.
    private let port: Substring

    package init(_ text: String) {
        let colon = text.lastIndex(of: ":").flatMap { colon in
            text[colon...].dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) } ? colon : nil
        }
        name = String(text[..<(colon ?? text.endIndex)])
        port = text[(colon ?? text.endIndex)...]
    }

    /// As written, or in ASCII when its letters are of several scripts.
    package var shown: String { mixesScripts ? ascii : name + port }

    /// Each label that is not ASCII as `xn--…`.
    package var ascii: String {
        name.split(separator: ".", omittingEmptySubsequences: false).map { label in
            label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + Punycode.encode(label.lowercased())
        }.joined(separator: ".") + port
    }

    /// Latin together with East Asian letters is usual; anything else in one name is not.
    private var mixesScripts: Bool {
        let scripts = Set(name.unicodeScalars.compactMap(Script.init)).subtracting([.eastAsian])
        return scripts.count > 1
    }

    /// A group of letters that look alike: scripts that share letters have cases of their own, the others go by their block.
    private enum Script: Hashable {
        case latin, greek, cyrillic, armenian, eastAsian
        case other(UInt32)

        /// `nil` for digits and signs, which belong to all.
        init?(_ scalar: Unicode.Scalar) {
            guard scalar.properties.isAlphabetic else { return nil }
            switch scalar.value {
            case 0...0x24F, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF: self = .latin
            case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
            case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: self = .cyrillic
            case 0x530...0x58F: self = .armenian
            case 0x1100...0x11FF, 0x2E80...0x9FFF, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
                self = .eastAsian
            default: self = .other(scalar.value >> 7)
            }
        }
    }
}

/// Punycode (RFC 3492): text as letters, digits and hyphens.
package enum Punycode {
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26
    private static let skew = 38
    private static let damp = 700

    package static func encode(_ label: String) -> String {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        var output = String(String.UnicodeScalarView(label.unicodeScalars.filter(\.isASCII)))
        let basicCount = output.unicodeScalars.count
        if basicCount > 0 { output += "-" }
        var handled = basicCount
        var next = 128
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let lowest = scalars.filter({ $0 >= next }).min() else { break }
            // Labels are at most some thousand scalars of 21 bits: this stays far below 2^63.
            delta += (lowest - next) * (handled + 1)
            next = lowest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output
    }

    /// `delta` as a number with digits of varying weights.
    private static func digits(of delta: Int, bias: Int) -> String {
        var text = ""
        var rest = delta
        var place = base
        while true {
            let threshold = min(max(place - bias, minimumThreshold), maximumThreshold)
            if rest < threshold { return text + digit(rest) }
            text += digit(threshold + (rest - threshold) % (base - threshold))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
    }

    private static func digit(_ value: Int) -> String {
        String(Unicode.Scalar(UInt8(value < 26 ? value + 97 : value - 26 + 48)))
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            steps += base
        }
        return steps + (base - minimumThreshold + 1) * delta / (delta + skew)
    }
}
