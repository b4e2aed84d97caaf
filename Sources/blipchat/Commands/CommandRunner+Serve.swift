// `blipchat serve`: the chat without a screen, until a signal ends it; SIGHUP has it read its settings again.

import ChatCore
import ChatTUI

extension CommandRunner {
    func serve() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let settings = try configuration(paths)
        let configuration = try chatConfiguration(settings, paths, listens: true)
        let acceptsFilesUpTo = try arguments.size("--accept-files")
        let (hangUps, hangUp) = AsyncStream<Void>.makeStream()
        let signals = try await TerminationSignals.take { hangUp.yield() }
        let instance = try await ChatInstance.start(paths, configuration, for: .everybody)
        let keeper = SettingsKeeper(
            file: ConfigurationFile(paths: paths, home: environment["HOME"]), atStart: settings
        ) { [client = instance.client] settings in
            await client.reconfigure(
                chatConfiguration(settings, paths, listen: nil, acceptsFilesUpTo: acceptsFilesUpTo))
        }
        let reloads = Task { [streams] in
            for await _ in hangUps {
                for line in await keeper.carryOut(.reload).lines { streams.note("\(RFC3339.text(.now)) \(line)") }
            }
        }
        defer { reloads.cancel() }
        let events = await instance.client.events()
        let log = Task { [streams, runner = instance.runner] in
            for await event in events {
                guard let directory = try? await runner.directory(),
                    let line = EventRecord.logLine(of: event, directory)
                else { continue }
                streams.note("\(RFC3339.text(.now)) \(line)")
            }
        }
        do throws(CommandError) {
            let listening = await instance.client.identity.listening
            try streams.line("listening \(listening ?? "nowhere")")
            await signals.wait()
        } catch {
            await instance.stop()
            throw error
        }
        await instance.stop()
        await log.value
        return .done
    }
}
