// The panes over the chat, whichever is open: what holds for every one of them.

import ChatCore
import ChatWords
import Testing

@testable import ChatTUI

@Suite struct PaneTests {
    @Test("every pane is the one of its own case, and Esc closes it")
    func ownCase() {
        for (name, fixture) in ScreenFixture.everyScreen(columns: 80, rows: 24) {
            guard let overlay = fixture.state.place.overlay else { continue }
            #expect(overlay.pane.overlay == overlay, "\(name)")
            var closed = fixture
            for _ in 0..<6 where closed.state.place.overlay != nil { closed.press("Esc") }
            #expect(closed.state.place.overlay == nil, "\(name)")
        }
    }

    @Test("every pane says something in line mode, unless it waits, and draws nothing of the screen around it")
    func spoken() {
        for (name, fixture) in ScreenFixture.everyScreen(columns: 80, rows: 24) {
            guard let pane = fixture.state.place.overlay?.pane, !pane.isWaiting else { continue }
            let lines = pane.spoken(fixture.state, after: .clock)
            #expect(lines.contains { $0.width > 0 }, "\(name)")
            #expect(!lines.contains { $0.text.contains("│") }, "\(name)")
        }
    }

    @Test("Tab in a list goes on line by line, in the palette group by group, and begins anew after the last")
    func nextGroup() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.press("Alt-k")
        let count = fixture.state.world.chats.count
        for place in 1...count {
            fixture.press("Tab")
            guard case .goTo(let pane) = fixture.state.place.overlay else {
                return #expect(Bool(false), "it is closed")
            }
            #expect(pane.list.selected == place % count)
        }
        let items = CommandItem.all(.standard, for: .palette)
        let second = CommandItem.nextGroup(after: 0, of: items)
        #expect(items[second].group != items[0].group && items[second - 1].group == items[0].group)
        #expect(CommandItem.nextGroup(after: items.count - 1, of: items) == 0)
        #expect(CommandItem.nextGroup(after: items.count, of: items) == 0)
    }
}
