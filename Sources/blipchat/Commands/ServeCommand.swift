// `blipchat serve`: the chat without a screen, until a signal ends it; SIGHUP has it read its settings again. systemd hears when
// it is ready, reads its settings, works and stops.

import Arguments
import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI

struct ServeCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        let settings = try context.configuration(paths)
        let configuration = try context.chatConfiguration(settings, paths, listens: true)
        let acceptsFilesUpTo = try context.arguments.size("--accept-files")
        let program = try context.arguments.options["--on-message"].map(MessageHook.found)
        let manager = try ServiceManager(environment: context.environment, controlPath: paths.socket)
        let home = HomeKey(context: context)
        // The listener at a socket of systemd's is this process itself: nobody would answer.
        let key = manager.control == nil ? try await home.openToStart(paths) : try await home.open(paths)
        let (hangUps, hangUp) = AsyncStream<Void>.makeStream()
        let signals = try await TerminationSignals.take { hangUp.yield() }
        let instance = try await startServing(paths, configuration, key, manager.control)
        let reach = DownloadsReach(
            paths, settings, home: context.environment["HOME"], ownConfiguration: !context.arguments.has("--config"))
        let keeper = SettingsKeeper(
            file: ConfigurationFile(paths: paths, home: context.environment["HOME"]), atStart: settings,
            limit: reach.limit
        ) { [client = instance.client] settings in
            await client.reconfigure(
                context.chatConfiguration(settings, paths, listen: nil, acceptsFilesUpTo: acceptsFilesUpTo))
        }
        let reloads = Task {
            for await _ in hangUps {
                await manager.tell(.reloading)
                let reply = await keeper.carryOut(.reload)
                for line in reply.lines {
                    context.streams.log(LogLine(level: reply.isError ? .error : .info, text: line))
                }
                await manager.tell(.ready(await instance.status))
            }
        }
        let signsOfLife = Task { await manager.keepAlive { _ = await instance.client.identity } }
        defer {
            reloads.cancel()
            signsOfLife.cancel()
        }
        if let program {
            let hook = MessageHook(program) { [chat = instance.chat] message in
                // A chat that has ended answers no more.
                guard let contacts = try? await chat.directory() else { return nil }
                return Records(contacts: contacts).record(of: message).text
            } log: { [streams = context.streams] in
                streams.log($0)
            }
            let messages = await instance.client.events()
            Task { await hook.follow(messages) }
        }
        let events = await instance.client.events()
        let log = Task { [chat = instance.chat] in
            var lines = LogLines(of: chat)
            for await event in events {
                guard let line = await lines.line(about: event) else { continue }
                context.streams.log(line)
            }
        }
        do throws(CommandError) {
            let status = await instance.status
            try context.streams.line(status)
            await manager.tell(.ready(status))
            await signals.wait()
        } catch {
            await manager.tell(.stopping)
            await instance.stop()
            throw error
        }
        await manager.tell(.stopping)
        await instance.stop()
        await log.value
        return .done
    }

    /// Waits at most 10 seconds for a command that has the home: it may take no longer than that to send a message.
    /// A chat that serves everybody is not.
    private func startServing(
        _ paths: HomePaths, _ configuration: ChatConfiguration, _ key: TLSIdentity?, _ activated: ActivatedSocket?
    ) async throws(CommandError) -> ChatInstance {
        context.noteLostKey(paths)
        let limit = ContinuousClock.now + .seconds(10)
        while true {
            do throws(CommandError) {
                return try await ChatInstance.start(
                    paths, configuration, for: .everybody(until: .service), key: key, activated: activated)
            } catch {
                guard error.isAlreadyRunning, ContinuousClock.now < limit else { throw error }
                // At a socket of systemd's only we would answer.
                if activated == nil, await AttachedService.isServed(at: paths.socket) { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

extension ChatInstance {
    /// `listening 0.0.0.0:4985`
    fileprivate var status: String {
        get async {
            let place = await client.identity.listening
            return "listening \(place ?? "nowhere")"
        }
    }
}
