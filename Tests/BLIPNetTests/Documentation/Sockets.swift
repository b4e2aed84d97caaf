// The listings of the article "Sockets". SocketPageTests has those of "Sockets by example".

import BLIPNet

/// Asks a server that speaks in lines, and waits ten seconds for its answer.
func ask(_ question: String, of server: Endpoint) async throws -> String {
    let connection = TCPConnection.connect(to: server)
    try await connection.write(Array("\(question)\r\n".utf8))
    let line = try await connection.read(through: .crlf, max: 1_000, deadline: .after(.seconds(10)))
    connection.close()
    return String(decoding: line.dropLast(2), as: UTF8.self)
}

/// Says back what each caller says, until the listener is closed.
func answer(_ listener: TCPListener) async {
    for await caller in listener {
        Task {
            let line = try await caller.read(through: .crlf, max: 1_000, idle: .seconds(10))
            try await caller.write(Array("you said: ".utf8) + line)
            await caller.close(after: .writes)
        }
    }
}
