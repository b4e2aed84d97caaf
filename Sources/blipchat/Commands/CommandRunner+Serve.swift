// `blipchat serve`: the chat without a screen, until a signal ends it; SIGHUP has it read its settings again.

import BLIPNet
import ChatCore
import ChatTUI

extension CommandRunner {
    func serve() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        let settings = try configuration(paths)
        let configuration = try chatConfiguration(settings, paths, listens: true)
        let acceptsFilesUpTo = try arguments.size("--accept-files")
        let key = try await openKeyToStart(paths)
        let (hangUps, hangUp) = AsyncStream<Void>.makeStream()
        let signals = try await TerminationSignals.take { hangUp.yield() }
        let instance = try await startServing(paths, configuration, key)
        let reach = DownloadsReach(
            paths, settings, home: environment["HOME"], ownConfiguration: !arguments.has("--config"))
        let keeper = SettingsKeeper(
            file: ConfigurationFile(paths: paths, home: environment["HOME"]), atStart: settings, limit: reach.limit
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

    /// A command that has the home is waited for, at most 10 seconds: it may take no longer than that to send a message.
    /// A chat that serves everybody is not.
    private func startServing(
        _ paths: HomePaths, _ configuration: ChatConfiguration, _ key: TLSIdentity?
    ) async throws(CommandError) -> ChatInstance {
        noteLostKey(paths)
        let limit = ContinuousClock.now + .seconds(10)
        while true {
            do throws(CommandError) {
                return try await ChatInstance.start(paths, configuration, for: .everybody(until: .service), key: key)
            } catch {
                guard error.isAlreadyRunning, ContinuousClock.now < limit, await !isServed(paths) else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Front ends can attach to the chat of this home.
    func isServed(_ paths: HomePaths) async -> Bool {
        do throws(CommandError) {
            guard let service = try await AttachedService.attach(to: paths.socket) else { return false }
            await service.detach()
        } catch {
            // It is another version, or it cannot be asked.
        }
        return true
    }
}
