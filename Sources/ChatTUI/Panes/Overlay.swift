// The panes over the chat: opened and closed by the user only, never by the network.

/// The open pane. Esc closes it.
enum Overlay: Sendable, Equatable {
    case help(HelpPane)
    case palette(PalettePane)
    case goTo(GoToPane)
    /// Ctrl-r: the lines that were typed before.
    case typed(TypedPane)
    case transfers(TransfersPane)
    case search(SearchPane)
    case requests(RequestsPane)
    case verify(VerifyPane)
    case choice(ChoicePane)
    case reader(ReaderPane)
    case prompt(PromptPane)
    case files(FilePicker)
    case qr(QRPane)

    /// The pane, whichever it is: the only place that has to know all of them.
    var pane: any Pane {
        switch self {
        case .help(let pane): pane
        case .palette(let pane): pane
        case .goTo(let pane): pane
        case .typed(let pane): pane
        case .transfers(let pane): pane
        case .search(let pane): pane
        case .requests(let pane): pane
        case .verify(let pane): pane
        case .choice(let pane): pane
        case .reader(let pane): pane
        case .prompt(let pane): pane
        case .files(let pane): pane
        case .qr(let pane): pane
        }
    }
}
