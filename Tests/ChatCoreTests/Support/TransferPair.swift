// Two people who send each other files: what the tests of transfers have in common.

import ChatCore
import Testing

/// Alice, who sends, and Bob, who receives; online with each other.
struct TransferPair {
    let alice: TestPeer
    let bob: TestPeer

    /// Bob accepts files up to `limit` by himself.
    init(
        accepting limit: UInt64? = .max, alice configureAlice: (inout ChatConfiguration) -> Void = { _ in },
        bob configureBob: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws {
        alice = try await TestPeer("alice", configure: configureAlice).start()
        bob = try await TestPeer("bob") {
            $0.acceptsFilesUpTo = limit
            configureBob(&$0)
        }.start()
        try await ChatClient.befriend(alice, bob)
    }

    func offer(_ path: String, named name: String? = nil) async throws -> MessageID {
        try await alice.client.ask(.sendFile(at: path, named: name, caption: "", to: alice.contactID("bob"))).id
    }

    func stop() async {
        await alice.stop()
        await bob.stop()
    }
}

extension TestPeer {
    func waitForState(
        _ state: FileTransfer.State, of id: MessageID, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(name): \(state)", sourceLocation: sourceLocation) {
            try await self.transfer(id)?.state == state
        }
    }

    func row(_ id: MessageID) async throws -> FileTransfer { try #require(try await transfer(id)) }
}
