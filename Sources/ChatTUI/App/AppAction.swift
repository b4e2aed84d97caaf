// Everything that can happen to the screen: keys, news from the chat, answers to its own questions, time.

public import ChatCore

/// An input of `update`.
public enum AppAction: Sendable {
    case input(InputEvent)
    case chat(ChatEvent)
    /// The time of `AppState.deadline` has come.
    case clock
    /// An errand is done.
    case done(Errand, ErrandResult)
    case failed(Errand, ChatError)
    /// A program could not be started; the system's error number.
    case launchFailed(program: String, errno: Int32)
    /// A question is answered.
    case answer(Answer)
}

/// What an errand brought.
public enum ErrandResult: Sendable {
    case nothing
    case contact(Peer)
    case message(ChatMessage)
    case folder(FolderOffer)
    case settings(SettingsReply)
}

/// The answer to a `Question`.
public enum Answer: Sendable {
    case conversations([Conversation])
    case links([ContactID: LinkState])
    case page(PageRequest, [ChatMessage])
    case search(SearchQuery, generation: Int, SearchResult, took: Duration)
    /// Messages around a search hit.
    case context(generation: Int, [ChatMessage])
    case draft(ContactID, String)
    case files(FileListing, generation: Int)
    case transfers([FileTransfer])
    case requests([ContactRequest])
    case safetyNumber(ContactID, [String]?)
    case downloads(folder: String, freeBytes: UInt64)
    case identity(LocalIdentity)
    /// The first message of a day.
    case day(ContactID, Timestamp, ChatMessage?, generation: Int)
    /// `nil` when the file is no picture that can be shown.
    case picture(MessageID, PixelImage?)
    case failed(Question, ChatError)
}
