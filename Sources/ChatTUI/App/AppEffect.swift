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
    case send(String, to: ContactID)
    /// An answer to a message, in its conversation.
    case reply(String, to: ChatMessage)
    /// Files and folders in this order, all with the same caption; none when one of them is not there.
    case sendFiles([String], caption: String, to: ContactID)
    /// Keeps a text as a file with this name and offers it.
    case sendTextFile(String, name: String, to: ContactID)
    case retry(MessageID)
    case edit(ChatMessage, String)
    /// `of`: how many are taken back with it.
    case retract(ChatMessage, of: Int)
    /// `nil` takes our reaction back.
    case react(ChatMessage, String?)
    case setPinned(ChatMessage, Bool)
    /// Deletes messages from this machine only.
    case deleteHere([MessageKey], ContactID)
    case markUnread(ContactID, from: HistoryPosition)
    case setDraft(String, ContactID)
    case setTyping(Bool, ContactID)
    case markSeen(ContactID, HistoryPosition)
    /// The errands of one command about several things; each is carried out, whatever becomes of the others.
    indirect case several([Errand])
    case accept(TransferNumber, folder: String?)
    case decline(TransferNumber)
    case pause(TransferNumber)
    case resume(TransferNumber)
    case cancel(TransferNumber)
    /// All unfinished files of the folder to which this one belongs.
    case cancelFolder(TransferNumber)
    /// Bytes per second; `nil` takes the limit away.
    case limitRate(RateScope, UInt64?)
    case addContact(PeerAddress, name: String?)
    case joinRoom(RoomURL, name: String?)
    case leaveRoom(ContactID)
    case removeAddress(ContactID, PeerAddress)
    case addRoute(ContactID, Route)
    /// The route with this number in `/routes`, from 1.
    case removeRoute(ContactID, Int)
    /// An invitation for so many seconds; `nil`: as usual. `at`: the relay to wait at, in place of our own ones.
    case invite(seconds: Int64?, at: MeetPlace?)
    /// Meets the user who waits with these words.
    case meet(SpokenInvitation, name: String?)
    case renewReach
    case rename(ContactID, to: String)
    case remove(ContactID, name: String)
    case setBlocked(ContactID, Bool)
    case setVerified(ContactID)
    /// The key that answers in place of the known one is theirs; `verified`: our user has compared its number.
    case acceptNewKey(ContactID, PeerID, verified: Bool)
    /// `verified`: our user has compared the number already.
    case approve(Int64, name: String?, verified: Bool = false)
    case reject(Int64)
    /// They become a blocked contact: refused from now on, until /unblock.
    case blockRequest(Int64)
    case reconnect(ContactID?)
    /// Changes or shows the user's settings.
    case settings(SettingsRequest)
    case disconnect(ContactID?)
    case setMuted(ContactID, until: Timestamp?)
    case setAutomaticAcceptance(ContactID, UInt64?)
    case setOwnName(String)
    case setAway(String?)
}

/// A question to the chat service or the file system.
package enum Question: Sendable, Equatable {
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
    case traffic(ContactID)
    case limits([RateScope])
    case ping(ContactID)
    case room(ContactID)
    case routes(ContactID)
    case reach
    /// Calls ourselves along all our ways.
    case reachTest
    /// Lists the people in this network; for `showSeconds` they see our user's name.
    case nearby(showSeconds: Int64?)
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
}
