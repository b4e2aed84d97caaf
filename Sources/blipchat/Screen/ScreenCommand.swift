// `blipchat [ADDRESS|CONTACT]`: the chat on this terminal, after the first-run page where there is no key yet.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords
import Glibc
import Storage

struct ScreenCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        // Everything that can be wrong without a terminal is found before the terminal is touched; of the settings all
        // of it at once, or each mistake would cost a start.
        let settings = try ConfigurationFile(paths: paths, home: context.environment["HOME"]).checked()
        _ = try context.chatConfiguration(settings, paths, listens: true)
        let target = try await openingTarget(paths)
        try await HomeKey(context: context).openToStart(paths)
        guard !context.arguments.has("--plain") else {
            return try await PlainChat(context: context).run(paths, settings, target)
        }
        let making = Task {
            let terminal = await ChatScreen(context: context).makeTerminal(settings, paths)
            Task { ChatApplication.rehearse() }
            return terminal
        }
        guard !paths.hasIdentity else { return try await chat(paths, settings, on: making, target) }
        let terminal = await making.value

        if context.arguments.has("--no-input") {
            throw CommandError(
                .usage, "first start", "there are questions to answer",
                advice: "leave out --no-input, or create the key with blipchat id")
        }
        return try await FirstRun(screen: self).run(paths, settings, on: terminal, target)
    }

    private func openingTarget(_ paths: HomePaths) async throws(CommandError) -> ScreenTarget {
        guard let word = context.arguments.operands.first else { return .newest }
        let contacts = try await HistoryFile.contacts(paths)
        if let peer = try? contacts.find(word) { return .contact(peer.name) }
        // Only what looks like an address is one: HOST alone would turn every mistyped command into a host.
        guard word.utf8.contains(UInt8(ascii: ":")) else {
            throw CommandError(ArgumentParser.blipchat.unknownCommand(word))
        }
        if RoomURL.isMeant(by: word) {
            _ = try RoomURL(typed: word)
            return .address(word)
        }
        do {
            _ = try PeerAddress(parsing: word)
        } catch {
            throw CommandError(error, address: word)
        }
        return .address(word)
    }

    func chat(
        _ paths: HomePaths, _ settings: Configuration, on terminal: Task<NcursesTerminal, Never>,
        _ target: ScreenTarget, someone: String? = nil, notices: [String] = []
    ) async throws(CommandError) -> ExitCode {
        let configuration = try context.chatConfiguration(settings, paths, listens: true)
        let chat: OpenChat
        do throws(CommandError) {
            chat = try await ChatScreen(context: context).open(paths, configuration)
        } catch {
            guard error.exit == .store, let damage = try await damage(of: paths) else { throw error }
            return try await showDamaged(paths, settings, configuration.name, on: terminal.value, damage)
        }
        do throws(CommandError) {
            var notices = chat.notices + notices
            notices += ToldOnce(path: paths.told).advice(in: Multiplexer(environment: context.environment))
            if chat.isAttached, context.arguments.has("--listen") {
                notices.append("--listen has no effect: the blipchat running here keeps its own address")
            }
            let contact = try await chat.contact(for: target)
            let result = try await ChatScreen(context: context).show(
                chat.service, of: paths, settings, on: terminal.value, contact: contact, someone: someone,
                notices: notices, isSecondScreen: chat.isAttached, goesOn: { await chat.goesOn },
                reconfigure: { await chat.reconfigure($0, paths) })
            await chat.close()
            return result
        } catch {
            await chat.close()
            throw error
        }
    }

    /// The damage to the history when it is damaged; `nil` when it is not, or when that is found later.
    private func damage(of paths: HomePaths) async throws(CommandError) -> StoreError? {
        guard SmallFile.exists(paths.history) else { return nil }
        do throws(StoreError) {
            await (try HistoryDatabase.open(at: paths.history, readOnly: true)).close()
        } catch {
            if case .damaged = error { return error }
        }
        return nil
    }

    /// The screen over what can be read of a damaged history, with the way to recover on it.
    private func showDamaged(
        _ paths: HomePaths, _ settings: Configuration, _ name: String, on terminal: NcursesTerminal,
        _ damage: StoreError
    ) async throws(CommandError) -> ExitCode {
        // Nobody is called, so a sealed key stays closed.
        let fingerprint = try paths.fingerprintMakingKey()
        let store = try await HistoryFile.about(paths) { () throws(StoreError) in
            try await HistoryDatabase.open(at: paths.history, evenIfDamaged: true)
        }
        let service = DamagedHistory(
            store: store, damage: damage, peerID: PeerID(fingerprint), name: name)
        do throws(CommandError) {
            let result = try await ChatScreen(context: context).show(
                service, of: paths, settings, on: terminal, contact: nil,
                notices: ["The history is read-only: " + Sentences.reason(of: damage)])
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}

/// The chat that the screen opens with.
enum ScreenTarget {
    case newest
    case contact(String)
    case address(String)
}
