// The terminal in the hands of another program for a while: the user's editor.

import CNcurses
import Glibc

extension NcursesTerminal {
    package func lend() {
        guard let session, session.mayWrite else { return }
        set_term(session.screen)
        leaveScreen()
        var mode = session.savedMode
        tcsetattr(input, TCSADRAIN, &mode)
        TerminalRestore.disarm()
        session.reader.end()
        self.session?.isLent = true
    }

    package func takeBack() {
        guard let session, session.isLent else { return }
        self.session?.isLent = false
        guard !session.isGone else { return }
        do {
            self.session?.reader = try InputReader(input) { [weak self] in self?.readInput() }
        } catch {
            // No descriptor is left to read keys with: leave in order, as when the terminal has gone.
            hangUp()
            return
        }
        enterScreen()
    }
}
