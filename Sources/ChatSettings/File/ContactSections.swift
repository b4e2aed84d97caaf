// The sections [contact."NAME"] of config.toml, for the chat that gives contacts other names.

import ChatCore
import Dispatch

/// Changes them one after the other, on a queue of its own: a disk may be slow, and others may hold the file.
package final class ContactSections: NamedSettings {
    private let file: ConfigurationFile
    /// Other profiles read the same file and may have contacts of the same names: nothing is taken away from these.
    private let isShared: Bool
    private let queue = DispatchQueue(label: "settings of contacts")

    package init(paths: HomePaths, home: String?) {
        file = ConfigurationFile(paths: paths, home: home)
        isShared = paths.sharesConfiguration
    }

    func copy(_ old: String, to new: String) async throws(NamedSettingsError) -> Bool {
        let result = await onQueue { [file] () -> Result<Bool, NamedSettingsError> in
            do throws(CommandError) {
                return .success(try file.copyContact(old, to: new))
            } catch {
                return .failure(NamedSettingsError(reason: "\(error.subject): \(error.reason)"))
            }
        }
        return try result.get()
    }

    func remove(_ name: String) async {
        guard !isShared else { return }
        await onQueue { [file] in _ = try? file.moveContact(name, to: nil) }
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
