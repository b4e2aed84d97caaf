// What a command has brought into the history, so that it can go on elsewhere and stores nothing twice.

import ChatCore
import Synchronization

/// Follows the records of one operation.
final class StoredMessages: Sendable {
    private struct State {
        var ids: Set<MessageID> = []
        var held: JSONValue?
        var folder = ""
        var leftOut = 0
    }
    private let state = Mutex(State())

    /// Messages and offers that are stored, without the files that are complete.
    var ids: [MessageID] { state.withLock { Array($0.ids) } }

    /// Why not everything was sent that was to be sent; whoever goes on behind the process that has said so does not know.
    var incompleteness: CommandError? {
        state.withLock { $0.leftOut > 0 ? .incompleteFolder($0.folder, leftOut: $0.leftOut) : nil }
    }

    /// Takes a record down. Returns it if it is to be printed now: that of a message says what has become of it, and is
    /// held back until the operation is over.
    func note(_ record: JSONValue) -> JSONValue? {
        let id = record["id"]?.stringValue.flatMap { MessageID($0) }
        return state.withLock { state in
            switch record["type"]?.stringValue {
            case "stored":
                if let id { state.ids.insert(id) }
                return nil
            case "folder" where (record["left_out"]?.integerValue ?? 0) > 0:
                if state.leftOut == 0 { state.folder = record["path"]?.stringValue ?? "" }
                state.leftOut += Int(clamping: record["left_out"]?.integerValue ?? 0)
                return record
            case "message":
                state.held = record
                return nil
            case "file" where record["direction"]?.stringValue == MessageDirection.outgoing.rawValue:
                let isComplete = record["state"]?.stringValue == FileTransfer.State.complete.rawValue
                if let id { if isComplete { state.ids.remove(id) } else { state.ids.insert(id) } }
                return record
            default: return record
            }
        }
    }

    /// The record that is held back.
    func takeHeld() -> JSONValue? {
        state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
    }
}
