// How people name what a limit of the rate is for: in /limit and on the command line.

package import ChatCore

extension RateScope {
    /// `up`, `down`, or a transfer as `8` or `#8`.
    package init?(words: String) {
        switch words.lowercased() {
        case "up": self = .all(.outgoing)
        case "down": self = .all(.incoming)
        default:
            let digits = words.utf8.first == UInt8(ascii: "#") ? words.utf8.dropFirst() : Substring(words).utf8
            guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int64(Substring(digits))
            else { return nil }
            self = .transfer(TransferNumber(number))
        }
    }

    /// For sentences.
    package var words: String {
        switch self {
        case .all(.outgoing): "All uploads"
        case .all(.incoming): "All downloads"
        case .transfer(let number): "#\(number.rawValue)"
        }
    }
}
