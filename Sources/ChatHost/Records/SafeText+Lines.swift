// Names and lines from outside as the command line prints them.

import ChatWords

extension SafeText {
    package static func name(_ text: String) -> String { SafeText(text, as: .name).terminalString() }
    package static func line(_ text: String) -> String { SafeText(text, as: .line).terminalString() }
}
