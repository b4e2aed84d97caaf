// Puts one value of the state in place, where a test begins with it: by the operations of the program, with all that
// follows from them.

import ChatCore

@testable import ChatTUI

extension Surface {
    mutating func set<Value>(_ path: WritableKeyPath<ScreenSettings, Value>, to value: Value) {
        change { $0[keyPath: path] = value }
    }

    mutating func change(_ change: (inout ScreenSettings) -> Void) {
        var new = settings
        change(&new)
        adopt(new)
    }

    mutating func setTerminal<Value>(_ path: WritableKeyPath<TerminalCapabilities, Value>, to value: Value) {
        var new = terminal
        new[keyPath: path] = value
        terminalIs(new)
    }
}

extension Surface {
    /// The same in other hands: what a screen is given when it begins.
    func rebuilt(settingNames: any SettingNames = NoSettings(), isLineMode: Bool = false) -> Surface {
        var new = Surface(
            size: size, clock: clock, moment: moment, home: home, version: version, settings: settings, theme: theme,
            settingNames: settingNames, isLineMode: isLineMode)
        new.terminalIs(terminal)
        return new
    }
}

extension World {
    /// The same chats on a screen beside another one.
    func onSecondScreen() -> World {
        var new = World(identity: identity, isSecondScreen: true)
        _ = new.receive(chats.map(\.conversation), askedAt: nil)
        new.chats = chats
        return new
    }

    mutating func setIdentity<Value>(_ path: WritableKeyPath<LocalIdentity, Value>, to value: Value) {
        var new = identity
        new[keyPath: path] = value
        receive(new)
    }
}

extension Chat {
    mutating func set<Value>(_ path: WritableKeyPath<Conversation, Value>, to value: Value) {
        var new = conversation
        new[keyPath: path] = value
        receive(new, askedAt: nil)
    }
}

extension Paging {
    /// The page is a shorter one.
    mutating func limit(to count: Int) {
        guard var request else { return }
        request.limit = count
        begin(request)
    }
}
