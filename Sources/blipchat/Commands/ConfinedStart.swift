// How `blipchat serve` confines itself: by starting itself anew, since Landlock is for the thread that asks for it and for
// those that this thread starts, and a program in Swift has many threads by then.

import Arguments
import CLinux
import ChatCore
import ChatHost
import ChatSettings
import Glibc
import Storage

/// Confines a `serve`.
struct ConfinedStart {
    let context: CommandContext

    /// Starts this process again, confined. Returns where it is not to be confined, or is so already, or cannot be:
    /// then it says why not. `entries`: the variables as the system gave them.
    ///
    /// To be called before anything is read that can be read only once, like the passphrase. Throws 7 when the process
    /// can neither be started again nor continue, and when it can open too few files.
    func begin(_ entries: [[UInt8]]) async throws(CommandError) {
        // Before anything is started that cannot do without descriptors.
        try DescriptorRoom.count()
        guard context.environment[Confinement.marker] == nil, Confinement.kernelVersion > 0, let home = confinedHome()
        else {
            return
        }
        let ruleset: Int32
        do throws(SystemError) {
            ruleset = try ConfinementRules(
                home.paths, home.settings, home: context.environment["HOME"],
                ownConfiguration: !context.arguments.has("--config"),
                offered: await offeredFiles(home.paths)
            ).ruleset()
        } catch {
            context.streams.warn("serve runs unconfined: \(error.words)")
            return
        }
        defer { close(ruleset) }
        let code = try await SecondStart.begin(ruleset, entries)
        context.streams.warn("serve runs unconfined: \(String(cString: strerror(code)))")
    }

    /// The home with its folders made; `nil` where they cannot be had, which `serve` says itself, or the user does not want it.
    private func confinedHome() -> (paths: HomePaths, settings: Configuration)? {
        do throws(CommandError) {
            let paths = try context.paths()
            let settings = try context.configuration(paths)
            // The program of our user's would be confined as well, and could hardly do anything.
            guard settings.confinesService, !context.arguments.has("--on-message") else { return nil }
            try paths.createFolders()
            // A rule needs a folder. One that cannot be made now cannot be written to later, and then that is said.
            let downloads = settings.downloads ?? paths.downloads
            if !SmallFile.exists(downloads) { try? HomePaths.createFolder(downloads) }
            return (paths, settings)
        } catch {
            return nil
        }
    }

    /// The files of transfers that are to continue, as far as the history says: confinement may hide files that an
    /// unconfined chat offered. The chat reports a history that cannot be read.
    private func offeredFiles(_ paths: HomePaths) async -> [String] {
        do throws(CommandError) {
            let needed = try await HistoryFile.read(paths) { store throws(StoreError) in
                try await store.unfinishedPaths(.outgoing)
            }
            return (needed ?? []).sorted()
        } catch {
            return []
        }
    }
}

/// The same program in the same process, from its beginning.
private enum SecondStart {
    /// Does not return where it succeeds; else an error number, and nothing has changed.
    @MainThread static func begin(_ ruleset: Int32, _ entries: [[UInt8]]) throws(CommandError) -> Int32 {
        let program = path()
        let marked = entries + [Array("\(Confinement.marker)=1".utf8)]
        var variables = marked.map { entry in strdup(entry.map { CChar(bitPattern: $0) } + [0]) }
        defer { for variable in variables { free(variable) } }
        variables.append(nil)
        guard clinux_renounce_privileges() == 0, clinux_landlock_restrict(ruleset) == 0 else { return errno }
        // By its path, since the name that `ps` and `killall` know is the last part of it; only if that is another file by
        // now, and so may not be run, by the link.
        if let program { execve(program, Swift.CommandLine.unsafeArgv, variables) }
        execve("/proc/self/exe", Swift.CommandLine.unsafeArgv, variables)
        throw CommandError(
            .localIO, "serve", "cannot restart confined: \(String(cString: strerror(errno)))",
            advice: "security.sandbox = false lets it run without")
    }

    private static func path() -> String? {
        guard let real = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
