// The demo's other side: a chat of its own, with its own key and history, that answers over a real connection.

import BLIPNet
import ChatCore
import ChatHost
import ChatSettings

/// Answers each text, accepts every file, and sends a picture to whoever it meets.
actor EchoPeer {
    static let name = "echo"

    private let instance: ChatInstance
    private let picture: String
    private var met: Set<ContactID> = []
    private var listening: Task<Void, Never>?

    /// Where others reach it.
    nonisolated let address: PeerAddress

    private init(instance: ChatInstance, address: PeerAddress, picture: String) {
        self.instance = instance
        self.address = address
        self.picture = picture
    }

    /// Starts it on loopback; everything that it writes goes into `folder`.
    static func start(in folder: String) async throws(CommandError) -> EchoPeer {
        let paths = HomePaths(home: folder)
        try paths.createFolders()
        let picture = folder + "/" + DemoPicture.name
        do {
            try SmallFile.replace(picture, with: DemoPicture.file())
        } catch {
            throw .system(picture, "cannot be written", error.code)
        }
        let configuration = ChatConfiguration(
            name: name, listen: .host("127.0.0.1", port: 0), downloadsFolder: paths.downloads, acceptsRequests: true,
            acceptsFilesUpTo: .max)
        let instance = try await ChatInstance.start(paths, configuration, for: .nobody)
        guard let address = await instance.client.identity.address else {
            await instance.stop()
            throw CommandError(.localIO, "127.0.0.1", "the demo cannot listen here")
        }
        let peer = EchoPeer(instance: instance, address: address, picture: picture)
        await peer.listen()
        return peer
    }

    func stop() async {
        listening?.cancel()
        await instance.stop()
    }

    private func listen() async {
        let events = await instance.client.events()
        listening = Task { for await event in events { await self.take(event) } }
    }

    private func take(_ event: ChatEvent) async {
        do throws(ChatError) {
            switch event {
            case .linkChanged(let contact, .online): try await greet(contact)
            case .messageAdded(let message) where message.direction == .incoming: try await answer(message)
            case .messageChanged(let message): try await thank(for: message)
            default: break
            }
        } catch {
            // The other side has gone, or its history is full: an echo has nobody to tell.
        }
    }

    private func greet(_ contact: ContactID) async throws(ChatError) {
        guard met.insert(contact).inserted else { return }
        let lines = [
            "Hello! I am a second blipchat in the same process, with my own key and history.",
            "What you type goes over a real connection (TLS, WebSocket, BLIP), and I send it back.",
            "Try /send FILE: I accept everything. Here is a picture for you: Alt-y accepts it.",
        ]
        for line in lines { _ = try await instance.client.ask(.send(line, to: contact, replyTo: nil)) }
        _ = try await instance.client.ask(.sendFile(at: picture, named: nil, caption: "rings of colour", to: contact))
    }

    private func answer(_ message: ChatMessage) async throws(ChatError) {
        try await instance.client.ask(.markSeen(message.contact, upTo: message.position))
        guard case .text(let text) = message.content else { return }
        _ = try await instance.client.ask(
            .send("You wrote: \(text.prefix(2000))", to: message.contact, replyTo: message.id))
    }

    private func thank(for message: ChatMessage) async throws(ChatError) {
        guard case .file(let transfer) = message.content, transfer.direction == .incoming, transfer.state == .complete
        else { return }
        let digest = transfer.sha256.map { " Its SHA-256 is \($0)." } ?? ""
        let text = "Thank you: I got all \(transfer.size) bytes of \(transfer.name).\(digest)"
        _ = try await instance.client.ask(.send(text, to: message.contact, replyTo: message.id))
    }
}
