// The settings with their values, in the order of the table: for /set and `blipchat config list`.

/// The values of a file and of what it leaves out.
package struct SettingsListing {
    package struct Row: Equatable {
        /// As users type it.
        package var key: String
        /// `nil`: not set, and without a fixed default.
        package var value: ConfigurationValue?
        /// It is in the file.
        package var isSet: Bool

        package init(key: String, value: ConfigurationValue?, isSet: Bool) {
            self.key = key
            self.value = value
            self.isSet = isSet
        }

        package var line: String { key + (value.map { " = " + $0.text } ?? " is not set") }
    }

    private let configuration: Configuration
    private let present: [SettingPath]

    /// Leaves out everything that is wrong in the text.
    package init(_ text: String, home: String?) {
        var problems: [ConfigurationError] = []
        configuration = Configuration(text: text, home: home, problems: &problems)
        present = ConfigurationReader.read(text, problems: &problems).map(\.path)
    }

    package func value(of setting: Setting, at path: SettingPath) -> ConfigurationValue? {
        setting.value(configuration, path)
    }

    /// Every setting; of contacts, keys, aliases and profiles those that are set.
    package var all: [Row] {
        let fixed = Setting.all.compactMap { setting -> Row? in
            guard !setting.key.hasSuffix(".NAME"), let path = SettingPath(typed: setting.key), Setting.at(path) != nil
            else { return nil }
            return row(setting, path)
        }
        let named = present.filter { ["contact", "keys", "alias", "names"].contains($0.section) }
        return fixed + named.compactMap { path in Setting.at(path).map { row($0, path) } }
    }

    /// Those that are in the file.
    package var own: [Row] { all.filter(\.isSet) }

    private func row(_ setting: Setting, _ path: SettingPath) -> Row {
        Row(key: path.text, value: value(of: setting, at: path), isSet: present.contains(path))
    }
}
