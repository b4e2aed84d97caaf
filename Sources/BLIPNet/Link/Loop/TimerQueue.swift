// The timers of one event loop, earliest first. Pure: the loop says what time it is.

/// A binary heap of deadlines. Adding, taking out and cancelling cost O(log n) in the number of timers.
struct TimerQueue {
    private struct Entry {
        var deadline: MonotonicTime
        var number: UInt64
    }

    /// Cancelled timers stay in the heap until they would come to its top or are swept out.
    private var heap: [Entry] = []
    private var work: [UInt64: @Sendable () -> Void] = [:]
    private var last: UInt64 = 0

    var count: Int { work.count }

    /// Returns the number under which the timer can be removed.
    mutating func add(at deadline: MonotonicTime, _ closure: @escaping @Sendable () -> Void) -> UInt64 {
        last += 1
        work[last] = closure
        heap.append(Entry(deadline: deadline, number: last))
        rise(heap.count - 1)
        return last
    }

    /// Returns what the timer would have done; `nil` if it is not there any more.
    mutating func remove(_ number: UInt64) -> (@Sendable () -> Void)? {
        guard let removed = work.removeValue(forKey: number) else { return nil }
        dropCancelled()
        if heap.count > 64, heap.count > work.count * 2 { sweep() }
        return removed
    }

    /// When the next timer is due.
    var earliest: MonotonicTime? { heap.first?.deadline }

    /// Takes out the earliest timer if its time has come. Of two with the same deadline the one added first.
    mutating func popDue(now: @autoclosure () -> MonotonicTime) -> (@Sendable () -> Void)? {
        guard let first = heap.first, first.deadline <= now() else { return nil }
        defer { dropCancelled() }
        removeTop()
        return work.removeValue(forKey: first.number)
    }

    /// The top of the heap is never a cancelled entry, so that looking at it costs nothing.
    private mutating func dropCancelled() {
        while let first = heap.first, work[first.number] == nil { removeTop() }
    }

    private mutating func removeTop() {
        let lastEntry = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = lastEntry
        sink(0)
    }

    private mutating func sweep() {
        heap.removeAll { work[$0.number] == nil }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        (left.deadline.nanoseconds, left.number) < (right.deadline.nanoseconds, right.number)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, isBefore(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(heap[child], heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
