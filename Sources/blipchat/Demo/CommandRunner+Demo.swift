// `blipchat demo`: a chat with a second blipchat in the same process, in a folder that is removed at the end.

import BLIPNet
import ChatCore
import ChatTUI

extension CommandRunner {
    func runDemo() async throws(CommandError) -> ExitCode {
        let paths = try paths()
        return try await runDemo(on: await makeTerminal(try configuration(paths), paths))
    }

    func runDemo(on terminal: NcursesTerminal) async throws(CommandError) -> ExitCode {
        let folder = try TemporaryFolder.make(environment: environment)
        defer { TemporaryFolder.remove(folder) }
        let home = HomePaths(home: folder + "/me")
        try DemoSettings.copy(from: try paths(), to: home, home: environment["HOME"])
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
        let settings = try configuration(paths)
        let configuration = ChatConfiguration(
            name: settings.name ?? Configuration.defaultName(environment: environment),
            listen: .host("127.0.0.1", port: 0),
            downloadsFolder: paths.downloads)
        let instance = try await ChatInstance.start(paths, configuration, for: .everybody(until: .screen))
        do throws(CommandError) {
            let contact = try await OpenChat.own(instance).addContact("\(echo.address)")
            let result = try await show(
                instance.client, of: paths, settings, on: terminal, contact: contact.name,
                notices: ["This is the demo: everything in it is deleted when you quit with Ctrl-q."],
                // Nothing goes on at a next start: all of it is removed.
                saysFarewell: false,
                commands: ScreenCommands(globals: ["--data-dir", paths.data], environment: environment),
                reconfigure: { await instance.client.reconfigure($0) })
            await instance.stop()
            return result
        } catch {
            await instance.stop()
            throw error
        }
    }
}
