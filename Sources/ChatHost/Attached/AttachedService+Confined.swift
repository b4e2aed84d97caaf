// Does for a confined chat (`serve`, Landlock) what it may not read or write itself: this process of the same user may.

import BLIPNet
import ChatCore
import ChatSettings
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
                return try await answer(
                    to: .sendFile(contact: contact, path: spooled, name: name, caption: caption))
            } catch {
                // It may be offered all the same where nobody has answered.
                if case .instanceLost = error {} else { _ = await DiskLane.of(spooled).value { unlink(spooled) } }
                throw error
            }
        case .importHistory(let path):
            guard let spooled = try await spooled(path, home) else { return nil }
            do throws(ChatError) {
                let summary = try await answer(to: .importHistory(path: spooled))
                _ = await DiskLane.of(spooled).value { unlink(spooled) }
                return summary
            } catch {
                _ = await DiskLane.of(spooled).value { unlink(spooled) }
                guard case .cannotImport(var problem) = error else { throw error }
                problem.subject = problem.subject.replacing(spooled, with: path)
                throw .cannotImport(problem)
            }
        default: return nil
        }
    }

    /// Of whoever runs the chat when the file is in the spool.
    private func answer(to call: AnyCall) async throws(ChatError) -> JSONValue {
        while true {
            await settle()
            if let own {
                let reply = try await own.chat.perform(call)
                guard let value = try? JSONValue(encoding: reply) else {
                    throw .instanceLost(reason: "its answer cannot be encoded")
                }
                return value
            }
            if let reply = try await reply(to: call) { return reply }
        }
    }

    private nonisolated func spooled(_ path: String, _ home: HomePaths) async throws(ChatError) -> String? {
        do throws(CommandError) {
            return try await SpoolFile.reachable(path, home)
        } catch {
            if error.exit == .usage { throw .privateFile(path: path) }
            throw .cannotWrite(path: error.subject, errno: error.code ?? EIO)
        }
    }

    private nonisolated func backUp(_ home: HomePaths, to path: String) async throws(ChatError) {
        let written: Result<Void, StoreError>?
        do throws(CommandError) {
            written = try await HistoryFile.read(home) { store throws(CommandError) in
                do throws(StoreError) { return .success(try await store.backUp(to: path)) } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .store(.cannotOpen(path: error.subject, reason: error.reason))
        }
        do throws(StoreError) { try written?.get() } catch { throw .store(error) }
    }
}
