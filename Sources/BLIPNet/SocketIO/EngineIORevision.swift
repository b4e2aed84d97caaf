// The two revisions of the transport protocol that servers speak.

/// A revision of Engine.IO. Each carries one protocol of Socket.IO (SOCKETIO B1, B2).
public enum EngineIORevision: Int, Sendable, Equatable, CaseIterable {
    /// Revision 3 with protocol 4: servers 1.0.3 to 2.x, and newer ones with `allowEIO3`. The client pings.
    case eio3 = 3
    /// Revision 4 with protocol 5: servers 3.x and 4.x. The server pings.
    case eio4 = 4

    var other: Self { self == .eio3 ? .eio4 : .eio3 }
}
