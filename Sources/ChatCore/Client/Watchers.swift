// Those who want to hear that something has changed, and look for themselves.

/// Belongs to one actor.
final class Watchers {
    private var watchers: [Int: () -> Void] = [:]
    private var last = 0

    /// Has `heard` called at each `tell`, until the number that this returns is removed.
    func add(_ heard: @escaping () -> Void) -> Int {
        last += 1
        watchers[last] = heard
        return last
    }

    func remove(_ number: Int) { watchers[number] = nil }

    /// Returns when `isSo`, which is asked now and at each `tell`, or when the task is cancelled.
    func wait(until isSo: () -> Bool) async {
        let (signs, teller) = AsyncStream.makeStream(of: Void.self)
        let watcher = add { teller.yield() }
        defer { remove(watcher) }
        var iterator = signs.makeAsyncIterator()
        while !isSo() {
            guard await iterator.next(isolation: #isolation) != nil else { return }
        }
    }

    func tell() { for heard in watchers.values { heard() } }
}
