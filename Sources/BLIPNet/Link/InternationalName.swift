// Host names with letters beyond ASCII, as the domain name system knows them (IDNA 2008: RFC 5891; Punycode: RFC 3492).

@_spi(_Unicode) internal import Swift

/// The ASCII form of a host name.
enum InternationalName {
    /// `bücher.example` as `xn--bcher-kva.example`; ASCII names stay as they are. `nil` when no name server can know it.
    static func ascii(_ host: String) -> String? {
        guard host.utf8.contains(where: { $0 >= 0x80 }) else { return host }
        // The dots of ideographic keyboards (RFC 3490 section 3.1); then the name in lower case, composed.
        let dots: Set<Unicode.Scalar> = ["\u{3002}", "\u{FF0E}", "\u{FF61}"]
        let folded = String(String.UnicodeScalarView(host.lowercased()._nfc))
        var labels: [[Unicode.Scalar]] = [[]]
        for scalar in folded.unicodeScalars {
            if scalar == "." || dots.contains(scalar) {
                labels.append([])
            } else {
                labels[labels.count - 1].append(scalar)
            }
        }
        var encoded: [String] = []
        for label in labels {
            guard let text = ascii(label: label), text.utf8.count <= 63 else { return nil }
            encoded.append(text)
        }
        let name = encoded.joined(separator: ".")
        return name.utf8.count <= 253 ? name : nil
    }

    private static func ascii(label: [Unicode.Scalar]) -> String? {
        guard label.contains(where: { !$0.isASCII }) else { return String(String.UnicodeScalarView(label)) }
        return punycode(label).map { "xn--" + $0 }
    }

    // The parameters of RFC 3492 section 5.
    private static let base: UInt32 = 36
    private static let tMin: UInt32 = 1
    private static let tMax: UInt32 = 26

    /// RFC 3492 section 6.3; `nil` on overflow, which no label of 63 letters reaches.
    private static func punycode(_ label: [Unicode.Scalar]) -> String? {
        // A label is short; what is longer cannot be encoded into 63 bytes anyway.
        guard label.count <= 63 else { return nil }
        var output = label.filter(\.isASCII).map { UInt8(ascii: $0) }
        let basicCount = UInt32(output.count)
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var n: UInt32 = 128
        var delta: UInt32 = 0
        var bias: UInt32 = 72
        while handled < UInt32(label.count) {
            guard let next = label.map(\.value).filter({ $0 >= n }).min() else { return nil }
            // At most 0x10FFFF * 64: far from overflow.
            delta += (next - n) * (handled + 1)
            n = next
            for scalar in label {
                if scalar.value < n { delta += 1 }
                guard scalar.value == n else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// One delta as a number of variable length.
    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var q = delta
        var k = base
        while true {
            let t = k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias
            guard q >= t else { break }
            output.append(digit(t + (q - t) % (base - t)))
            q = (q - t) / (base - t)
            k += base
        }
        output.append(digit(q))
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }
}
