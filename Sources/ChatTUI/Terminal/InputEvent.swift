// What a terminal reports: from InputDecoder and the signals to the application's `onInput`.

/// One input event, in the order in which it happened.
package enum InputEvent: Sendable, Equatable {
    case key(Key)
    /// Everything that was pasted, line ends as LF. At most 1 MiB; raw text from outside: filter before drawing.
    case paste(String)
    /// The terminal has a new size, or shows something else now (the program was in the background); draw again.
    case resize(Size)
    case mouse(MouseEvent)
    /// The terminal window gained (true) or lost the keyboard.
    case focus(Bool)
    /// SIGTERM or SIGINT came from outside: leave in order, with exit code 128 + `signal`.
    case terminate(signal: Int32)
    /// SIGHUP while the terminal is there: read the configuration again.
    case reload
    /// The terminal is gone (SIGHUP, end of file, EIO): leave in order, nothing can be shown any more.
    case hangup

    /// A key, a paste, the mouse: what somebody wants.
    var isOfUser: Bool {
        switch self {
        case .key, .paste, .mouse: true
        case .resize, .focus, .terminate, .reload, .hangup: false
        }
    }

    /// The screen has to end.
    var isEnd: Bool {
        switch self {
        case .terminate, .hangup: true
        case .key, .paste, .mouse, .resize, .focus, .reload: false
        }
    }
}

/// A mouse report in cells of the canvas.
package struct MouseEvent: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case press, release, drag, wheelUp, wheelDown
    }
    package enum Button: Sendable, Hashable {
        case left, middle, right, none
    }

    package var action: Action
    package var button: Button
    package var point: Point
    package var modifiers: Key.Modifiers

    package init(_ action: Action, _ button: Button, at point: Point, _ modifiers: Key.Modifiers = []) {
        self.action = action
        self.button = button
        self.point = point
        self.modifiers = modifiers
    }
}
