// Carries out errands and questions against the chat service, and turns what comes of them into actions.

import CLinux
import ChatCore
import ChatWords
import Glibc

/// The bridge from effects to the service. Has no state.
struct EffectRunner: Sendable {
    let service: any ChatService
    let settings: any SettingsStore
    /// How commands of the command line are run; `nil`: they are not (a test, a front end without it).
    var runsCommands: ProgramRunning?
    /// Where pasted texts are kept that go out as files; `nil`: nowhere.
    var pasteFolder: String?
    /// Reads pictures for previews; `nil`: there are none.
    var pictures: PictureReader?

    /// Messages shown around a search hit.
    private static let contextCount = 8

    func run(_ errand: Errand) async -> AppAction {
        do {
            return .done(errand, try await carryOut(errand))
        } catch {
            return .failed(errand, error)
        }
    }

    private func carryOut(_ errand: Errand) async throws(ChatError) -> ErrandResult {
        switch errand {
        case .call(let call):
            do {
                return .reply(try await call.ask(service))
            } catch {
                // Our user has not asked for it, and the peer's screen stops showing it by itself.
                guard case .setTyping = call.plain else { throw error }
                return .nothing
            }
        case .sendFiles(let paths, let caption, let contact):
            return try await sendFiles(paths.map(Self.absolute), caption: caption, to: contact)
        case .sendTextFile(let text, let name, let contact):
            let path = try await PastedFile.write(text, name: name, in: pasteFolder)
            return .reply(try await service.ask(.sendFile(at: path, caption: "", to: contact)))
        case .retract(let message, _): return .reply(try await service.ask(.retract(message)))
        case .several(let errands):
            var failed: [ErrandFailure] = []
            for errand in errands {
                do throws(ChatError) { _ = try await carryOut(errand) } catch {
                    failed.append(ErrandFailure(errand: errand, error: error))
                }
            }
            return .failures(failed)
        case .accept(let number, let folder):
            try await service.ask(.acceptTransfer(number, into: folder.map(Self.absolute)))
        case .removeRoute(let contact, let number):
            let routes = try await service.ask(.routes(of: contact))
            guard routes.indices.contains(number - 1) else { throw .noSuchAddress }
            try await service.ask(.removeAddress(routes[number - 1].address, of: contact))
        case .rename(let contact, let name):
            try await service.ask(.renameContact(contact, to: name))
            // The contact's settings have moved along with the name: the screen goes by them from now on.
            return .settings(await settings.carryOut(.follow))
        case .remove(let contact, _):
            try await service.ask(.removeContact(contact))
            return .settings(await settings.carryOut(.follow))
        case .approve(let id, let name, let verified):
            var peer = try await service.ask(.approveRequest(id, name: name))
            guard verified else { return .reply(peer) }
            try await service.ask(.setVerified(peer.id))
            peer.trust = .verified
            return .reply(peer)
        case .settings(let request): return .settings(await settings.carryOut(request))
        }
        return .nothing
    }

    /// `nil` when there is no answer.
    func answer(_ question: Question) async -> Answer? {
        do {
            return try await ask(question)
        } catch {
            return .failed(question, error)
        }
    }

    private func ask(_ question: Question) async throws(ChatError) -> Answer? {
        switch question {
        case .call(let call): return .reply(call.plain, try await call.ask(service))
        case .conversations: return .conversations(try await service.ask(.conversations))
        case .links(let contacts):
            var links: [ContactID: LinkState] = [:]
            for contact in contacts { links[contact] = await service.linkState(of: contact) }
            return .links(links)
        case .page(let request):
            let page = try await service.ask(.page(of: request.contact, request.anchor, limit: request.limit))
            return .page(request, page)
        case .search(let query, let generation):
            let start = ContinuousClock.now
            let result = try await service.ask(.search(query))
            return .search(query, generation: generation, result, took: ContinuousClock.now - start)
        case .context(let contact, let position, let generation):
            let page = try await service.ask(.page(of: contact, .around(position), limit: Self.contextCount))
            return .context(generation: generation, page)
        case .find(let query, let generation):
            return .found(try await service.ask(.search(query)).hits, generation: generation)
        case .message(let reference, let contact, let action, let line):
            let message = try await service.ask(.message(reference, of: contact))
            return .message(message, reference, contact, action, line: line)
        case .quotes(let ids, let contact):
            return .quotes(try await service.ask(.messages(ids, of: contact)), asked: ids, contact)
        case .versions(let message): return .versions(try await service.ask(.versions(of: message)), message)
        case .pins(let contact, let generation):
            return .pins(try await service.ask(.pinnedMessages(of: contact)), generation: generation)
        case .messageLinks(let query, let number, let generation):
            return .messageLinks(try await service.ask(.search(query)).hits, opening: number, generation: generation)
        case .draft(let contact): return .draft(contact, try await service.ask(.draft(for: contact)))
        case .files(let folder, let beginning, let wish, let generation):
            return .files(await Self.listing(of: folder, beginning, wish), generation: generation)
        case .transfers: return .transfers(try await service.ask(.transfers(unfinishedOnly: false)))
        case .requests: return .requests(try await service.ask(.contactRequests))
        case .safetyNumber(let contact):
            return .safetyNumber(contact, try await service.ask(.safetyNumber(for: contact)))
        case .requestNumber(let request):
            return .requestNumber(request, await Self.number(await service.identity.peerID, request.peerID))
        case .newKeyNumber(let contact, let key):
            return .newKeyNumber(contact, key, await Self.number(await service.identity.peerID, key))
        case .limits(let scopes): return .limits(try await limits(of: scopes))
        case .backUp(let path):
            try await service.ask(.backUp(to: Self.absolute(path)))
            return .backedUp(path)
        case .qrCode(let address): return .qrCode(address, await QRCode.made(of: address))
        case .command(let command):
            guard let runsCommands else {
                return .output(command, ProgramOutput(lines: ["commands do not work here"], exitCode: 1))
            }
            return .output(command, await runsCommands(command))
        case .spelling(let text, let command): return .spelling(await SpellProgram(words: command).check(text))
        case .mentions(let query): return .mentions(try await service.ask(.search(query)).hits)
        case .downloads:
            guard let space = (try? await service.ask(.downloadsSpace)) ?? nil else { return nil }
            return .downloads(folder: space.folder, freeBytes: space.freeBytes)
        case .day(let contact, let day, let generation):
            let message = try await service.ask(.firstMessage(of: contact, since: day))
            return .day(contact, day, message, generation: generation)
        case .picture(let id, let path, let isLarge):
            return .picture(id, await picture(at: path, isLarge: isLarge))
        }
    }

    private func limits(of scopes: [RateScope]) async throws(ChatError) -> [RateLimit] {
        var limits: [RateLimit] = []
        for scope in scopes {
            do throws(ChatError) {
                limits.append(RateLimit(scope: scope, rate: try await service.ask(.rateLimit(of: scope))))
            } catch .wrongTransferState {
                // It has ended meanwhile.
                continue
            }
        }
        return limits
    }

    /// How long the picker waits at most before it says that a folder does not answer.
    private static let listingPatience = Duration.seconds(3)

    /// A folder may be on a disk that does not answer.
    private static func listing(
        of folder: String, _ beginning: String, _ wish: String
    ) async -> FileListing {
        let listing = await DiskLane.of(folder).value(within: listingPatience) {
            FileListing.read(folder, beginning: beginning, wish: wish)
        }
        return listing ?? FileListing(folder: folder, entries: [], problem: Sentences.words(forErrno: ETIMEDOUT))
    }

    /// The picture at `path`; `nil` where it cannot be shown.
    private func picture(at path: String, isLarge: Bool) async -> PixelImage? {
        let small = PictureRows.pixelLimit(columns: PictureRows.maxColumns)
        return try? await pictures?.picture(at: path, toFit: isLarge ? (400, 240) : small)
    }

    /// Away from the main thread: it takes thousands of digests.
    @concurrent private static func number(_ own: PeerID, _ other: PeerID) async -> [String] {
        SafetyNumber.groups(own, other)
    }

    /// All named files are there before the first of them is offered: a mistake in a line sends nothing.
    private func sendFiles(
        _ paths: [String], caption: String, to contact: ContactID
    ) async throws(ChatError) -> ErrandResult {
        if let unreadable = await Self.firstUnreadable(of: paths) { throw unreadable }
        var messages: [ChatMessage] = []
        var folders: [FolderOffer] = []
        var refused: [RefusedOffer] = []
        for path in paths {
            do throws(ChatError) {
                if await Self.isFolder(path) {
                    folders.append(try await service.ask(.sendFolder(at: path, caption: caption, to: contact)))
                } else {
                    messages.append(try await service.ask(.sendFile(at: path, caption: caption, to: contact)))
                }
            } catch {
                refused.append(RefusedOffer(path: path, error: error))
            }
        }
        // The offers that were made are on their way.
        if messages.isEmpty, folders.isEmpty, let first = refused.first { throw first.error }
        return .files(messages, folders: folders, refused: refused)
    }

    /// The errand offers a folder, one file after the other, or waits for a disk that may not answer. Errands entered
    /// after it then do not wait for it.
    static func mayTakeLong(_ errand: Errand) async -> Bool {
        switch errand {
        case .sendFiles(let paths, _, _):
            for path in paths where await kind(of: absolute(path), within: .milliseconds(500)) != .file { return true }
            return false
        case .several(let errands):
            for errand in errands where await mayTakeLong(errand) { return true }
            return false
        case .accept, .remove: return true
        case .call(let call):
            switch call.plain {
            case .resumeTransfer, .cancelTransfer, .cancelFolder, .declineTransfer, .pauseTransfer, .meet, .invite:
                return true
            default: return false
            }
        default: return false
        }
    }

    /// The kind of file that a path leads to, links followed.
    private enum PathKind: Sendable, Equatable {
        case file, folder
        case unreadable(errno: Int32)
        /// Its disk does not say.
        case unknown
    }

    private static func kind(of path: String, within limit: Duration) async -> PathKind {
        let kind = await DiskLane.of(path).value(within: limit) { () -> PathKind in
            guard access(path, R_OK) == 0 else { return .unreadable(errno: errno) }
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
        }
        return kind ?? .unknown
    }

    private static let sendingPatience = Duration.seconds(10)

    private static func firstUnreadable(of paths: [String]) async -> ChatError? {
        for path in paths {
            switch await kind(of: path, within: sendingPatience) {
            case .file, .folder: continue
            case .unreadable(let code): return .cannotRead(path: path, errno: code)
            case .unknown: return .cannotRead(path: path, errno: ETIMEDOUT)
            }
        }
        return nil
    }

    private static func isFolder(_ path: String) async -> Bool {
        await kind(of: path, within: sendingPatience) == .folder
    }

    /// A relative path is meant from where the program was started.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}
