// Opens and closes the pane over the chat, and hands it its keys and characters.

import ChatCore

extension AppState {
    mutating func show(_ new: Overlay) {
        composer.turnAway()
        place.dismissStatus()
        place.put(new)
    }

    /// Opens a pane, or closes it when one of its kind is open: the key that opens a pane also closes it.
    mutating func toggle<Opened: Pane>(_ pane: Opened) {
        if place.overlay?.pane is Opened { place.closePane() } else { show(pane.overlay) }
    }

    /// A command of the open pane's own keys, or Esc.
    mutating func performInOverlay(_ command: AppCommand, _ effects: inout [AppEffect]) {
        if command == .back { return closeOverlay() }
        guard var pane = place.overlay?.pane else { return }
        let step = pane.perform(command, &self, &effects)
        place.carryOut(step, of: pane)
    }

    /// Characters for the pane's field. Panes without one forget what they asked.
    mutating func typeIntoOverlay(_ text: String, _ effects: inout [AppEffect]) {
        guard var pane = place.overlay?.pane else { return }
        pane.type(text, &self, &effects)
        place.put(pane.overlay)
    }

    mutating func closeOverlay() {
        if place.withdrawQuestion() { return }
        guard var pane = place.overlay?.pane else { return }
        let step = pane.stepBack(&self)
        place.carryOut(step, of: pane)
    }
}
