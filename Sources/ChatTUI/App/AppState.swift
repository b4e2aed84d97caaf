// Everything that the screen shows, as one value. Only `update` changes it; `view` draws it.

package import ChatCore
import ChatWords

/// The state of the program's screen.
package struct AppState: Sendable {
    package internal(set) var surface: Surface
    var world: World
    var composer: Composer
    package internal(set) var place: Place
    /// The things that the screen does by itself when their time has come.
    var due = Due()

    /// Whether the program continues.
    var ending = Ending()

    /// `history`: the lines that were typed in earlier runs; `firstContact`: whose chat opens first.
    init(surface: Surface, world: World, history: InputHistory? = nil, firstContact: String? = nil) {
        self.surface = surface
        self.world = world
        composer = Composer(history: history ?? InputHistory())
        place = Place(firstContact: firstContact)
    }

    package init(surface: Surface, identity: LocalIdentity) {
        self.init(surface: surface, world: World(identity: identity))
    }

    /// The first things to show are still on their way: the list, and of the chat that opens the newest page and the
    /// draft.
    var isOpening: Bool {
        guard world.hasLoaded else { return true }
        guard let chat = openChat else { return false }
        return chat.storedDraft == .asked || (!chat.window.isLoaded && chat.window.paging.request != nil)
    }
}

// MARK: Looking things up

extension AppState {
    var openChat: Chat? { world.chat(place.openID) }

    /// The title of the terminal window.
    var windowTitle: SafeText {
        let unread = world.unreadChats > 0 ? "(\(world.unreadChats)) " : ""
        return SafeText(unread + "blipchat", as: .line)
            + (openChat.map { SafeText(literal: " · ") + $0.name } ?? .empty)
    }

    /// The input is in vi's normal mode.
    var isViNormal: Bool { surface.settings.editMode == .vi && composer.vi.isNormal }
}

// MARK: Saying things

extension AppState {
    /// Shows a sentence on the status line for some seconds.
    ///
    /// `place`: where all of it can be read when it does not fit; `hasMore`: it is the first of several lines.
    mutating func say(
        _ text: String, about subject: StatusNotice.Subject? = nil, isError: Bool = false,
        place: StatusNotice.Place = .log, hasMore: Bool = false
    ) {
        self.place.say(text, about: subject, isError: isError, place: place, hasMore: hasMore, at: surface.moment)
    }

    /// Asks something that the next key answers or withdraws; `short`: the same in fewer words, for narrow screens.
    mutating func say(
        question: String, short: String..., about subject: StatusNotice.Subject? = nil, isError: Bool = false
    ) {
        place.ask(question, shorts: short, about: subject, isError: isError, at: surface.moment)
    }

    /// Adds dim lines to the open chat (or to the empty screen when there is none).
    mutating func note(_ lines: [String], isError: Bool = false) {
        let notice = LocalNotice(id: place.nextNumber(), time: surface.moment.wall, lines: lines, isError: isError)
        // A chat whose history is still being read gets what is in the lobby after it.
        if let index = world.chatIndex(place.openID), world.chats[index].window.isLoaded {
            world.chats[index].window.add(notice)
            // The lines are below the part that is on the screen: without a word here the command would seem to do
            // nothing.
            if !world.chats[index].window.isAtBottom, let first = lines.first {
                say(first, isError: isError, place: .chat, hasMore: lines.count > 1)
            }
        } else {
            place.addToLobby(notice)
        }
    }

    mutating func note(_ line: String, isError: Bool = false) {
        note([line], isError: isError)
    }
}
