// Input from the keyboard, and the end of the terminal, which a read meets first.

import CNcurses
import Glibc

extension NcursesTerminal {
    func readInput() {
        guard session != nil else { return }
        let count = read(input, &received, received.count)
        if count > 0 {
            let awaitsReports = session?.probe != nil
            session?.decoder.awaitsReports = awaitsReports
            session?.decoder.receive(received.prefix(count), now: .now)
            for report in session?.decoder.takeReports() ?? [] { receive(report) }
            deliverInput()
        } else if count == 0 || !(errno == EINTR || errno == EAGAIN) {
            hangUp()
        }
    }

    private func deliverInput() {
        // The handler may stop the terminal.
        while let event = session?.decoder.nextEvent() { session?.onInput(event) }
        guard let deadline = session?.decoder.deadline else { return }
        ScreenActor.after(max(.zero, deadline - .now)) { [weak self] in
            guard let self, let due = session?.decoder.deadline, due <= .now else { return }
            session?.decoder.handleTimeout(now: .now)
            deliverInput()
        }
    }

    /// The terminal is gone: nothing is read or written any more.
    func hangUp() {
        guard let session, !session.isGone else { return }
        if session.mayWrite, takesOutput {
            set_term(session.screen)
            leaveScreen()
        }
        self.session?.isGone = true
        session.reader.end()
        TerminalRestore.disarm()
        session.onInput(.hangup)
    }

    /// Whether the terminal is there and takes a few bytes at once.
    private var takesOutput: Bool {
        var state = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) == 1 && state.revents == Int16(POLLOUT)
    }
}
