// Every screen that there is, for tests that hold for all of them.

import ChatCore

@testable import ChatTUI

extension ScreenFixture {
    /// Somebody who asks to become a contact.
    static let erin = ContactRequest(
        id: 3, peerID: peerID("h"), name: "Erin", address: nil, origin: "192.0.2.44:51022", received: time(21, 9, 11))

    /// The main screen in its states, and every pane, by their names.
    static func everyScreen(columns: Int, rows: Int) -> [(name: String, fixture: ScreenFixture)] {
        var screens: [(name: String, fixture: ScreenFixture)] = []
        func add(_ name: String, _ change: (inout ScreenFixture) -> Void) {
            var fixture = main(columns: columns, rows: rows)
            change(&fixture)
            screens.append((name, fixture))
        }
        add("main") { _ in }
        for key in ["F1", "Alt-x", "Alt-k", "Alt-s", "Alt-t", "Alt-u", "Ctrl-r"] { add(key) { $0.press(key) } }
        add("syntax") { $0.press("Alt-s", "F1") }
        add("transfers") {
            $0.addTransfers()
            $0.press("Alt-t")
        }
        add("cancel") {
            $0.addTransfers()
            $0.press("Alt-t", "j", "x")
        }
        add("filter") {
            $0.addTransfers()
            $0.press("Alt-t", "/")
            $0.type("release")
        }
        add("rate") {
            $0.addTransfers()
            $0.press("Alt-t", "j", "L")
        }
        add("details") {
            $0.addTransfers()
            $0.press("Alt-t", "j", "Enter")
        }
        add("typed") {
            $0.enter("/version")
            $0.press("Ctrl-r")
        }
        add("forward") { $0.press("Escape", "f") }
        add("find") { $0.press("Escape", "/") }
        add("pins") {
            $0.enter("/pins")
            for case .pins(_, let generation) in $0.questions {
                $0.send(.answer(.pins([history[2]], generation: generation)))
            }
        }
        add("edit") { $0.press("Escape", "k", "k", "e") }
        add("offer") { $0.addOffer() }
        add("requests") {
            $0.send(.chat(.requestsChanged([erin])))
            $0.press("Alt-r")
        }
        add("decision") {
            $0.send(.chat(.requestsChanged([erin])))
            $0.press("Alt-r", "Enter")
            $0.send(.answer(.requestNumber(erin, safetyNumber)))
        }
        add("verify") {
            $0.enter("/verify")
            $0.send(.answer(.safetyNumber(alice, safetyNumber)))
        }
        add("picker") { $0.press("Ctrl-t") }
        add("browse") { $0.press("Escape") }
        add("range") { $0.press("Escape", "v") }
        add("info") { $0.press("Escape", "i") }
        add("date") { $0.press("Escape", "t") }
        add("react") { $0.press("Escape", "+") }
        add("reply") { $0.press("Escape", "r") }
        add("completion") {
            $0.type("/re")
            $0.press("Tab")
        }
        add("qr") { $0.enter("/qr") }
        add("log") { $0.enter("/log") }
        add("closed") { $0.enter("/close") }
        screens.append(("nobody", ScreenFixture(columns: columns, rows: rows)))
        return screens
    }
}
