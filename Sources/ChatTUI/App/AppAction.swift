// Everything that can happen to the screen: keys, news from the chat, answers to its own questions, time.

package import ChatCore

/// An input of `update`.
package enum AppAction: Sendable {
    case input(InputEvent)
    /// Line mode: a whole line was entered.
    case line(String)
    /// Line mode: what was opened over the chat, or the place that was gone to, has been printed.
    case printed
    case chat(ChatEvent)
    /// The time of `AppState.deadline` has come.
    case clock
    /// An errand is done.
    case done(Errand, ErrandResult)
    case failed(Errand, ChatError)
    /// A program could not be started; the system's error number.
    case launchFailed(program: String, errno: Int32)
    /// A program that was started has ended at once, and not well.
    case programFailed(program: String, ProgramFailure)
    /// The user has left the editor.
    case edited(EditorOutcome)
    /// A question is answered.
    case answer(Answer)
}

extension AppAction {
    /// Whether it happens by itself, and not because the user has just done something.
    var isNews: Bool {
        switch self {
        case .input, .line, .edited: false
        default: true
        }
    }
}

/// A path that could not be offered beside others.
package struct RefusedOffer: Sendable {
    var path: String
    var error: ChatError
}

/// The result of an errand.
package enum ErrandResult: Sendable {
    /// The reply of the chat to a call.
    case reply(any CallReply)
    case files([ChatMessage], folders: [FolderOffer], refused: [RefusedOffer] = [])
    case settings(SettingsReply)
    /// Those of several errands that could not be done.
    case failures([ErrandFailure])

    /// There is nothing to say beyond that it is done.
    static let nothing = Self.reply(NoReply())

    /// The reply when it is of the type that the caller expects.
    func reply<Reply>() -> Reply? {
        guard case .reply(let reply) = self else { return nil }
        return reply as? Reply
    }
}

/// One of several errands that could not be done, and why.
package struct ErrandFailure: Sendable, Equatable {
    package var errand: Errand
    package var error: ChatError
}

/// The answer to a `Question`.
package enum Answer: Sendable {
    case reply(AnyCall, any CallReply)
    case conversations([Conversation])
    case links([ContactID: LinkState])
    case page(PageRequest, [ChatMessage])
    case search(SearchQuery, generation: Int, SearchResult, took: Duration)
    /// Messages around a search hit.
    case context(generation: Int, [ChatMessage])
    case found([ChatMessage], generation: Int)
    /// `nil`: there is no such message.
    case message(ChatMessage?, MessageReference, ContactID, MessageAction, line: String?)
    /// Those of the messages in question that are there.
    case quotes([ChatMessage], asked: [MessageID], ContactID)
    case versions([TextVersion], ChatMessage)
    case pins([ChatMessage], generation: Int)
    case messageLinks([ChatMessage], opening: Int?, generation: Int)
    case draft(ContactID, String)
    case files(FileListing, generation: Int)
    case transfers([FileTransfer])
    case requests([ContactRequest])
    case safetyNumber(ContactID, [String]?)
    case requestNumber(ContactRequest, [String])
    case newKeyNumber(ContactID, PeerID, [String])
    case limits([RateLimit])
    case mentions([ChatMessage])
    case spelling(SpellOutcome)
    case backedUp(String)
    case qrCode(String, Result<QRCode, QRCodeError>)
    case output(ProgramCommand, ProgramOutput)
    case downloads(folder: String, freeBytes: UInt64)
    case identity(LocalIdentity)
    /// The first message of a day.
    case day(ContactID, Timestamp, ChatMessage?, generation: Int)
    /// `nil` when the file is no picture that can be shown.
    case picture(MessageID, PixelImage?)
    case failed(Question, ChatError)
}
