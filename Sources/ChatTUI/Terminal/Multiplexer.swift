// tmux and GNU screen run between us and the terminal: the settings that they need so that the user hears of messages.

import ChatWords

/// A program that shows several terminals in one.
package enum Multiplexer: String, Sendable, Hashable, CaseIterable {
    case tmux
    case screen

    /// By the variables of the environment; `nil` outside of both. With both, nothing tells which is inside of the
    /// other: tmux, which needs more settings.
    package init?(environment: [String: String]) {
        if environment["TMUX"]?.isEmpty == false {
            self = .tmux
        } else if environment["STY"]?.isEmpty == false {
            self = .screen
        } else {
            return nil
        }
    }

    /// The same as `advice` for `blipchat doctor`, in one line.
    package var shortAdvice: String {
        switch self {
        case .tmux:
            "~/.tmux.conf needs allow-passthrough on, focus-events on, set-clipboard on, bell-action any (set -g each)"
        case .screen: "~/.screenrc needs vbell off; notifications need notify.command"
        }
    }

    /// The settings that let notifications, bells, the focus and the clipboard through, as lines for people.
    package var advice: [String] {
        switch self {
        case .tmux:
            [
                "You are inside tmux. ~/.tmux.conf should have:",
                "  set -g allow-passthrough on  (notifications)",
                "  set -g focus-events on       (are you looking?)",
                "  set -g set-clipboard on      (copying)",
                "  set -g bell-action any       (the bell)",
            ]
        case .screen:
            [
                "You are inside GNU screen, which passes no desktop notifications on. A program can show them:",
                "  /set notify.command notify-send -a blipchat   and   /notify desktop command",
                "  vbell off in ~/.screenrc lets you hear the bell",
            ]
        }
    }
}
