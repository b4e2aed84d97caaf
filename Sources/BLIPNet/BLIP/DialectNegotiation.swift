// How two peers agree on a dialect: by the WebSocket subprotocol, or by there being none (PROTOCOL 3.2).

/// The dialects that one side speaks, and what their names on the wire mean to it.
struct DialectNegotiation: Sendable {
    /// The preferred one first.
    let dialects: [BLIPDialect]
    /// The applications that requests may belong to, the usual one first.
    let applications: [String]

    /// The names that a client offers and a server accepts, the preferred one first. Two dialects may have one name.
    var subprotocols: [String] {
        var names: [String] = []
        for application in applications {
            for dialect in dialects {
                let name = dialect.subprotocol(application: application)
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }

    /// A peer that names no subprotocol is understood.
    var allowsNoSubprotocol: Bool { dialects.contains(where: \.isMeantByNone) }

    /// The dialect that the subprotocol of an open connection means; `nil` when it is not one of ours. Where two
    /// dialects have that name, the preferred one.
    func dialect(subprotocol: String?) -> BLIPDialect? {
        guard let subprotocol else { return dialects.first(where: \.isMeantByNone) }
        return dialects.first { dialect in
            applications.contains { dialect.subprotocol(application: $0) == subprotocol }
        }
    }

    /// The application that requests belong to on a connection with this subprotocol; `nil` when its name does not say.
    func application(subprotocol: String?) -> String? {
        guard let subprotocol else { return nil }
        return applications.first { application in
            dialects.contains { $0.namesApplication && $0.subprotocol(application: application) == subprotocol }
        }
    }
}
