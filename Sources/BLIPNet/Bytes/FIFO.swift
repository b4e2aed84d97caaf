// A queue of values in memory, for frames, events and messages that wait their turn.

/// First in, first out, with insertion anywhere. Both ends are amortised O(1) and the storage is reused, so a queue in
/// steady use allocates nothing. Positions count from the front.
struct FIFO<Element> {
    // Taken slots are emptied at once, so that what they held is freed.
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }
    var isEmpty: Bool { head == slots.count }

    mutating func append(_ element: Element) { slots.append(element) }

    /// Puts `element` before the one at `position` (0...count).
    mutating func insert(_ element: Element, at position: Int) { slots.insert(element, at: head + position) }

    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity <= 1024)
            head = 0
        } else if head >= 64, head * 2 >= slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    var first: Element? { head < slots.count ? slots[head] : nil }

    /// The element at `position`; `nil` outside 0..<count.
    subscript(position: Int) -> Element? {
        position >= 0 && position < count ? slots[head + position] : nil
    }

    /// Replaces the element at `position` (0..<count).
    mutating func replace(at position: Int, with element: Element) { slots[head + position] = element }

    /// Takes out the element at `position` (0..<count).
    mutating func remove(at position: Int) {
        slots.remove(at: head + position)
        if head == slots.count { removeAll() }
    }

    /// Takes out every element that fits; the order of the others stays.
    mutating func removeAll(where fits: (Element) -> Bool) {
        slots = slots[head...].filter { slot in slot.map { !fits($0) } ?? false }
        head = 0
    }

    mutating func removeAll() {
        slots.removeAll()
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
