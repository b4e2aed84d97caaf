// `blipchat serve`: the chat without a screen, until a signal ends it; SIGHUP has it read its settings again.

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
        let key = try await HomeKey(context: context).openToStart(paths)
        let (hangUps, hangUp) = AsyncStream<Void>.makeStream()
        let signals = try await TerminationSignals.take { hangUp.yield() }
        let instance = try await startServing(paths, configuration, key)
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
                for line in await keeper.carryOut(.reload).lines {
                    context.streams.note("\(RFC3339.text(.now)) \(line)")
                }
            }
        }
        defer { reloads.cancel() }
        let events = await instance.client.events()
        let log = Task { [chat = instance.chat] in
            var lines = LogLines(of: chat)
            for await event in events {
                guard let line = await lines.line(about: event) else { continue }
                context.streams.note("\(RFC3339.text(.now)) \(line)")
            }
        }
        do throws(CommandError) {
            let listening = await instance.client.identity.listening
            try context.streams.line("listening \(listening ?? "nowhere")")
            await signals.wait()
        } catch {
            await instance.stop()
            throw error
        }
        await instance.stop()
        await log.value
        return .done
    }

    /// Waits at most 10 seconds for a command that has the home: it may take no longer than that to send a message.
    /// A chat that serves everybody is not.
    private func startServing(
        _ paths: HomePaths, _ configuration: ChatConfiguration, _ key: TLSIdentity?
    ) async throws(CommandError) -> ChatInstance {
        context.noteLostKey(paths)
        let limit = ContinuousClock.now + .seconds(10)
        while true {
            do throws(CommandError) {
                return try await ChatInstance.start(paths, configuration, for: .everybody(until: .service), key: key)
            } catch {
                guard error.isAlreadyRunning, ContinuousClock.now < limit,
                    await !AttachedService.isServed(at: paths.socket)
                else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
