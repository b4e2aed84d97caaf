// The order in which a paragraph with right-to-left letters is shown (UAX #9), because terminals cannot be relied on.
// Used for message texts and what is typed; names and times never take part.

/// The embedding levels of one paragraph. Explicit formatting characters do not occur: the filter shows them by name,
/// so the rules X1 to X8 have nothing to do. A cluster has the class of its base.
package struct BidiParagraph {
    /// The base direction, by the first strong letter (P2, P3).
    package let isRightToLeft: Bool
    private let clusters: [Cluster]
    private let levels: [UInt8]

    /// `nil` when everything is shown in the order in which it is stored: in nearly all texts.
    package init?(_ clusters: [Cluster]) {
        // The first right-to-left letter of Unicode is U+0590.
        guard clusters.contains(where: { $0.base.value >= 0x590 }) else { return nil }
        let classes = clusters.map(BidiClass.init)
        guard classes.contains(where: { $0 == .r || $0 == .al || $0 == .an }) else { return nil }
        isRightToLeft = (classes.first { $0.isStrong } ?? .l) != .l
        self.clusters = clusters
        var resolver = BidiResolver(classes: classes, clusters: clusters, base: isRightToLeft ? .r : .l)
        levels = resolver.levels()
    }

    /// The places of the clusters of one line, a part of the paragraph, from left to right (L1, L2).
    package func visualOrder(of line: Range<Int>) -> [Int] {
        let line = line.clamped(to: clusters.indices)
        let base: UInt8 = isRightToLeft ? 1 : 0
        let end = line.reversed().first { !clusters[$0].isBlank }.map { $0 + 1 } ?? line.lowerBound
        func level(_ place: Int) -> UInt8 { place < end ? levels[place] : base }
        var order = Array(line)
        guard let highest = order.map(level).max(), highest > 0 else { return order }
        for threshold in (1...highest).reversed() {
            var start = 0
            while start < order.count {
                guard level(order[start]) >= threshold else {
                    start += 1
                    continue
                }
                var stop = start + 1
                while stop < order.count, level(order[stop]) >= threshold { stop += 1 }
                order[start..<stop].reverse()
                start = stop
            }
        }
        return order
    }

    /// The cluster at `place` as it is shown: from right to left brackets and their like are mirrored (L4).
    package func shownCluster(at place: Int) -> Cluster {
        let cluster = clusters[place]
        guard levels[place] % 2 == 1, cluster.isOneScalar, let mirror = BidiClass.mirror(of: cluster.base)
        else { return cluster }
        return Cluster(text: String(mirror), width: cluster.width, isSubstitute: cluster.isSubstitute)
    }
}

/// The bidirectional classes that remain after the filter; raw values as in BidiTables.
package enum BidiClass: UInt32 {
    case l, r, al, en, es, et, an, cs, nsm, on, ws

    package var isStrong: Bool { self == .l || self == .r || self == .al }

    package init(_ cluster: Cluster) {
        self = BidiClass(cluster.base)
    }

    package init(_ scalar: Unicode.Scalar) {
        let table = BidiTables.classes
        var (low, high) = (0, table.count / 3)
        while low < high {
            let middle = (low + high) / 2
            if scalar.value > table[3 * middle + 1] {
                low = middle + 1
            } else if scalar.value < table[3 * middle] {
                high = middle
            } else {
                self = BidiClass(rawValue: table[3 * middle + 2]) ?? .l
                return
            }
        }
        self = .l
    }

    package static func mirror(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        partner(of: scalar.value, in: BidiTables.mirrors).flatMap(Unicode.Scalar.init)
    }

    /// The second of a pair in a table of pairs that is sorted by the first.
    package static func partner(of value: UInt32, in table: [UInt32]) -> UInt32? {
        var (low, high) = (0, table.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if table[2 * middle] == value { return table[2 * middle + 1] }
            if table[2 * middle] < value { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
