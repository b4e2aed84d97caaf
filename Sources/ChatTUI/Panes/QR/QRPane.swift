// /qr: our own address as a QR code, for a telephone or another machine to read from the screen.

import ChatCore
import ChatWords

/// The page with the code.
struct QRPane: Pane {
    var address: String
    var code: QRCode

    var overlay: Overlay { .qr(self) }
    var keyContext: KeyContext { .anywhere }

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        .stays
    }

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 80, top: 2, rowsBelow: 7, maxRows: 10)
        QRScreen(pane: self, box: box, hasBlocks: state.surface.terminal.unicode).draw(on: &canvas)
    }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        [line(address)] + (state.surface.terminal.unicode ? code.halfBlocks : [QRScreen.needsUnicode]).map(line)
    }
}
