// How many bundles of small files are being given. Pure.

/// A bundle is in memory as a whole, so each contact gets some at once.
struct GivenBundles {
    /// To one contact.
    let most: Int
    private var counts: [ContactID: Int] = [:]

    init(most: Int) { self.most = most }

    /// Counts one that begins; `false` when a contact has asked for too many at once.
    mutating func begin(for contact: ContactID) -> Bool {
        guard counts[contact, default: 0] < most else { return false }
        counts[contact, default: 0] += 1
        return true
    }

    mutating func end(for contact: ContactID) {
        let left = counts[contact, default: 0] - 1
        counts[contact] = left > 0 ? left : nil
    }
}
