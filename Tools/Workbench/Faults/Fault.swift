// What is to go wrong with a connection, and where: the script of the fault proxy, read from a command line.

/// One thing that goes wrong at a byte of a connection.
package struct Fault: Sendable, Equatable {
    /// Which way the bytes go.
    package enum Direction: String, Sendable, CaseIterable {
        /// From the caller to the target.
        case up
        /// From the target to the caller.
        case down
    }

    package enum Kind: Sendable, Equatable {
        /// Both connections are closed in order.
        case cut
        /// Both connections are reset (RST).
        case reset
        /// From here on nothing goes through, in neither direction, and no end is passed on: a dead NAT mapping.
        case silence
        /// The direction waits for so long and then continues.
        case stall(Duration)
        /// From here on every byte of the direction is written by itself.
        case trickle
        /// The byte's lowest bit is turned over (XOR with the mask).
        case corrupt(mask: UInt8)
    }

    package var kind: Kind
    package var direction: Direction
    /// Bytes of the direction that go through untouched before it.
    package var offset: UInt64

    package init(_ kind: Kind, _ direction: Direction, at offset: UInt64) {
        self.kind = kind
        self.direction = direction
        self.offset = offset
    }
}

/// Everything that goes wrong with one connection.
///
/// As text: `KIND[=VALUE]@DIRECTION:BYTE`, several with commas. KIND is `cut`, `reset`, `silence`, `stall=SECONDS`,
/// `trickle` or `corrupt[=MASK]` (1 to 255); DIRECTION is `up` or `down`.
package struct FaultScript: Sendable, Equatable, CustomStringConvertible {
    package var faults: [Fault]

    package init(_ faults: Fault...) { self.faults = faults }

    /// Reads the text form; `nil` when it is none.
    package init?(_ text: String) {
        faults = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let fault = Fault(part) else { return nil }
            faults.append(fault)
        }
    }

    /// The same so many bytes later.
    package func moved(by bytes: UInt64) -> FaultScript {
        var script = self
        for index in faults.indices {
            let (sum, isOver) = faults[index].offset.addingReportingOverflow(bytes)
            script.faults[index].offset = isOver ? .max : sum
        }
        return script
    }

    package var description: String { faults.map(\.description).joined(separator: ",") }
}

extension Fault: CustomStringConvertible {
    init?(_ text: Substring) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let place = halves[1].split(separator: ":", omittingEmptySubsequences: false)
        let words = halves[0].split(separator: "=", omittingEmptySubsequences: false)
        guard place.count == 2, let direction = Direction(rawValue: String(place[0])),
            let offset = UInt64(decimal: place[1]), (1...2).contains(words.count),
            let kind = Kind(String(words[0]), value: words.count == 2 ? words[1] : nil)
        else { return nil }
        self.init(kind, direction, at: offset)
    }

    package var description: String { "\(kind)@\(direction.rawValue):\(offset)" }
}

extension Fault.Kind: CustomStringConvertible {
    fileprivate init?(_ name: String, value: Substring?) {
        switch (name, value) {
        case ("cut", nil): self = .cut
        case ("reset", nil): self = .reset
        case ("silence", nil): self = .silence
        case ("trickle", nil): self = .trickle
        case ("corrupt", nil): self = .corrupt(mask: 1)
        case ("corrupt", let value?):
            guard let mask = UInt64(decimal: value), (1...255).contains(mask) else { return nil }
            self = .corrupt(mask: UInt8(mask))
        case ("stall", let value?):
            guard let seconds = Double(value), seconds >= 0, seconds <= 86_400 else { return nil }
            self = .stall(.seconds(seconds))
        default: return nil
        }
    }

    /// The word of the script, with its value.
    package var description: String {
        switch self {
        case .cut: "cut"
        case .reset: "reset"
        case .silence: "silence"
        case .stall(let time): "stall=\(time / .seconds(1))"
        case .trickle: "trickle"
        case .corrupt(let mask): mask == 1 ? "corrupt" : "corrupt=\(mask)"
        }
    }
}

extension UInt64 {
    /// Digits and nothing else.
    init?(decimal text: Substring) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text)
    }
}
