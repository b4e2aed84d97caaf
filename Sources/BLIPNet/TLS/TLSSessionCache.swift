// The sessions that servers let us resume (RFC 8446 section 2.2; RFC 5077). Filled and used by `TLSSession`.

internal import COpenSSL
internal import Synchronization

/// Sessions of one client configuration by the name of the server. Each is used once, so that nobody can link
/// connections by it (RFC 8446 appendix C.4).
final class TLSSessionCache: Sendable {
    /// Owns an `SSL_SESSION`.
    private final class Entry: Sendable {
        nonisolated(unsafe) let session: OpaquePointer

        init(_ session: OpaquePointer) { self.session = session }

        deinit { SSL_SESSION_free(session) }
    }

    private static let capacity = 64
    private let entries = Mutex<[String: Entry]>([:])

    /// Keeps a copy of an `SSL_SESSION` that may still change with its connection.
    func keep(copyOf session: OpaquePointer, for serverName: String) {
        guard let copy = SSL_SESSION_dup(session) else { return }
        let entry = Entry(copy)
        entries.withLock { entries in
            if entries.count >= Self.capacity, entries[serverName] == nil, let some = entries.keys.first {
                entries[some] = nil
            }
            entries[serverName] = entry
        }
    }

    /// Gives the session of a server to a connection that has not begun, if there is one.
    func resume(_ connection: OpaquePointer, for serverName: String) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: serverName) }) else { return }
        SSL_set_session(connection, entry.session)
    }
}
