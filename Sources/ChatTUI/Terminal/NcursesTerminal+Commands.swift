// What the screen asks of the terminal beside the picture: bell, title, clipboard, notifications, cursor, mouse.

import CNcurses
package import ChatWords

extension NcursesTerminal {
    package func bell() {
        guard let session, session.mayWrite else { return }
        set_term(session.screen)
        beep()
    }

    package func setTitle(_ title: SafeText) {
        guard let session, session.mayWrite, environment.hasModernModes else { return }
        let save = session.isTitleSaved ? "" : TerminalSequences.saveTitle
        TerminalOutput.write(save + TerminalSequences.title(title, unicode: capabilities.unicode), to: output)
        guard !session.isTitleSaved else { return }
        self.session?.isTitleSaved = true
        armRestore()
    }

    package func perform(_ command: TerminalCommand) {
        switch command {
        case .copy(let text):
            write(TerminalSequences.clipboard(text, throughScreen: environment.isScreen) ?? "")
        case .notify(let title, let body, let form):
            let form = form == .auto ? environment.notificationForm : form
            let sequence = TerminalSequences.notification(title, body, as: form, unicode: capabilities.unicode)
            let isInTmux = environment.isTmux && !environment.hasScreenSession
            write(isInTmux ? TerminalSequences.throughTmux(sequence) : sequence)
        case .cursorShape(let shape):
            guard wish.cursor != shape else { return }
            wish.cursor = shape
            write(TerminalSequences.cursor(shape))
            if session?.mayWrite == true { armRestore() }
        case .mouse(let isOn):
            guard capabilities.mouse, wish.hasMouse != isOn else { return }
            wish.hasMouse = isOn
            write(isOn ? TerminalSequences.mouseOn : TerminalSequences.mouseOff)
        case .previews(let preview):
            guard wish.preview != preview else { return }
            wish.preview = preview
            show(picturesBy: .none)
            askAboutPictures()
        case .picture(let image, let number, let size): take(image, number: number, size: size)
        }
    }

    /// Writes a sequence where the terminal is ours and would not show it.
    func write(_ sequence: String) {
        guard let session, session.mayWrite, environment.hasModernModes, !sequence.isEmpty else { return }
        TerminalOutput.write(sequence, to: output)
    }
}
