// The commands of blipchat, and what a row of their table has.

import Arguments
import ChatWords

/// Every command.
enum CommandName: String, CommandWords {
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
    case invite
    case nearby
    case reach = "reach show"
    case reachTest = "reach test"
    case reachRenew = "reach renew"
    case routesList = "routes list"
    case routesAdd = "routes add"
    case routesRemove = "routes remove"
    case join
    case leave
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

    /// Runs until a signal ends it, usually for a journal or a pipe: whoever stops reading there must not hold the chat up.
    var isFollowing: Bool { [.serve, .watch, .receive, .transfersWatch].contains(self) }

    /// What the first word means when no second one follows: `id` is `id show`, `contacts` is `contacts list`.
    static let defaultsOfGroups: [String: CommandName] = [
        "id": .id, "contacts": .contactsList, "requests": .requestsList, "transfers": .transfersList,
        "config": .configurationList, "reach": .reach,
    ]
}

/// A row of the table: how a command is used, and what carries it out.
struct CommandRow: Sendable {
    let specification: CommandSpecification<CommandName>
    let command: any Command.Type

    init(
        _ name: CommandName, _ command: any Command.Type, operands: String = "", count: ClosedRange<Int> = 0...0,
        _ summary: String, details: String = "", options: [OptionSpecification] = []
    ) {
        specification = CommandSpecification(
            name, operands: operands, count: count, summary, details: details, options: options)
        self.command = command
    }

    static func of(_ name: CommandName) -> CommandRow {
        table.first { $0.specification.name == name } ?? CommandRow(name, HelpCommand.self, "")
    }
}

extension CommandSpecification where Name == CommandName {
    static let table = CommandRow.table.map(\.specification)

    static func of(_ name: CommandName) -> CommandSpecification { CommandRow.of(name).specification }
}

extension ArgumentParser where Name == CommandName {
    /// The parser that fits the table.
    static let blipchat = {
        var parser = ArgumentParser(
            program: "blipchat", commands: CommandSpecification.table, globalOptions: OptionSpecification.global,
            help: .help)
        parser.commandOptions = ["--version": .version]
        parser.defaultsOfGroups = CommandName.defaultsOfGroups
        // It could have been one: the screen takes an address or a contact.
        parser.unknownCommandReason = "no such command or contact"
        parser.unknownCommandAdvice = "see blipchat help and blipchat contacts"
        parser.nearest = { NearestName.to($0, among: $1) }
        return parser
    }()
}
