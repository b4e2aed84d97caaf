// Previews of pictures in the open chat: asked for when their files are there, drawn below the line of the file.

import ChatCore
import ChatWords

/// Previews of pictures in the open chat.
enum Previews {
    /// Items with rows, up to the bottom of the view, whose pictures we look for.
    private static let lookback = 40

    /// Asks for the previews that the open chat lacks.
    static func ask(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.surface.settings.preview != .off, let chat = state.openChat else { return }
        // From the bottom, because the line of a folder may hide thousands of files.
        let shown = chat.window.items.prefix(chat.window.bottomIndex + 1).lazy.reversed().filter {
            !chat.window.isFolded($0)
        }
        let files = Array(shown.prefix(Self.lookback)).compactMap { item -> (MessageID, String)? in
            guard let message = item.message, !message.isRetracted, !chat.window.isClosedHead(message),
                case .file(let stored) = message.content
            else { return nil }
            let transfer = state.world.transfers.byID[stored.id] ?? stored
            guard transfer.direction == .outgoing || transfer.state == .complete, Self.isPicture(transfer.name),
                let path = transfer.path
            else { return nil }
            return (message.id, path)
        }
        // More than the shelf keeps would push each other out, and we would ask for them forever.
        for (id, path) in files.prefix(PictureShelf.limit).reversed() where state.world.pictures.ask(for: id) {
            effects.append(.ask(.picture(id, path: path, isLarge: state.surface.showsRealPictures)))
        }
    }

    private static func isPicture(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".png", ".jpg", ".jpeg", ".gif"].contains { name.hasSuffix($0) }
    }

    static func receive(_ image: PixelImage?, for id: MessageID, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        let preview = state.world.pictures.put(image, for: id, asPicture: state.surface.showsRealPictures)
        if let command = preview?.command { effects.append(.terminal(command)) }
    }

    /// The rows of a message's preview, none where there is none (yet).
    static func rows(of id: MessageID, width: Int, _ state: AppState) -> [StyledLine] {
        guard state.surface.settings.preview != .off, let preview = state.world.pictures.previews[id],
            let image = preview.image,
            width >= 8
        else {
            return []
        }
        if let number = preview.number, preview.size.columns <= width {
            return PictureRows.cells(ofPicture: number, size: preview.size)
        }
        // Where a block takes two columns none can be drawn.
        return state.surface.terminal.colors > 0 && state.surface.terminal.unicode && TextWidth.ambiguousColumns == 1
            ? PictureRows.halfBlocks(image, columns: width) : PictureRows.shades(image, columns: width)
    }
}
