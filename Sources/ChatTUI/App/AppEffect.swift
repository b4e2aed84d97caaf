// Everything that `update` can ask the world to do. ChatApplication carries it out.

public import ChatCore

/// An output of `update`.
public enum AppEffect: Sendable, Equatable {
    /// Changes something: done one after the other in the order of asking (Enter order = row order = wire order).
    case run(Errand)
    /// Reads something: asked beside the errands; the answer comes back as an action.
    case ask(Question)
    case bell
    case terminal(TerminalCommand)
    /// Starts a program and its arguments beside the screen, without a shell.
    case spawn([String])
    /// Paints every cell anew.
    case redraw
    case suspend
    case quit
}

/// A change in the chat service.
public enum Errand: Sendable, Equatable {
    case send(String, to: ContactID)
    case sendFile(path: String, to: ContactID)
    case retry(MessageID)
    case edit(ChatMessage, String)
    case retract(ChatMessage)
    /// `nil` takes our reaction back.
    case react(ChatMessage, String?)
    case setDraft(String, ContactID)
    case setTyping(Bool, ContactID)
    case markSeen(ContactID, HistoryPosition)
    case accept(TransferNumber, folder: String?)
    case decline(TransferNumber)
    case pause(TransferNumber)
    case resume(TransferNumber)
    case cancel(TransferNumber)
    /// Bytes per second; `nil` takes the limit away.
    case limitRate(RateScope, UInt64?)
    case addContact(PeerAddress, name: String?)
    case rename(ContactID, to: String)
    case remove(ContactID)
    case setBlocked(ContactID, Bool)
    case setVerified(ContactID)
    case approve(Int64, name: String?)
    case reject(Int64)
    /// They become a blocked contact: refused from now on, until /unblock.
    case blockRequest(Int64)
    case reconnect(ContactID?)
    /// Changes or shows the user's settings.
    case settings(SettingsRequest)
}

/// A question to the chat service or the file system.
public enum Question: Sendable, Equatable {
    case conversations
    case links([ContactID])
    case page(PageRequest)
    case search(SearchQuery, generation: Int)
    case context(ContactID, HistoryPosition, generation: Int)
    case draft(ContactID)
    case files(folder: String, generation: Int)
    case transfers
    case requests
    case safetyNumber(ContactID)
    case downloads
    /// The first message of the conversation that was stored at the time or later.
    case day(ContactID, Timestamp, generation: Int)
    /// The preview of a file; large when the terminal shows it as a picture.
    case picture(MessageID, path: String, isLarge: Bool)
}
