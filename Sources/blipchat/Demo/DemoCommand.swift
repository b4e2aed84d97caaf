// `blipchat demo`: a chat with a second blipchat in the same process, in a folder that is removed at the end.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings
import ChatTUI

struct DemoCommand: Command {
    let context: CommandContext

    func run() async throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        return try await run(
            on: await ChatScreen(context: context).makeTerminal(try context.configuration(paths), paths))
    }

    func run(on terminal: NcursesTerminal) async throws(CommandError) -> ExitCode {
        let folder = try TemporaryFolder.make(environment: context.environment)
        defer { TemporaryFolder.remove(folder) }
        let home = HomePaths(home: folder + "/me")
        try DemoSettings.copy(from: try context.paths(), to: home, home: context.environment["HOME"])
        let echo = try await EchoPeer.start(in: folder + "/echo")
        do throws(CommandError) {
            let result = try await chat(with: echo, in: home, on: terminal)
            await echo.stop()
            return result
        } catch {
            await echo.stop()
            throw error
        }
    }

    private func chat(
        with echo: EchoPeer, in paths: HomePaths, on terminal: NcursesTerminal
    ) async throws(CommandError) -> ExitCode {
        let settings = try context.configuration(paths)
        let configuration = ChatConfiguration(
            name: settings.name ?? Configuration.defaultName(environment: context.environment),
            listen: .host("127.0.0.1", port: 0),
            downloadsFolder: paths.downloads)
        let instance = try await ChatInstance.start(paths, configuration, for: .everybody(until: .screen))
        do throws(CommandError) {
            let contact = try await OpenChat.own(instance).addContact("\(echo.address)")
            let result = try await ChatScreen(context: context).show(
                instance.client, of: paths, settings, on: terminal, contact: contact.name,
                notices: ["This is the demo: everything in it is deleted when you quit with Ctrl-q."],
                // Nothing continues at a next start: all of it is removed.
                saysFarewell: false,
                commands: ScreenCommands(globals: ["--data-dir", paths.data], environment: context.environment),
                reconfigure: { await instance.client.reconfigure($0) })
            await instance.stop()
            return result
        } catch {
            await instance.stop()
            throw error
        }
    }
}
