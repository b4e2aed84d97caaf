// The chat that a front end with a person before it (the screen, line mode) shows: this process's own, or that of another
// process on the same home.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import Glibc

/// A chat to be shown; `close` it at the end.
enum OpenChat {
    case own(ChatInstance)
    /// Another process runs it and continues when this one ends; when that was a screen and ends first, it runs here.
    case attached(AttachedService)

    /// Attaches to the process that runs the chat of this home, else starts the chat here.
    ///
    /// `unsealing` opens a key that has a passphrase, once the chat is to run here. `reading` gives the settings as they
    /// have become until the chat moves here; with a sealed key it does not, because nobody can be asked then.
    ///
    /// Throws 2 when that process is another version, and what `ChatInstance.start` throws.
    static func open(
        _ paths: HomePaths, _ configuration: ChatConfiguration,
        unsealing: () async throws(CommandError) -> TLSIdentity?,
        reading: @escaping @Sendable () -> ChatConfiguration?
    ) async throws(CommandError) -> OpenChat {
        let limit = ContinuousClock.now + .seconds(10)
        while true {
            // If the start fails, another process has the chat; the attempt is repeated until that one answers.
            let attached = try await AttachedService.attach(to: paths.socket, home: paths) { identity in
                guard (try? IdentityFile.isSealed(at: paths.identity)) == false else { return nil }
                var settings = reading() ?? configuration
                settings.goOn(at: identity.listening)
                return try? await ChatInstance.start(paths, settings, for: .everybody(until: .screen))
            }
            if let attached { return .attached(attached) }
            let opened = try await unsealing()
            do throws(CommandError) {
                return .own(
                    try await ChatInstance.start(
                        paths, configuration, for: .everybody(until: .screen), key: opened))
            } catch {
                // Another process holds the home but has no socket: it starts, ends, or carries out one command.
                guard error.isAlreadyRunning, ContinuousClock.now < limit else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    var service: any ChatService {
        switch self {
        case .own(let instance): instance.client
        case .attached(let service): service
        }
    }

    var isAttached: Bool { if case .attached = self { true } else { false } }

    /// The chat continues when this front end ends: in another process, or in a front end that is attached to this one.
    var goesOn: Bool {
        get async {
            switch self {
            case .own(let instance): instance.hasHeirs
            case .attached(let service): await service.own?.hasHeirs ?? true
            }
        }
    }

    /// Notices for the user at the start.
    var notices: [String] {
        switch self {
        case .own: []
        case .attached: ["Attached to the blipchat running here; it keeps running when you quit"]
        }
    }

    /// Adds somebody by address, or finds who has it already.
    func addContact(_ text: String) async throws(CommandError) -> Peer {
        if RoomURL.isMeant(by: text) {
            let url = try RoomURL(typed: text)
            do { return try await service.ask(.joinRoom(url, name: nil)) } catch {
                throw CommandError(error, about: text)
            }
        }
        let address: PeerAddress
        do {
            address = try PeerAddress(parsing: text)
        } catch {
            throw CommandError(error, address: text)
        }
        do {
            return try await service.ask(.addContact(address, name: nil))
        } catch {
            throw CommandError(error, about: text)
        }
    }

    /// Gives a chat of our own its changed settings; tells another process to read them itself. Every process that
    /// serves the socket (the screen, serve) knows SIGHUP.
    func reconfigure(_ configuration: ChatConfiguration, _ paths: HomePaths) async {
        switch self {
        case .own(let instance): await instance.client.reconfigure(configuration)
        case .attached(let service):
            if let own = await service.own { return await own.client.reconfigure(configuration) }
            if let process = InstanceLock.holder(path: paths.lock), process > 0 { kill(process, SIGHUP) }
        }
    }

    /// The name of the contact whose chat is to be opened; adds an address first.
    func contact(for target: ScreenTarget) async throws(CommandError) -> String? {
        switch target {
        case .newest: nil
        case .contact(let name): name
        case .address(let text): try await addContact(text).name
        }
    }

    func close() async {
        switch self {
        case .own(let instance): await instance.stop()
        case .attached(let service): await service.detach()
        }
    }
}
