// The terminal as the application sees it. NcursesTerminal is the real one; tests bring a scripted one.

package import ChatWords

/// A place to paint canvases on, with a keyboard. All calls and events happen on ScreenActor.
@ScreenActor
package protocol Terminal: AnyObject {
    /// The present size. May be very small; that is not an error.
    var size: Size { get }
    var capabilities: TerminalCapabilities { get }

    /// Takes the terminal over and delivers its input until `stop()`.
    func start(onInput: @escaping @ScreenActor (InputEvent) -> Void) throws(TerminalError)
    /// Paints what differs from the picture before.
    func present(_ canvas: Canvas)
    /// Forgets what the terminal shows, so that the next `present` paints everything (Ctrl-l).
    func redraw()
    /// Rings or flashes.
    func bell()
    /// Sets the window title where there is one.
    func setTitle(_ title: SafeText)
    /// Carries out what is no part of the picture; where the terminal cannot, nothing happens.
    func perform(_ command: TerminalCommand)
    /// Gives the terminal back and stops the process group until it is continued (Ctrl-z); then `.resize` is delivered.
    func suspend()
    /// Gives the terminal to another program (an editor) until `takeBack()`: nothing is read or painted meanwhile.
    func lend()
    /// The other program has ended; then `.resize` is delivered.
    func takeBack()
    /// Gives the terminal back as it was before `start`. May be called at any time, more than once.
    func stop()
}

extension Terminal {
    package func redraw() {}
    package func lend() {}
    package func takeBack() {}
    package func perform(_ command: TerminalCommand) {}
}
