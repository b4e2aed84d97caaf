// The widths that the terminal gives to emoji and their like: from the settings, from memory, from the probe.

import CNcurses
import ChatWords
import Glibc

extension NcursesTerminal {
    /// Decides how doubtful clusters are drawn for now, and asks the terminal where the settings leave it to it. The
    /// first picture does not wait for the answers.
    func startProbe() {
        defer { chooseRules() }
        guard capabilities.unicode else { return }
        switch settings.width {
        case .wcwidth: capabilities.widths = .perScalar
        case .grapheme: capabilities.widths = .perCluster
        case .auto:
            guard environment.hasModernModes, size.columns >= WidthProbe.minimumSize.columns,
                size.rows >= WidthProbe.minimumSize.rows, let session
            else { return }
            if let known = memory?.widths(of: environment) { capabilities.widths = known }
            // The other screen first, so that the samples are never seen among the user's command lines.
            set_term(session.screen)
            wnoutrefresh(cncurses_stdscr())
            doupdate()
            self.session?.probe = WidthProbe()
            self.session?.probeBegan = .now
            TerminalOutput.write(WidthProbe.question, to: output)
        }
    }

    /// An answer of the terminal; the last one of the probe changes how things are drawn.
    func receive(_ report: TerminalReport) {
        receiveAboutPictures(report)
        guard var probe = session?.probe else { return }
        probe.receive(report)
        session?.probe = probe.isFinished ? nil : probe
        guard probe.isFinished, capabilities.widths != probe.widths, !probe.widths.measured.isEmpty else { return }
        capabilities.widths = probe.widths
        chooseRules()
        memory?.keep(probe.widths, of: environment)
        redraw()
        session?.onInput(.resize(size))
    }

    /// Before the terminal is given back: what it still answers is not for whoever reads from it next. A terminal that has
    /// had its time answers nothing.
    func takeLateReports() {
        guard let session, session.mayWrite, session.probe != nil else { return }
        let hasAnswered = memory?.widths(of: environment) != nil
        let end = reportPatience.end(askedAt: session.probeBegan, leavingAt: .now, hasAnsweredBefore: hasAnswered)
        while self.session?.probe != nil, case let rest = end - .now, rest > .zero {
            var state = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, Int32(clamping: rest.wholeMilliseconds + 1)) == 1 else { break }
            let count = read(input, &received, received.count)
            guard count > 0 else { break }
            self.session?.decoder.awaitsReports = true
            self.session?.decoder.receive(received.prefix(count), now: .now)
            for report in self.session?.decoder.takeReports() ?? [] { self.session?.probe?.receive(report) }
            if self.session?.probe?.isFinished == true { self.session?.probe = nil }
        }
    }

    /// Characters of ambiguous width have the columns that the settings say, else those that were measured.
    private func chooseRules() {
        let columns = settings.ambiguous ?? capabilities.widths.measured[.ambiguous] ?? 1
        TextWidth.ambiguousColumns = capabilities.unicode ? columns : 1
        TextWidth.spellsControls = !capabilities.unicode
    }
}
