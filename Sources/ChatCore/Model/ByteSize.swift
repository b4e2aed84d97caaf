// Sizes as people read them.

/// Numbers of bytes with decimal units (1 kB = 1000 bytes).
package enum ByteSize {
    /// `512 B`, `4.1 MB`, `212 GB`.
    package static func words(_ bytes: UInt64) -> String {
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
}
