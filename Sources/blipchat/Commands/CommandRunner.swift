// Carries out one command of the command line. What each does is in CommandRunner+*.swift by topic.

import BLIPNet
import ChatCore
import Glibc
import Storage

struct CommandRunner: Sendable {
    let arguments: ParsedArguments
    let environment: [String: String]
    let streams: StandardStreams
    /// What opens the key of the home, where it is sealed.
    var key = KeyOpener()

    var isJSON: Bool { arguments.has("--json") }

    func run() async throws(CommandError) -> ExitCode {
        switch arguments.command {
        case .help: try printHelp()
        case .version: try printVersion()
        case .manual: try printManual()
        case .screen: try await openScreen()
        case .demo: try await runDemo()
        case .serve: try await serve()
        case .id: try await showIdentity()
        case .identityCode: try await showIdentityCode()
        case .fingerprint: try showFingerprint()
        case .identityBackup: try await backUpIdentity()
        case .identityRestore: try await restoreIdentity()
        case .identityPassphrase: try await changePassphrase()
        case .contactsList: try await listContacts()
        case .contactsShow: try await showContact()
        case .contactsAdd:
            try await performPrinting(
                .addContact(address: pastedAddress(), name: arguments.text("--name")), print: printContact)
        case .contactsRemoveAddress: try await perform(.removeAddress(operand(1), of: operand(0)))
        case .contactsRename:
            try await perform(.renameContact(operand(0), to: operand(1)))
        case .contactsRemove: try await removeContact()
        case .contactsBlock: try await perform(.setBlocked(operand(0), true))
        case .contactsUnblock: try await perform(.setBlocked(operand(0), false))
        case .contactsVerify: try await verifyContact()
        case .contactsAcceptKey: try await acceptKey()
        case .requestsList: try await listRequests()
        case .requestsApprove: try await approveRequests()
        case .requestsReject: try await performAll(try await requestNumbers().map { .rejectRequest($0) })
        case .send: try await send()
        case .sendFile: try await sendFiles()
        case .history: try await printHistory()
        case .search: try await search()
        case .watch: try await watch()
        case .completion: try printCompletion()
        case .export: try await export()
        case .importHistory: try await importHistory()
        case .forget: try await forget()
        case .keep: try await keep()
        case .backup: try await backUp()
        case .restore: try await restore()
        case .doctor: try await examine()
        case .status: try await printStatus()
        case .transfersList: try await listTransfers()
        case .transfersAccept: try await changeTransfer(.accept)
        case .transfersDecline: try await changeTransfer(.decline)
        case .transfersPause: try await changeTransfer(.pause)
        case .transfersResume: try await changeTransfer(.resume)
        case .transfersCancel: try await changeTransfer(.cancel)
        case .transfersLimit: try await limitRate()
        case .transfersWatch: try await watchTransfers()
        case .receive: try await receive()
        case .configurationPath: try printConfigurationPath()
        case .configurationGet: try printSetting()
        case .configurationList: try listSettings()
        case .configurationSet: try changeSetting()
        case .configurationUnset: try unsetSetting()
        case .configurationCheck: try checkConfiguration()
        case .configurationTheme: try printTheme()
        }
    }

    // MARK: What commands need

    func operand(_ index: Int) -> String {
        arguments.operands.indices.contains(index) ? arguments.operands[index] : ""
    }

    func paths() throws(CommandError) -> HomePaths {
        var paths = try HomePaths(
            environment: environment, dataFolder: arguments.text("--data-dir"), profile: arguments.text("--profile"))
        switch arguments.command {
        // They leave nothing there, or look at it themselves.
        case .configurationPath, .demo, .doctor: break
        default: try HomeOwnership.check(paths, isOwnConfiguration: !arguments.has("--config"))
        }
        guard let file = arguments.text("--config") else { return paths }
        paths.configuration = try HomePaths.absolute(file)
        // Who names a file means it: defaults in its place would be a surprise. What sets a value may begin a new one.
        let begins = arguments.command == .configurationSet || arguments.command == .configurationPath
        guard begins || SmallFile.exists(paths.configuration) else {
            throw .system(paths.configuration, "cannot read the configuration", errno)
        }
        return paths
    }

    func configuration(_ paths: HomePaths) throws(CommandError) -> Configuration {
        try Configuration.load(from: paths.configuration, home: environment["HOME"])
    }

    /// What the chat is started with. Only a chat that goes on (`listens`) takes calls.
    func chatConfiguration(
        _ settings: Configuration, _ paths: HomePaths, listens: Bool
    ) throws(CommandError) -> ChatConfiguration {
        let wanted = try listenOption() ?? settings.listen
        var configuration = chatConfiguration(
            settings, paths, listen: listens ? wanted ?? Configuration.standardListen : nil,
            acceptsFilesUpTo: try arguments.size("--accept-files"))
        configuration.fallbackToAnyPort = wanted == nil
        // What has a place of its own is accepted by the command, for that place.
        if arguments.command == .receive, arguments.has("--output") { configuration.acceptsFilesByRule = false }
        return configuration
    }

    /// The same with a place to listen at and a limit of one's own. The command line goes before the settings.
    func chatConfiguration(
        _ settings: Configuration, _ paths: HomePaths, listen: Endpoint?, acceptsFilesUpTo: UInt64?
    ) -> ChatConfiguration {
        var configuration = ChatConfiguration(
            name: settings.ownName(in: paths, environment: environment), listen: listen,
            downloadsFolder: settings.downloads ?? paths.downloads,
            acceptsRequests: arguments.has("--accept-requests"),
            acceptsFilesUpTo: acceptsFilesUpTo)
        configuration.spoolFolders = paths.spools
        configuration.privateFiles = paths.privateFiles
        settings.apply(to: &configuration)
        return configuration
    }

    private func listenOption() throws(CommandError) -> Endpoint? {
        guard let text = arguments.text("--listen") else { return nil }
        guard let endpoint = Endpoint(text, defaultPort: PeerAddress.defaultPort) else {
            throw .badValue("--listen", text, "HOST:PORT, like 127.0.0.1:4985 or [::]:0")
        }
        return endpoint
    }

    // MARK: Acting

    /// Carries out operations one after the other, up to the first that fails, in the instance that runs on this home,
    /// else in one of our own for as long as it takes. What follows a message that could not be delivered in time is
    /// queued behind it. Records are printed by `print`, or as they are with --json.
    @discardableResult
    func perform(
        _ operations: ControlOperation..., patience: Duration = .seconds(60),
        print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void = { _ in }
    ) async throws(CommandError) -> ExitCode {
        try await perform(operations, patience: patience, print: print)
    }

    /// The same for what cannot be taken back and has a result that scripts need: that it has nowhere to go is said before.
    func performPrinting(
        _ operation: ControlOperation, print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void
    ) async throws(CommandError) -> ExitCode {
        try streams.requireOutput()
        return try await perform(operation, print: print)
    }

    /// Carries out all of them: one that fails is told, and the others are done all the same. The code is that of the first
    /// that failed.
    func performAll(
        _ operations: [ControlOperation],
        print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void = { _ in }
    ) async throws(CommandError) -> ExitCode {
        guard operations.count > 1 else { return try await perform(operations, patience: .seconds(60), print: print) }
        var failed: ExitCode?
        for operation in operations {
            do throws(CommandError) {
                let code = try await perform(operation, print: print)
                if code != .done { failed = failed ?? code }
            } catch {
                // Nobody reads any more, or nothing can be reached: it is the same for the others.
                guard error.exit != .brokenPipe, error.exit != .store else { throw error }
                streams.report(error)
                failed = failed ?? error.exit
            }
        }
        return failed ?? .done
    }

    func perform(
        _ operations: [ControlOperation], patience: Duration,
        print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void
    ) async throws(CommandError) -> ExitCode {
        let isSending = operations.contains(where: \.isSending)
        let concernsPeers = operations.contains(where: \.concernsPeers)
        let printer = RecordPrinter(isJSON: isJSON, streams: streams, print: print)
        var run = try await begin(isSending: isSending, concernsPeers: concernsPeers, patience: patience)
        var code = ExitCode.done
        var failure: CommandError?
        do throws(CommandError) {
            for operation in operations {
                let operation = failure == nil ? operation : operation.withoutWaiting
                switch try await perform(operation, in: &run, printer) {
                case .done(let newCode): code = newCode
                case .failed(let error): failure = error.exit == .queued ? failure ?? error : error
                case .again: break
                }
                guard failure.map({ $0.exit == .queued }) ?? true, await printer.failure == nil else { break }
            }
        } catch {
            failure = error
        }
        try await end(run, printer, failure)
        return code
    }

    /// What operations that are carried out one after the other share.
    struct OperationRun {
        fileprivate(set) var performer: OperationPerformer
        fileprivate let isSending: Bool
        fileprivate let isLong: Bool
        fileprivate let patience: Duration
        fileprivate let watch: InterruptedSending?
    }

    /// Finds who carries operations out. `isSending`: they store something that is to be delivered; `concernsPeers`: others
    /// have to do with them; `isLong`: they may come for days; `patience`: at most so long is waited between two records.
    func begin(
        isSending: Bool, concernsPeers: Bool, isLong: Bool = false, patience: Duration
    ) async throws(CommandError) -> OperationRun {
        // What is sent cannot be taken back: that its id has nowhere to go is said before.
        if isSending { try streams.requireOutput() }
        let watch = isSending ? try await InterruptedSending.watch(streams) : nil
        return OperationRun(
            performer: try await performer(callsContacts: concernsPeers, isLong: isLong), isSending: isSending,
            isLong: isLong, patience: patience, watch: watch)
    }

    /// Throws what went wrong, if anything did.
    func end(_ run: OperationRun, _ printer: RecordPrinter, _ failure: CommandError?) async throws(CommandError) {
        await run.performer.finish()
        await run.watch?.end()
        if let unprinted = await printer.failure {
            guard run.isSending else { throw unprinted }
            throw CommandError(
                unprinted.exit, unprinted.subject, unprinted.reason,
                advice: "everything sent so far is stored and goes out: blipchat history shows it")
        }
        if let failure { throw failure }
    }

    /// Carries out one operation, by whoever runs the chat next when the process that runs it ends meanwhile.
    func perform(
        _ operation: ControlOperation, in run: inout OperationRun, _ printer: RecordPrinter
    ) async throws(CommandError) -> ControlResult {
        let begin = ContinuousClock.now
        let stored = StoredMessages()
        let watch = run.watch
        var rest = operation
        let lock = try paths().lock
        var lost = LostSend(asked: InstanceLock.holder(path: lock))
        while true {
            let result = await run.performer.perform(rest, patience: run.patience) { record in
                watch?.note(record)
                if let printed = stored.note(record) { await printer.take(printed) }
            }
            guard result == .again else {
                if let record = stored.takeHeld() { await printer.take(record) }
                guard result == .failed(ControlClient.gone) else {
                    if result == .done(.done), let error = stored.incompleteness { return .failed(error) }
                    return result
                }
                guard case .send(let who, _, let id?, _) = operation else {
                    return .failed(try await abandoned(operation, stored.ids, ControlClient.gone, printer))
                }
                switch lost.next(holder: InstanceLock.holder(path: lock), state: await stateOnDisk(of: id, to: who)) {
                case .sendAgain: break
                case .stored(let state):
                    try await printStored([id], printer)
                    return LostSend.result(state, who, ControlClient.gone)
                case .notStored: return .failed(LostSend.notStored(ControlClient.gone))
                case .unknown: return .failed(LostSend.unknown(id, ControlClient.gone))
                }
                do throws(CommandError) {
                    run.performer = try await performer(afterEnd: true, callsContacts: true, isLong: run.isLong)
                } catch {
                    return .failed(LostSend.notStored(error))
                }
                continue
            }
            _ = stored.takeHeld()
            do throws(CommandError) {
                run.performer = try await performer(
                    afterEnd: true, callsContacts: operation.concernsPeers, isLong: run.isLong)
            } catch {
                return .failed(try await abandoned(operation, stored.ids, error, printer))
            }
            // The time that the other process takes for its end counts.
            rest = operation.rest(after: ContinuousClock.now - begin, stored: stored.ids)
        }
    }

    /// What has become of a message of ours, by the disk: `nil` inside when it is not there, outside when that cannot be
    /// told.
    private func stateOnDisk(of id: MessageID, to who: String) async -> DeliveryState?? {
        do throws(CommandError) {
            let paths = try paths()
            let contact = try await contacts(paths).find(who).id
            let messages = try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.messages([id], of: contact)
            }
            return .some(messages?.first { $0.direction == .outgoing }?.state)
        } catch {
            return nil
        }
    }

    /// Why an operation is not done to its end. What is stored is not lost with the process that was to send it.
    private func abandoned(
        _ operation: ControlOperation, _ ids: [MessageID], _ error: CommandError, _ printer: RecordPrinter
    ) async throws(CommandError) -> CommandError {
        guard operation.isSending else { return error }
        guard !ids.isEmpty else {
            return CommandError(
                error.exit, error.subject, error.reason,
                advice: "it may have been stored anyway: check blipchat status before you send it again")
        }
        try await printStored(ids, printer)
        return CommandError(
            .queued, error.subject, "\(error.reason); everything to be sent is queued",
            advice: "it goes out when blipchat is running and can reach them")
    }

    /// Prints messages as they are on the disk; of files that was done when they were offered.
    private func printStored(_ ids: [MessageID], _ printer: RecordPrinter) async throws(CommandError) {
        let paths = try paths()
        let contacts = try await contacts(paths)
        let who = try contacts.find(operand(0))
        let messages = try await HistoryFile.read(paths) { store throws(StoreError) in
            try await store.messages(ids, of: who.id)
        }
        let records = Records(contacts: contacts)
        for message in messages ?? [] where message.direction == .outgoing {
            if case .text = message.content { await printer.take(records.record(of: message)) }
        }
    }

    /// How long a home is left free for a service that is started anew: systemd does it after 100 ms.
    private static let successorTime = Duration.milliseconds(300)

    /// Whoever can carry out operations on this home now. `afterEnd`: the one who did ends, or has just ended. A service
    /// that is started anew goes before us, because it could not start while we wait. `listening`: where that one took calls.
    /// `callsContacts`: as in the configuration, where the chat is our own. `isLong`: it may be needed for days.
    func performer(
        listens: Bool = false, at listening: String? = nil, afterEnd: Bool = false, callsContacts: Bool = true,
        isLong: Bool = false
    ) async throws(CommandError) -> OperationPerformer {
        let paths = try paths()
        // When the home has first been seen free.
        var free: ContinuousClock.Instant?
        let limit = ContinuousClock.now + .seconds(30) + (try arguments.seconds("--timeout") ?? .seconds(10))
        while true {
            if let client = try ControlClient(path: paths.socket) {
                streams.detail("through the running blipchat at \(paths.socket)")
                return .running(client)
            }
            if afterEnd, ContinuousClock.now < limit {
                // It may take seconds to say goodbye to those who do not answer.
                free = InstanceLock.holder(path: paths.lock) == nil ? free ?? .now : nil
                guard let since = free, ContinuousClock.now - since >= Self.successorTime else {
                    do { try await Task.sleep(for: .milliseconds(50)) } catch { throw ControlClient.gone }
                    continue
                }
            }
            // Not inside of what is tried again: nobody is asked twice.
            let opened = try await openKey(paths)
            do throws(CommandError) {
                var configuration = try chatConfiguration(configuration(paths), paths, listens: listens)
                if !arguments.has("--listen") { configuration.goOn(at: listening) }
                configuration.callsContacts = callsContacts
                noteLostKey(paths)
                // What goes on for days is no reason for a screen not to open.
                let instance = try await ChatInstance.start(
                    paths, configuration, for: listens || isLong ? .everybody(until: .command) : .commands,
                    key: opened)
                streams.detail("blipchat is not running on \(paths.data): connecting from here")
                return .own(instance)
            } catch {
                // Another process holds the home but has no socket: it starts, ends, or changes the history alone.
                guard error.isAlreadyRunning, ContinuousClock.now < limit else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

/// The process that carries out operations: another one, or this one.
enum OperationPerformer {
    case running(ControlClient)
    case own(ChatInstance)

    func perform(
        _ operation: ControlOperation, patience: Duration, records: @escaping RecordSink
    ) async -> ControlResult {
        switch self {
        case .running(let client): await client.perform(operation, patience: patience, records: records)
        case .own(let instance): await instance.runner.perform(operation, records: records)
        }
    }

    /// The chat of this process.
    var instance: ChatInstance? { if case .own(let instance) = self { instance } else { nil } }

    func finish() async { await instance?.stop() }
}

/// Prints records in their order, and keeps why that failed. On a thread of its own: whoever reads them may take their time.
actor RecordPrinter {
    private let executor = DispatchQueueExecutor(label: "blipchat.printer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let isJSON: Bool
    private let streams: StandardStreams
    private let print: @Sendable (JSONValue) throws(CommandError) -> Void
    private(set) var failure: CommandError?
    /// The last message that it has printed.
    private(set) var lastMessage: MessageID?

    init(isJSON: Bool, streams: StandardStreams, print: @escaping @Sendable (JSONValue) throws(CommandError) -> Void) {
        self.isJSON = isJSON
        self.streams = streams
        self.print = print
    }

    func take(_ record: JSONValue) {
        guard failure == nil else { return }
        if record["type"] == "message" { lastMessage = record["id"]?.stringValue.flatMap { MessageID($0) } }
        do throws(CommandError) {
            if isJSON { try streams.json(record) } else { try print(record) }
        } catch {
            failure = error
        }
    }
}
