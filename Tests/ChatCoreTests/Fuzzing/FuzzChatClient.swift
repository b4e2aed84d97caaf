// A whole client between its user and a contact who says anything, over a network and a clock in memory and a real
// SQLite history: what is ours stays ours, and what was acknowledged is there.

import BLIPNet
import Storage
import Synchronization
import TestSupport

@testable import ChatCore

/// Operations of the contact and of the user, at most 80, then a look at the history.
func fuzzChatClient(_ bytes: UnsafeRawBufferPointer) throws {
    let script = Array(bytes)
    try fuzzTask {
        let session = try await FuzzChatSession()
        do { try await session.play(script) } catch {
            await session.end()
            throw error
        }
        try await session.finish()
    }
}

/// Answers what the client asks of the contact, as a plan of bytes says; kindly when the plan is used up.
private final class FuzzContact: PeerRequestHandler {
    private let plan = Mutex<[UInt8]>([])

    func add(to plan: UInt8) { self.plan.withLock { $0.append(plan) } }

    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? {
        if request.properties.profile == "hello" { return BLIPResponse(properties: ["Contact": "accepted"]) }
        let next = plan.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
        switch next & 7 {
        case 1: return .failure(.conflict, "another text")
        case 2: return .failure(.badRequest, "no")
        case 3: return .failure(.tooManyRequests, "later")
        case 4: return .failure(BLIPErrorCode(code: 507), "full")
        case 5: return nil
        default: return BLIPResponse()
        }
    }
}

private final class FuzzChatSession: @unchecked Sendable {
    // Unchecked: used by one task.
    private static let clientID = 1 as UInt8
    private static let contactID = 2 as UInt8

    /// A message that the contact has sent, and whether the client has acknowledged it.
    private struct Sent {
        var id: MessageID
        var text: String
        var isAccepted: Task<Bool, Never>
    }

    private let clock = VirtualClock()
    private let network: SimulatedNetwork
    private let folder: TemporaryDirectory
    private let database: HistoryDatabase
    private let client: ChatClient
    private let contact: ContactID
    private let attacker = FuzzContact()
    private let caller: PeerID
    private var link: (any PeerConnection)?
    private var sent: [Sent] = []
    /// Messages of the contact that they may have changed or taken back.
    private var changed: Set<MessageID> = []
    /// What our user has written, as it should be now; `nil`: taken back.
    private var own: [MessageID: String?] = [:]
    private var ownOrder: [MessageID] = []

    init() async throws {
        folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
        let clock = clock
        network = SimulatedNetwork(clock: clock, seed: 1)
        let (ownID, otherID) = (try fuzzPeerID(Self.clientID), try fuzzPeerID(Self.contactID))
        caller = otherID
        database = try await HistoryDatabase.open(at: folder.file("history.sqlite"))
        client = ChatClient(
            store: database, connecting: network.connecting(as: ownID), identity: ownID,
            configuration: ChatConfiguration(
                name: "us", listen: .host("us", port: 1), downloadsFolder: folder.file("downloads")),
            now: { Timestamp(milliseconds: 1_795_000_000_000 + clock.milliseconds) }, clock: clock.chatClock)
        contact = try await client.ask(
            .addContact(PeerAddress(host: "nowhere", port: 1, peerID: otherID), name: "them")
        ).id
        try await client.start()
        let (database, client, contact) = (database, client, contact)
        clock.settling = {
            for _ in 0..<2 {
                for _ in 0..<4 { await Task.yield() }
                _ = await client.irregularities()
                _ = try? await database.outbox(for: contact, limit: 0)
            }
        }
        try await call()
    }

    /// The contact calls and says hello.
    private func call() async throws {
        let (network, attacker, caller) = (network, attacker, caller)
        let isOver = Mutex(false)
        let calling = Task {
            defer { isOver.withLock { $0 = true } }
            return try await network.connecting(as: caller).connect(
                to: .host("us", port: 1), expecting: nil, through: .direct, handler: attacker)
        }
        // A call takes two deliveries of at most 40 ms, once its task has begun: on a busy machine that is later.
        repeat { await clock.advance(by: .milliseconds(90)) } while !isOver.withLock { $0 }
        link = try? await calling.value
        submit(HelloRequest(name: "them", client: "fuzz", listenPort: nil).encoded())
        await clock.advance(by: .milliseconds(90))
    }

    func play(_ script: [UInt8]) async throws {
        var place = 0
        func byte() -> UInt8 {
            defer { place += 1 }
            return place < script.count ? script[place] : 0
        }
        func text() -> String {
            let count = Int(byte() & 31)
            return String(decoding: (0..<count).map { _ in byte() }, as: UTF8.self)
        }
        func head() -> StoredHead {
            StoredHead(
                id: id(byte()), sequence: Int64(byte() & 15) + 1, sent: Timestamp(milliseconds: 1_795_000_000_000))
        }
        for _ in 0..<80 where place < script.count {
            let operation = byte()
            switch operation % 20 {
            case 0, 1, 2: say(head(), operation & 32 == 0 ? nil : id(byte()), text())
            case 3:
                let head = OperationHead(head(), target: id(byte()))
                changed.insert(head.target)
                submit(EditRequest(head: head, text: text()).encoded())
            case 4:
                let head = OperationHead(head(), target: id(byte()))
                changed.insert(head.target)
                submit(RetractRequest(head: head).encoded())
            case 5: submit(ReactRequest(head: OperationHead(head(), target: id(byte())), emoji: text()).encoded())
            case 6: submit(ReadRequest(upTo: id(byte())).encoded())
            case 7:
                let head = head()
                changed.insert(head.id)
                submit(
                    FileOfferRequest(
                        head, name: text(), size: UInt64(byte()) << (byte() & 63), modified: head.sent,
                        contentType: text(), caption: text()
                    ).encoded())
            case 8:
                submit(BLIPRequest(profile: "file-status", properties: ["Id": id(byte()).text, "State": text()]))
            case 9:
                submit(
                    BLIPRequest(
                        profile: operation & 32 == 0 ? "file-get" : "file-digest",
                        properties: ["Id": id(byte()).text, "Offset": String(byte()), "Length": String(byte())]))
            case 10: submit(HelloRequest(name: text(), client: text(), listenPort: UInt16(byte())).encoded())
            case 11:
                var properties = BLIPProperties()
                for _ in 0..<Int(byte() & 7) { properties[text()] = text() }
                submit(BLIPRequest(profile: text(), properties: properties, body: .text(text())))
            case 12: submit(TypingRequest(isComposing: operation & 32 == 0).encoded())
            case 13, 14: try await write(text(), replyTo: operation & 32 == 0 ? nil : id(byte()))
            case 15: try await change(byte(), to: operation & 32 == 0 ? text() : nil)
            case 16: attacker.add(to: byte())
            case 17:
                network.cutAll()
                try await call()
            case 18: await clock.advance(by: .seconds(Int(byte() & 15)))
            default: await clock.advance(by: .milliseconds(60))
            }
        }
        await clock.advance(by: .milliseconds(90))
    }

    // MARK: The contact

    /// Few ids, so that they meet: eight of the contact's own, and those of our messages.
    private func id(_ byte: UInt8) -> MessageID {
        if byte & 8 == 8, !ownOrder.isEmpty { return ownOrder[Int(byte >> 4) % ownOrder.count] }
        return MessageID(at: Timestamp(milliseconds: 1_700_000_000_000), random: (0, UInt64(byte & 7)))
    }

    private func say(_ head: StoredHead, _ replyTo: MessageID?, _ text: String) {
        guard let pending = submit(MessageRequest(head, replyTo: replyTo, text: text).encoded()) else { return }
        let isAccepted = Task {
            guard let response = try? await pending.value() else { return false }
            return response.error == nil
        }
        sent.append(Sent(id: head.id, text: text, isAccepted: isAccepted))
    }

    @discardableResult private func submit(_ request: BLIPRequest) -> PendingResponse? {
        link?.submit(request, bodySink: nil)
    }

    // MARK: Our user

    private func write(_ text: String, replyTo: MessageID?) async throws {
        guard let message = try? await client.ask(.send(text, to: contact, replyTo: replyTo)) else { return }
        own[message.id] = .some(text)
        ownOrder.append(message.id)
    }

    /// Edits an own message, or takes it back.
    private func change(_ index: UInt8, to text: String?) async throws {
        guard !ownOrder.isEmpty else { return }
        let id = ownOrder[Int(index) % ownOrder.count]
        let found = try await history().first { $0.id == id && $0.direction == .outgoing }
        guard let message = found else { throw FuzzFinding(description: "our message \(id) is gone") }
        if let text {
            if (try? await client.ask(.edit(message, to: text))) != nil { own[id] = .some(text) }
        } else if (try? await client.ask(.retract(message))) != nil {
            own[id] = .some(nil)
        }
    }

    // MARK: Invariants

    private func history() async throws -> [ChatMessage] {
        try await client.ask(.page(of: contact, .newest, limit: 10_000))
    }

    func finish() async throws {
        network.cutAll()
        // Messages behind a gap are shown after 5 s (RELIABILITY D5).
        await clock.advance(by: .seconds(8))
        var accepted: [MessageID: String] = [:]
        for message in sent where await message.isAccepted.value {
            let first = accepted[message.id] ?? message.text
            accepted[message.id] = first
            try await holds(first == message.text, "two texts were taken under the id \(message.id)")
        }
        let history = try await history()
        let keys = history.map { "\($0.direction) \($0.id)" }
        try await holds(Set(keys).count == keys.count, "an id stands twice")
        let (ours, theirs) = (
            history.filter { $0.direction == .outgoing }, history.filter { $0.direction == .incoming }
        )
        try await holds(Set(ours.map(\.id)) == Set(own.keys), "other messages are ours than those that we wrote")
        for message in ours {
            guard let wanted = own[message.id] else { continue }
            try await holds(message.isRetracted == (wanted == nil), "our message was taken back, or was not")
            if let wanted { try await holds(message.content == .text(wanted), "our message says something else") }
        }
        try await holds(
            Set(theirs.map(\.id)).isDisjoint(with: own.keys), "a message of theirs has the id of one of ours")
        for (id, text) in accepted {
            let found = theirs.first { $0.id == id }
            try await holds(found != nil, "an acknowledged message is not there")
            if !changed.contains(id) { try await holds(found?.content == .text(text), "it says something else") }
        }
        await end()
    }

    private func holds(_ condition: Bool, _ promise: @autoclosure () -> String) async throws {
        guard !condition else { return }
        let finding = FuzzFinding(description: promise())
        await end()
        throw finding
    }

    func end() async {
        network.cutAll()
        await client.stop()
        await database.close()
    }
}

private func fuzzPeerID(_ byte: UInt8) throws -> PeerID {
    guard let fingerprint = SPKIFingerprint([UInt8](repeating: byte, count: 32)) else {
        throw FuzzFinding(description: "32 bytes are no fingerprint")
    }
    return PeerID(fingerprint)
}
