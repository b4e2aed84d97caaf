// `blipchat config`: reads, checks and changes config.toml without a running chat.

import ChatTUI
import ChatWords

extension CommandRunner {
    private func configurationFile() throws(CommandError) -> ConfigurationFile {
        ConfigurationFile(paths: try paths(), home: environment["HOME"])
    }

    func printConfigurationPath() throws(CommandError) -> ExitCode {
        try streams.line(try paths().configuration)
        return .done
    }

    /// Prints the value of a key; 1 when it is not set and has no default.
    func printSetting() throws(CommandError) -> ExitCode {
        let file = try configurationFile()
        let (path, setting) = try file.setting(typed: operand(0))
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        guard let value = listing.value(of: setting, at: path) else { return .negative }
        if isJSON {
            try streams.json(record(of: setting, at: path, in: listing))
        } else if case .string(let text) = value {
            try streams.line(SafeText(text, as: .line).terminalString())
        } else {
            try streams.line(value.text)
        }
        return .done
    }

    func listSettings() throws(CommandError) -> ExitCode {
        let file = try configurationFile()
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        for row in arguments.has("--set") ? listing.own : listing.all {
            if isJSON {
                try streams.json(record(row))
            } else {
                try streams.line(SafeText(row.line, as: .line).terminalString())
            }
        }
        return .done
    }

    func changeSetting() throws(CommandError) -> ExitCode {
        let paths = try paths()
        try paths.createFolders()
        let file = try configurationFile()
        let words = arguments.operands.dropFirst().joined(separator: " ")
        _ = try file.set(typed: operand(0), to: words)
        if isJSON { try printRecord(of: operand(0), in: file) }
        noteRunning(paths)
        return .done
    }

    /// 1 when the key was not set.
    func unsetSetting() throws(CommandError) -> ExitCode {
        let file = try configurationFile()
        guard try file.unset(typed: operand(0)) else {
            throw CommandError(
                .negative, operand(0), "not set, so there is nothing to remove",
                advice: "blipchat config list --set shows what is")
        }
        // What is no key has gone, too, and has no value.
        if isJSON, (try? file.setting(typed: operand(0))) != nil { try printRecord(of: operand(0), in: file) }
        noteRunning(try paths())
        return .done
    }

    private func printRecord(of key: String, in file: ConfigurationFile) throws(CommandError) {
        let (path, setting) = try file.setting(typed: key)
        let listing = SettingsListing(try Configuration.text(of: file.path), home: file.home)
        try streams.json(record(of: setting, at: path, in: listing))
    }

    private func record(of setting: Setting, at path: SettingPath, in listing: SettingsListing) -> JSONValue {
        let isSet = listing.own.contains { $0.key == path.text }
        return record(SettingsListing.Row(key: path.text, value: listing.value(of: setting, at: path), isSet: isSet))
    }

    /// Prints everything that is wrong as `file:line:column: what (what to do)`, or as records.
    func checkConfiguration() throws(CommandError) -> ExitCode {
        let problems = try configurationFile().problems()
        for problem in problems {
            guard !isJSON else {
                try streams.json(record(problem))
                continue
            }
            for words in problem.words { try streams.line(words) }
        }
        return problems.isEmpty ? .done : .usage
    }

    /// Prints a theme as a file to start one's own from; the names of all without one.
    func printTheme() throws(CommandError) -> ExitCode {
        let themes = ThemeFolder(path: try paths().themes)
        guard let name = arguments.operands.first else {
            for name in themes.names { try streams.line(name) }
            return .done
        }
        try streams.write(ThemeFile.text(of: try themes.theme(named: name)))
        return .done
    }

    private func noteRunning(_ paths: HomePaths) {
        // What runs with another file does not read this one.
        guard arguments.text("--config") == nil, let process = InstanceLock.holder(path: paths.lock) else { return }
        streams.note("blipchat is running here as process \(process): use /reload there, or kill -HUP \(process)")
    }

    /// What is wrong with a file as a whole has no line and column.
    private func record(_ problem: CommandError) -> JSONValue {
        .record([
            "v": 1, "type": "config_error", "file": .string(problem.place?.file ?? problem.subject),
            "line": problem.place.map { .integer(Int64($0.position.line)) } ?? .null,
            "column": problem.place.map { .integer(Int64($0.position.column)) } ?? .null,
            "message": .string(problem.reason), "suggestion": problem.advice.map(JSONValue.string) ?? .null,
        ])
    }

    private func record(_ row: SettingsListing.Row) -> JSONValue {
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
}
