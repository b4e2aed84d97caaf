// Looking for neighbours again before the look before has ended, with and without avahi on this machine.

import ChatCore
import Testing

@testable import ChatHost

@Suite struct AvahiNeighboursTests {
    @Test("who looks anew ends the look before, whose end takes nothing from the new one", .timeLimit(.minutes(5)))
    func anew() async {
        let neighbours = AvahiNeighbours()
        let first = neighbours.look()
        let second = neighbours.look()
        for await _ in first {}
        var news = second.makeAsyncIterator()
        #expect(await news.next() != nil)
        neighbours.show(nil)
    }
}
