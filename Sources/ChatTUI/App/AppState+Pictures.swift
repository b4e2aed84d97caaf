// Previews of pictures in the open chat: asked for when their files are there, drawn below the line of the file.

import ChatCore
import ChatWords

extension AppState {
    /// Items with rows, up to the bottom of the view, whose pictures are looked for.
    private static let lookback = 40

    /// Pictures go to the terminal as they are, not as characters.
    private var showsRealPictures: Bool {
        switch terminal.graphics {
        case .none: false
        case .kitty: settings.preview == .auto || settings.preview == .kitty
        case .sixel: settings.preview == .auto || settings.preview == .sixel
        }
    }

    /// Asks for the previews that the open chat lacks.
    mutating func askForPictures(_ effects: inout [AppEffect]) {
        guard settings.preview != .off, let chat = openChat else { return }
        // From the bottom, because behind the line of a folder there may be thousands of files.
        let shown = chat.window.items.prefix(chat.window.bottomIndex + 1).lazy.reversed().filter {
            !chat.window.isFolded($0)
        }
        let files = Array(shown.prefix(Self.lookback)).compactMap { item -> (MessageID, String)? in
            guard let message = item.message, !message.isRetracted, !chat.window.isClosedHead(message),
                case .file(let stored) = message.content
            else { return nil }
            let transfer = transfers.byID[stored.id] ?? stored
            guard transfer.direction == .outgoing || transfer.state == .complete, Self.isPicture(transfer.name),
                let path = transfer.path
            else { return nil }
            return (message.id, path)
        }
        // More than are kept would push each other out, and be asked for for ever.
        for (id, path) in files.prefix(PictureShelf.limit).reversed() where pictures.ask(for: id) {
            effects.append(.ask(.picture(id, path: path, isLarge: showsRealPictures)))
        }
    }

    private static func isPicture(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".png", ".jpg", ".jpeg", ".gif"].contains { name.hasSuffix($0) }
    }

    mutating func receive(_ image: PixelImage?, for id: MessageID, _ effects: inout [AppEffect]) {
        let preview = pictures.put(image, for: id, asPicture: showsRealPictures)
        if let command = preview?.command { effects.append(.terminal(command)) }
    }

    /// The rows of a message's preview, none where there is none (yet).
    func pictureRows(of id: MessageID, width: Int) -> [StyledLine] {
        guard settings.preview != .off, let preview = pictures.previews[id], let image = preview.image, width >= 8
        else {
            return []
        }
        if let number = preview.number, preview.size.columns <= width {
            return PictureRows.cells(ofPicture: number, size: preview.size)
        }
        // Where a block takes two columns none can be drawn.
        return terminal.colors > 0 && terminal.unicode && TextWidth.ambiguousColumns == 1
            ? PictureRows.halfBlocks(image, columns: width) : PictureRows.shades(image, columns: width)
    }
}
