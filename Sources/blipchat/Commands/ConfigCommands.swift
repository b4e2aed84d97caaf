// `blipchat config`: reads, checks and changes config.toml without a running chat.

import Arguments
import BLIPNet
import ChatHost
import ChatSettings
import ChatTUI
import ChatWords

struct ConfigPathCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        try context.streams.line(try context.paths().configuration)
        return .done
    }
}

struct ConfigGetCommand: Command {
    let context: CommandContext

    /// Prints the value of a key; 1 when it is not set and has no default.
    func run() throws(CommandError) -> ExitCode {
        let file = try SettingsFile(context: context).file()
        let (path, setting) = try file.setting(typed: context.operand(0))
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        guard let value = listing.value(of: setting, at: path) else { return .negative }
        if context.isJSON {
            try context.streams.json(SettingsFile(context: context).record(of: setting, at: path, in: listing))
        } else if case .string(let text) = value {
            try context.streams.line(SafeText(text, as: .line).terminalString())
        } else {
            try context.streams.line(value.text)
        }
        return .done
    }
}

struct ConfigListCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        let file = try SettingsFile(context: context).file()
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        for row in context.arguments.has("--set") ? listing.own : listing.all {
            if context.isJSON {
                try context.streams.json(SettingsFile(context: context).record(row))
            } else {
                try context.streams.line(SafeText(row.line, as: .line).terminalString())
            }
        }
        return .done
    }
}

struct ConfigSetCommand: Command {
    let context: CommandContext

    func run() throws(CommandError) -> ExitCode {
        let paths = try context.paths()
        try paths.createFolders()
        let file = try SettingsFile(context: context).file()
        let words = context.arguments.operands.dropFirst().joined(separator: " ")
        _ = try file.set(typed: context.operand(0), to: words)
        if context.isJSON { try SettingsFile(context: context).printRecord(of: context.operand(0), in: file) }
        SettingsFile(context: context).noteRunning(paths)
        return .done
    }
}

struct ConfigUnsetCommand: Command {
    let context: CommandContext

    /// 1 when the key was not set.
    func run() throws(CommandError) -> ExitCode {
        let file = try SettingsFile(context: context).file()
        guard try file.unset(typed: context.operand(0)) else {
            throw CommandError(
                .negative, context.operand(0), "not set, so there is nothing to remove",
                advice: "blipchat config list --set shows what is")
        }
        // A name that is not a key of ours has been removed, too, but has no value to print.
        if context.isJSON, (try? file.setting(typed: context.operand(0))) != nil {
            try SettingsFile(context: context).printRecord(of: context.operand(0), in: file)
        }
        SettingsFile(context: context).noteRunning(try context.paths())
        return .done
    }
}

struct ConfigCheckCommand: Command {
    let context: CommandContext

    /// Prints everything that is wrong as `file:line:column: what (what to do)`, or as records.
    func run() throws(CommandError) -> ExitCode {
        let problems = try SettingsFile(context: context).file().problems()
        for problem in problems {
            guard !context.isJSON else {
                try context.streams.json(record(problem))
                continue
            }
            for words in problem.words { try context.streams.line(words) }
        }
        return problems.isEmpty ? .done : .usage
    }

    /// An error that concerns a file as a whole has no line and column.
    private func record(_ problem: CommandError) -> JSONValue {
        .record([
            "v": 1, "type": "config_error", "file": .string(problem.place?.file ?? problem.subject),
            "line": problem.place.map { .integer(Int64($0.position.line)) } ?? .null,
            "column": problem.place.map { .integer(Int64($0.position.column)) } ?? .null,
            "message": .string(problem.reason), "suggestion": problem.advice.map(JSONValue.string) ?? .null,
        ])
    }
}

struct ConfigThemeCommand: Command {
    let context: CommandContext

    /// Prints a theme as a file to start one's own from; the names of all without one.
    func run() throws(CommandError) -> ExitCode {
        let themes = ThemeFolder(path: try context.paths().themes)
        guard let name = context.arguments.operands.first else {
            for name in themes.names { try context.streams.line(name) }
            return .done
        }
        try context.streams.write(ThemeFile.text(of: try themes.theme(named: name)))
        return .done
    }
}

/// What the commands share: the file, and settings as records.
private struct SettingsFile {
    let context: CommandContext

    func file() throws(CommandError) -> ConfigurationFile {
        ConfigurationFile(paths: try context.paths(), home: context.environment["HOME"])
    }

    func printRecord(of key: String, in file: ConfigurationFile) throws(CommandError) {
        let (path, setting) = try file.setting(typed: key)
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        try context.streams.json(record(of: setting, at: path, in: listing))
    }

    func record(of setting: Setting, at path: SettingPath, in listing: SettingsListing) -> JSONValue {
        let isSet = listing.own.contains { $0.key == path.text }
        return record(SettingsListing.Row(key: path.text, value: listing.value(of: setting, at: path), isSet: isSet))
    }

    func record(_ row: SettingsListing.Row) -> JSONValue {
        let value: JSONValue =
            switch row.value {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .bool(let flag): .bool(flag)
            case nil: .null
            }
        return .record([
            "v": .integer(1), "type": .string("setting"), "key": .string(row.key), "value": value,
            "set": .bool(row.isSet),
        ])
    }

    func noteRunning(_ paths: HomePaths) {
        // A process that runs with another file does not read this one.
        guard context.arguments.text("--config") == nil, let process = InstanceLock.holder(path: paths.lock) else {
            return
        }
        context.streams.note(
            "blipchat is running here as process \(process): use /reload there, or kill -HUP \(process)")
    }
}
