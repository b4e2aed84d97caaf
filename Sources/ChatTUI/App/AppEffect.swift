// Everything that `update` can ask the world to do. AppLoop carries it out, ChatApplication what concerns the terminal.

package import ChatCore

/// An output of `update`.
package enum AppEffect: Sendable, Equatable {
    /// Changes something: done one after the other in the order of asking (Enter order = row order = wire order).
    case run(Errand)
    /// Reads something: asked beside the errands; the answer comes back as an action.
    case ask(Question)
    case bell
    case terminal(TerminalCommand)
    /// Starts a program and its arguments beside the screen, without a shell.
    case spawn([String])
    /// Keeps a line for the next runs of the program.
    case keepLine(String)
    /// Nothing of what was typed before is to be kept.
    case forgetLines
    /// Hands the terminal to the user's editor with this text; `AppAction.edited` comes back.
    case edit(String)
    /// Paints every cell anew.
    case redraw
    case suspend
    case quit
    /// Nobody waits any more for what has no answer.
    case giveUp
}

/// A change in the chat service.
package enum Errand: Sendable, Equatable {
    /// A call with nothing of the screen's own to it.
    case call(SomeCall)
    /// Files and folders in this order, all with the same caption; none when one of them is not there.
    case sendFiles([String], caption: String, to: ContactID)
    /// Keeps a text as a file with this name and offers it.
    case sendTextFile(String, name: String, to: ContactID)
    /// `of`: how many are taken back with it.
    case retract(ChatMessage, of: Int)
    /// The errands of one command about several things; each is carried out, whatever becomes of the others.
    indirect case several([Errand])
    case accept(TransferNumber, folder: String?)
    /// The route with this number in `/routes`, from 1.
    case removeRoute(ContactID, Int)
    case rename(ContactID, to: String)
    case remove(ContactID, name: String)
    /// `verified`: our user has compared the number already.
    case approve(Int64, name: String?, verified: Bool = false)
    /// Changes or shows the user's settings.
    case settings(SettingsRequest)

    static func call<Reply>(_ call: ChatCall<Reply>) -> Self { .call(SomeCall(call)) }

    /// The call, when the errand is nothing more.
    var call: AnyCall? {
        guard case .call(let call) = self else { return nil }
        return call.plain
    }

    /// The message whose text or reactions it changes on both sides, as it was before.
    var changed: ChatMessage? {
        switch self {
        case .retract(let message, _): message
        case .call(let call):
            switch call.plain {
            case .edit(let message, _), .react(let message, _): message
            default: nil
            }
        default: nil
        }
    }
}

/// A question to the chat service or the file system.
package enum Question: Sendable, Equatable {
    /// A call with nothing of the screen's own to it; `Answers.show` shows its reply.
    case call(SomeCall)
    case conversations
    case links([ContactID])
    case page(PageRequest)
    case search(SearchQuery, generation: Int)
    case context(ContactID, HistoryPosition, generation: Int)
    /// The words of browse mode's search.
    case find(SearchQuery, generation: Int)
    /// The message that somebody means, and what to do with it; with the line in which they typed that.
    case message(MessageReference, ContactID, MessageAction, line: String?)
    /// Messages that others quote.
    case quotes([MessageID], ContactID)
    case versions(ChatMessage)
    case pins(ContactID, generation: Int)
    /// The messages with links; the link with that number is opened, `nil` lists them.
    case messageLinks(SearchQuery, opening: Int?, generation: Int)
    case draft(ContactID)
    /// The names in a folder that begin with something.
    case files(folder: String, beginning: String = "", wish: String = "", generation: Int)
    case transfers
    case requests
    case safetyNumber(ContactID)
    /// The number to compare with somebody who is no contact yet.
    case requestNumber(ContactRequest)
    /// The number of the key that answers in place of a contact's known one.
    case newKeyNumber(ContactID, PeerID)
    case limits([RateScope])
    /// Copies the whole history to a new file; it may take long.
    case backUp(String)
    /// A code of an address.
    case qrCode(String)
    /// Runs a command of the program's command line, for what it says; it may take long.
    case command(ProgramCommand)
    /// Which words of the text the user's spell checker does not know.
    case spelling(String, command: [String])
    /// Unread messages that may name us.
    case mentions(SearchQuery)
    case downloads
    /// The first message of the conversation that was stored at the time or later.
    case day(ContactID, Timestamp, generation: Int)
    /// The preview of a file; large when the terminal shows it as a picture.
    case picture(MessageID, path: String, isLarge: Bool)

    static func call<Reply>(_ call: ChatCall<Reply>) -> Self { .call(SomeCall(call)) }
}
