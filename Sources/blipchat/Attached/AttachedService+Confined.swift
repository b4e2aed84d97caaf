// What a confined chat (`serve`, Landlock) may not read or write, this process of the same user may.

import ChatCore
import Glibc
import Storage

extension AttachedService {
    /// Does the part of a call that the chat cannot do for its confinement; `nil` when nothing helps.
    func replyBeyondReach(to call: AnyCall, of home: HomePaths) async throws(ChatError) -> JSONValue? {
        switch call {
        case .backUp(let path):
            try await backUp(home, to: path)
            return .record([:])
        case .sendFile(let contact, let path, let name, let caption):
            guard let spooled = try await spooled(path, home) else { return nil }
            let name = name ?? PathParts.lastName(of: path)
            do throws(ChatError) {
                return try await reply(to: .sendFile(contact: contact, path: spooled, name: name, caption: caption))
            } catch {
                // It may be offered all the same where nobody has answered.
                if case .instanceLost = error {} else { _ = await DiskLane.of(spooled).value { unlink(spooled) } }
                throw error
            }
        default: return nil
        }
    }

    private nonisolated func spooled(_ path: String, _ home: HomePaths) async throws(ChatError) -> String? {
        do throws(CommandError) {
            return try await SpoolFile.reachable(path, home)
        } catch {
            if error.exit == .usage { throw .privateFile(path: path) }
            throw .cannotWrite(path: home.spool, errno: EIO)
        }
    }

    private nonisolated func backUp(_ home: HomePaths, to path: String) async throws(ChatError) {
        do throws(CommandError) {
            _ = try await HistoryFile.read(home) { store throws(CommandError) in
                do throws(StoreError) { try await store.backUp(to: path) } catch {
                    throw CommandError(error, path: path)
                }
            }
        } catch {
            throw .store(.cannotOpen(path: error.subject, reason: error.reason))
        }
    }
}
