// The real terminal: start, stop, suspend and what arrives as signals. Keys are in NcursesTerminal+Input, painting is in
// NcursesTerminal+Painting, terminfo in NcursesTerminal+Capabilities. Only NcursesTerminal*.swift knows curses.

import CLinux
import CNcurses
import ChatWords
import Glibc

/// A terminal driven by ncurses for output and by InputDecoder for input. curses keeps its state in globals, so there
/// should be one started terminal at a time, on ScreenActor.
@ScreenActor
package final class NcursesTerminal: Terminal {
    package private(set) var size = Size(columns: 80, rows: 24)
    package internal(set) var capabilities: TerminalCapabilities

    let input: Int32
    let output: Int32
    let environment: TerminalEnvironment
    let settings: ScreenSettings
    /// The widths that earlier runs measured.
    let memory: WidthMemory?

    /// Everything that exists between `start` and `stop`. No structure: each look at it would be a copy.
    @ScreenActor
    final class Session {
        let screen: OpaquePointer
        let streams: [UnsafeMutablePointer<FILE>]
        let stage: OutputStage?
        let savedMode: termios
        var reader: InputReader
        let signals: SignalPipe
        var decoder: InputDecoder
        let onInput: @ScreenActor (InputEvent) -> Void
        /// The measurement of widths, while its answers may come.
        var probe: WidthProbe?
        /// When we asked for it.
        var probeBegan = ContinuousClock.now
        var isTitleSaved = false
        /// After a hangup: nothing is written any more.
        var isGone = false
        /// Between `suspend()` and the signal to continue: the terminal belongs to the shell.
        var isSuspended = false
        /// Between `lend()` and `takeBack()`: the terminal belongs to an editor, and `reader` has ended.
        var isLent = false

        var mayWrite: Bool { !isGone && !isSuspended && !isLent }

        init(
            screen: OpaquePointer, streams: [UnsafeMutablePointer<FILE>], stage: OutputStage?, savedMode: termios,
            reader: InputReader, signals: SignalPipe, decoder: InputDecoder,
            onInput: @escaping @ScreenActor (InputEvent) -> Void
        ) {
            self.screen = screen
            self.streams = streams
            self.stage = stage
            self.savedMode = savedMode
            self.reader = reader
            self.signals = signals
            self.decoder = decoder
            self.onInput = onInput
        }
    }
    var session: Session?
    /// The requests that the screen has made by TerminalCommand; they hold while the program is suspended.
    struct Wish {
        var hasMouse = false
        var cursor = TerminalCommand.CursorShape.standard
        var preview = ScreenSettings.ImagePreview.off
    }
    var wish = Wish()
    /// Pictures that were handed over for sixels.
    var sixels = SixelStock()
    /// The canvas that the terminal shows; `nil` when that is not known.
    var shown: Canvas?
    /// Numbers of the colour pairs that were made so far.
    var pairs: [ColorPair: Int32] = [:]
    var codes = TerminalCodes()
    /// Where `readInput` puts what it reads.
    var received = [UInt8](repeating: 0, count: 16_384)

    /// How long we wait for answers to the questions of the start, once the screen has gone, before we give the
    /// terminal back. Slower ones become input of the shell.
    var reportPatience = ReportPatience()

    /// A terminal on two descriptors (standard input and output), which stay open. Nothing happens before `start`.
    package init(
        input: Int32 = 0, output: Int32 = 1, environment: TerminalEnvironment = .current(),
        settings: ScreenSettings = ScreenSettings(), memory: WidthMemory? = nil
    ) {
        let environment = environment.applying(settings)
        self.input = input
        self.output = output
        self.environment = environment
        self.settings = settings
        self.memory = memory
        wish.preview = settings.preview
        capabilities = TerminalCapabilities(
            colors: 0, unicode: environment.unicode,
            bracketedPaste: environment.hasModernModes && !environment.isScreen, links: environment.hasLinks,
            mouse: environment.hasMouse, name: environment.type ?? "")
        capabilities.multiplexer = environment.multiplexer
    }

    // MARK: Start and stop

    package func start(onInput: @escaping @ScreenActor (InputEvent) -> Void) throws(TerminalError) {
        guard session == nil else { return }
        guard isatty(input) == 1 else { throw .inputIsNotATerminal }
        guard isatty(output) == 1 else { throw .outputIsNotATerminal }
        let type = try knownType()
        waitForForeground()
        var mode = termios()
        guard tcgetattr(input, &mode) == 0 else { throw .system(errno: errno) }
        // Before newterm, which leaves signals alone that have a handler.
        let signals = try SignalPipe([SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGTSTP]) { [weak self] number in
            self?.receive(signal: number)
        }
        let reader: InputReader
        do {
            reader = try InputReader(input) { [weak self] in self?.readInput() }
        } catch {
            signals.stop()
            throw error
        }
        var stop = sigaction()
        sigaction(SIGTSTP, nil, &stop)
        guard let opened = openScreen(type) else {
            let error = errno
            signals.stop()
            reader.end()
            throw .system(errno: error)
        }
        // curses would handle Ctrl-z on its own, inside of a signal handler; suspend() does it in order.
        sigaction(SIGTSTP, &stop, nil)
        configureScreen()
        session = Session(
            screen: opened.screen, streams: opened.streams,
            stage: OutputStage(of: fileno(opened.streams[0]), to: output), savedMode: mode, reader: reader,
            signals: signals,
            decoder: InputDecoder(
                ownSequences: keySequences(), escapeDelay: .milliseconds(settings.escapeMilliseconds),
                marksPastes: capabilities.bracketedPaste),
            onInput: onInput)
        armRestore()
        TerminalOutput.write(modes(modesOn), to: output)
        updateSize()
        startProbe()
        askAboutPictures()
    }

    package func stop() {
        guard let session else { return }
        session.reader.end()
        set_term(session.screen)
        if session.mayWrite { leaveScreenAtOnce() }
        self.session = nil
        delscreen(session.screen)
        session.streams.forEach { fclose($0) }
        session.stage?.end()
        var mode = session.savedMode
        tcsetattr(input, TCSADRAIN, &mode)
        TerminalRestore.disarm()
        session.signals.stop()
        shown = nil
        pairs = [:]
    }

    /// Whether the terminal belongs to another program of its shell: `blipchat &`, or `bg` after Ctrl-z.
    private var isInBackground: Bool {
        let front = tcgetpgrp(input)
        return front > 0 && front != getpgrp()
    }

    /// Stops as the terminal's driver would stop who reads in the background, until the shell brings us to the front.
    /// Where nobody could do that (an orphaned group) the system does not stop us.
    private func waitForForeground() {
        for _ in 0..<50 {
            guard isInBackground else { return }
            kill(0, SIGTTIN)
            usleep(20_000)
        }
    }

    /// Checks TERM against terminfo without opening a screen, because newterm would say nothing but no.
    private func knownType() throws(TerminalError) -> String {
        guard let type = environment.type, !type.isEmpty else { throw .typeNotSet }
        var status: Int32 = 0
        let isKnown = setupterm(type, output, &status) == OK
        defer { if isKnown { cncurses_forget_terminal() } }
        // 1 with an error means: known, but a printer or generic.
        guard isKnown || status == 1 else { throw .unknownType(type) }
        guard isKnown, cncurses_capability("cup") != nil else { throw .cannotMoveCursor(type) }
        return type
    }

    /// curses gets streams of its own, so that closing them leaves the descriptors open.
    private func openScreen(
        _ type: String
    ) -> (screen: OpaquePointer, streams: [UnsafeMutablePointer<FILE>])? {
        var streams: [UnsafeMutablePointer<FILE>] = []
        for (descriptor, mode) in [(output, "w"), (input, "r")] {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0, let stream = fdopen(copy, mode) else {
                streams.forEach { fclose($0) }
                return nil
            }
            streams.append(stream)
        }
        guard let screen = newterm(type, streams[0], streams[1]) else {
            streams.forEach { fclose($0) }
            return nil
        }
        return (screen, streams)
    }

    private func configureScreen() {
        // Every key comes to us as it is: no signals, no flow control, Enter is CR.
        raw()
        noecho()
        nonl()
        keypad(cncurses_stdscr(), true)
        // Painting is never put off because a key waits.
        typeahead(-1)
        startColors()
        codes = TerminalCodes.current()
    }

    /// Switches everything off that was switched on, and shows what was there before.
    func leaveScreen() {
        curs_set(1)
        let title = session?.isTitleSaved ?? false ? TerminalSequences.restoreTitle : ""
        session?.isTitleSaved = false
        TerminalOutput.write(modes(modesOff + title), to: output)
        endwin()
        TerminalOutput.write(codes.nextLine, to: output)
    }

    /// The same for good: the user sees it at once, and what the terminal still answers comes to us all the same. Until then it
    /// stays in the mode of the screen, or the answers would be echoed; the caller restores its mode.
    private func leaveScreenAtOnce() {
        // The mode that endwin() goes back to.
        def_shell_mode()
        leaveScreen()
        takeLateReports()
    }

    /// What is on while the screen is ours: the modes of every start, and what the screen has asked for since.
    private var modesOn: String {
        var text = TerminalSequences.modesOn
        if wish.hasMouse { text += TerminalSequences.mouseOn }
        if wish.cursor != .standard { text += TerminalSequences.cursor(wish.cursor) }
        return text
    }

    /// Switches off whatever may be on.
    private var modesOff: String {
        (capabilities.graphics == .kitty ? KittyGraphics.deleteAll : "")
            + (wish.cursor == .standard ? "" : TerminalSequences.cursor(.standard)) + TerminalSequences.mouseOff
            + TerminalSequences.modesOff
    }

    /// From now on a crash gives the terminal back from the state that it is in.
    func armRestore() {
        guard let session else { return }
        TerminalRestore.arm(
            input: input, output: output, mode: session.savedMode,
            reset: codes.reset + modes(modesOff + (session.isTitleSaved ? TerminalSequences.restoreTitle : "")))
    }

    private func modes(_ text: String) -> [UInt8] { environment.hasModernModes ? Array(text.utf8) : [] }

    // MARK: Suspend

    package func suspend() {
        guard let session, session.mayWrite else { return }
        set_term(session.screen)
        leaveScreenAtOnce()
        var mode = session.savedMode
        tcsetattr(input, TCSADRAIN, &mode)
        TerminalRestore.disarm()
        self.session?.isSuspended = true
        // The whole group, as the terminal driver would: a shell waits for whatever it started.
        stopProcess(0)
    }

    /// Stops the process (or with 0 its whole group) as SIGTSTP does by itself. It may take a moment, because the signal
    /// goes to another thread; SIGCONT brings us back.
    private func stopProcess(_ target: pid_t) {
        session?.signals.leave(SIGTSTP)
        kill(target, SIGTSTP)
        // Where no shell could continue us the system does not stop us either, and no SIGCONT comes.
        ScreenActor.after(.milliseconds(500)) { [weak self] in self?.isContinued() }
    }

    /// The process runs again after `stopProcess`.
    private func isContinued() {
        guard let session else { return }
        session.signals.take(SIGTSTP)
        if session.isSuspended, !isInBackground { enterScreen() }
    }

    /// After the terminal showed something else.
    func enterScreen() {
        guard let session, !session.isGone else { return }
        self.session?.isSuspended = false
        set_term(session.screen)
        reset_prog_mode()
        armRestore()
        TerminalOutput.write(modes(modesOn), to: output)
        redraw()
        updateSize()
        session.onInput(.resize(size))
    }

    // MARK: Signals

    private func receive(signal number: Int32) {
        guard let session, !session.isGone else { return }
        switch number {
        // Signals that the keys of an editor send to the whole group are not for us, and the screen is not ours.
        case SIGWINCH where session.isLent, SIGINT where session.isLent: break
        case SIGCONT where session.isLent: session.signals.take(SIGTSTP)
        // Ctrl-z in the editor stops the whole group, which the shell waits for.
        case SIGTSTP where session.isLent: stopProcess(getpid())
        case SIGTSTP: suspend()
        case SIGWINCH:
            updateSize()
            session.onInput(.resize(size))
        case SIGCONT where isInBackground:
            // The shell lets us run, but the terminal is its own: nothing is written there.
            self.session?.isSuspended = true
            stopProcess(0)
        case SIGCONT:
            session.signals.take(SIGTSTP)
            enterScreen()
        case SIGHUP: if isTerminalThere { session.onInput(.reload) } else { hangUp() }
        default: session.onInput(.terminate(signal: number))
        }
    }

    /// After its end the terminal answers nothing but EIO; a SIGHUP that somebody sent by hand leaves it there.
    private var isTerminalThere: Bool {
        var settings = termios()
        return tcgetattr(output, &settings) == 0
    }

    /// Asks the terminal for its size and tells curses. Zero (a serial line) leaves what terminfo says.
    private func updateSize() {
        guard let session else { return }
        set_term(session.screen)
        var window = clinux_window_size()
        if clinux_get_window_size(output, &window) == 0, window.columns > 0, window.rows > 0 {
            size = Size(columns: Int(window.columns), rows: Int(window.rows))
            sixels.learnCellSize(ofWindow: (Int(window.pixel_width), Int(window.pixel_height)), size)
            if cncurses_lines() != Int32(window.rows) || cncurses_columns() != Int32(window.columns) {
                resizeterm(Int32(window.rows), Int32(window.columns))
            }
        } else {
            size = Size(columns: Int(cncurses_columns()), rows: Int(cncurses_lines()))
        }
        redraw()
    }
}
