// One command of the command line, as a row of the table from which parsing and help are made.

/// Every command.
enum CommandName: String, Sendable, CaseIterable {
    case screen = ""
    case demo
    case id = "id show"
    case identityCode = "id qr"
    case fingerprint = "id fingerprint"
    case identityBackup = "id backup"
    case identityRestore = "id restore"
    case identityPassphrase = "id passphrase"
    case contactsList = "contacts list"
    case contactsShow = "contacts show"
    case contactsAdd = "contacts add"
    case contactsRemoveAddress = "contacts remove-address"
    case contactsRename = "contacts rename"
    case contactsRemove = "contacts remove"
    case contactsBlock = "contacts block"
    case contactsUnblock = "contacts unblock"
    case contactsVerify = "contacts verify"
    case contactsAcceptKey = "contacts accept-key"
    case requestsList = "requests list"
    case requestsApprove = "requests approve"
    case requestsReject = "requests reject"
    case send
    case sendFile = "send-file"
    case receive
    case history
    case search
    case watch
    case export
    case importHistory = "import"
    case forget
    case keep
    case backup
    case restore
    case doctor
    case serve
    case status
    case transfersList = "transfers list"
    case transfersAccept = "transfers accept"
    case transfersDecline = "transfers decline"
    case transfersPause = "transfers pause"
    case transfersResume = "transfers resume"
    case transfersCancel = "transfers cancel"
    case transfersLimit = "transfers limit"
    case transfersWatch = "transfers watch"
    case configurationList = "config list"
    case configurationGet = "config get"
    case configurationSet = "config set"
    case configurationUnset = "config unset"
    case configurationPath = "config path"
    case configurationCheck = "config check"
    case configurationTheme = "config theme"
    case manual
    case completion
    case version
    case help

    /// The words that are typed: none for the screen, one, or two.
    var words: [Substring] { rawValue.split(separator: " ") }

    /// Runs until a signal ends it, usually for a journal or a pipe: whoever stops reading there must not hold the chat up.
    var isFollowing: Bool { [.serve, .watch, .receive, .transfersWatch].contains(self) }

    /// What the first word means when no second one follows: `id` is `id show`, `contacts` is `contacts list`.
    static let defaultsOfGroups: [Substring: CommandName] = [
        "id": .id, "contacts": .contactsList, "requests": .requestsList, "transfers": .transfersList,
        "config": .configurationList,
    ]
}

/// How a command is used.
struct CommandSpecification: Sendable {
    let name: CommandName
    /// The operands as help texts show them.
    let operands: String
    /// How many operands there may be.
    let operandCount: ClosedRange<Int>
    let summary: String
    /// More sentences for the command's own help.
    let details: String
    let options: [OptionSpecification]

    init(
        _ name: CommandName, operands: String = "", count: ClosedRange<Int> = 0...0, _ summary: String,
        details: String = "", options: [OptionSpecification] = []
    ) {
        self.name = name
        self.operands = operands
        self.operandCount = count
        self.summary = summary
        self.details = details
        self.options = options
    }

    /// `blipchat contacts add` for messages.
    var title: String { name == .screen ? "blipchat" : "blipchat " + name.rawValue }

    static func of(_ name: CommandName) -> CommandSpecification {
        table.first { $0.name == name } ?? CommandSpecification(name, "")
    }
}
