// The rules W1 to W7, N0 to N2, I1 and I2 of UAX #9 for one paragraph, which is one run of one level.

/// Resolves the class of each cluster step by step. The direction at both ends of the run is the base direction.
package struct BidiResolver {
    private var classes: [BidiClass]
    private let clusters: [Cluster]
    private let base: BidiClass

    package init(classes: [BidiClass], clusters: [Cluster], base: BidiClass) {
        self.classes = classes
        self.clusters = clusters
        self.base = base
    }

    /// The level of each cluster: odd ones go from right to left.
    package mutating func levels() -> [UInt8] {
        resolveWeak()
        resolveBrackets()
        resolveNeutral()
        let baseLevel: UInt8 = base == .r ? 1 : 0
        return classes.map { found in
            switch found {
            case .r: 1
            case .an, .en: 2
            default: baseLevel == 0 ? 0 : 2
            }
        }
    }

    // MARK: Weak classes

    private mutating func resolveWeak() {
        resolveMarksAndNumbers()
        resolveSeparators()
        resolveTerminators()
        // W6
        for place in classes.indices where [.es, .et, .cs].contains(classes[place]) { classes[place] = .on }
        // W7
        var lastStrong = base
        for place in classes.indices {
            switch classes[place] {
            case .l, .r: lastStrong = classes[place]
            case .en: if lastStrong == .l { classes[place] = .l }
            default: break
            }
        }
    }

    /// W1: marks follow their base. W2: numbers after Arabic letters are Arabic. W3: those letters then become R.
    private mutating func resolveMarksAndNumbers() {
        var before = base
        var lastStrong = base
        for place in classes.indices {
            if classes[place] == .nsm { classes[place] = before }
            before = classes[place]
            if classes[place].isStrong { lastStrong = classes[place] }
            if classes[place] == .en, lastStrong == .al { classes[place] = .an }
        }
        for place in classes.indices where classes[place] == .al { classes[place] = .r }
    }

    /// W4: one separator between two numbers of a kind belongs to them.
    private mutating func resolveSeparators() {
        guard classes.count > 2 else { return }
        for place in 1..<classes.count - 1 {
            let (left, right) = (classes[place - 1], classes[place + 1])
            guard left == right else { continue }
            if left == .en, classes[place] == .es || classes[place] == .cs { classes[place] = .en }
            if left == .an, classes[place] == .cs { classes[place] = .an }
        }
    }

    /// W5: terminators beside a European number belong to it.
    private mutating func resolveTerminators() {
        var place = 0
        while place < classes.count {
            guard classes[place] == .et else {
                place += 1
                continue
            }
            let end = classes[place...].firstIndex { $0 != .et } ?? classes.count
            let touchesNumber = (place > 0 && classes[place - 1] == .en) || (end < classes.count && classes[end] == .en)
            if touchesNumber { for index in place..<end { classes[index] = .en } }
            place = end
        }
    }

    // MARK: Neutral classes

    /// The direction that a class gives to its neighbours; numbers count as right to left (N0, N1).
    private func direction(_ found: BidiClass) -> BidiClass? {
        switch found {
        case .l: .l
        case .r, .an, .en: .r
        default: nil
        }
    }

    /// N0: both brackets of a pair get one direction.
    private mutating func resolveBrackets() {
        for pair in bracketPairs() {
            var found: BidiClass?
            for place in pair.opening + 1..<pair.closing {
                guard let inside = direction(classes[place]) else { continue }
                found = inside
                if inside == base { break }
            }
            guard var result = found else { continue }
            if result != base {
                let before = classes[..<pair.opening].reversed().lazy.compactMap(direction).first ?? base
                if before == base { result = base }
            }
            classes[pair.opening] = result
            classes[pair.closing] = result
        }
    }

    /// BD16: pairs in the order of their opening brackets; none when they are nested more than 63 deep.
    private func bracketPairs() -> [(opening: Int, closing: Int)] {
        var stack: [(closing: UInt32, place: Int)] = []
        var pairs: [(opening: Int, closing: Int)] = []
        for place in classes.indices where classes[place] == .on {
            let scalars = clusters[place].text.unicodeScalars
            guard let value = scalars.first.map({ Self.canonical($0.value) }) else { continue }
            if let closing = BidiClass.partner(of: value, in: BidiTables.brackets) {
                guard stack.count < 63 else { return [] }
                stack.append((Self.canonical(closing), place))
            } else if let match = stack.lastIndex(where: { $0.closing == value }) {
                pairs.append((stack[match].place, place))
                stack.removeSubrange(match...)
            }
        }
        return pairs.sorted { $0.opening < $1.opening }
    }

    /// The angle brackets U+2329 and U+232A are canonically equivalent to U+3008 and U+3009.
    private static func canonical(_ value: UInt32) -> UInt32 {
        switch value {
        case 0x2329: 0x3008
        case 0x232A: 0x3009
        default: value
        }
    }

    /// N1: between two of a direction, that direction. N2: else the base direction.
    private mutating func resolveNeutral() {
        var place = 0
        while place < classes.count {
            guard direction(classes[place]) == nil else {
                place += 1
                continue
            }
            let end = classes[place...].firstIndex { direction($0) != nil } ?? classes.count
            let before = place > 0 ? direction(classes[place - 1]) ?? base : base
            let after = end < classes.count ? direction(classes[end]) ?? base : base
            for index in place..<end { classes[index] = before == after ? before : base }
            place = end
        }
    }
}
