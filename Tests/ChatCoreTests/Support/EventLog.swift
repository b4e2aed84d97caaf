// Keeps everything that a client publishes, for tests that ask what was shown.

import ChatCore
import Synchronization

final class EventLog: Sendable {
    private let all = Mutex<[ChatEvent]>([])

    /// Collects until the client stops.
    init(of client: ChatClient) async {
        let stream = await client.events()
        Task {
            for await event in stream { self.all.withLock { $0.append(event) } }
        }
    }

    var events: [ChatEvent] { all.withLock { $0 } }

    func contains(_ isWanted: (ChatEvent) -> Bool) -> Bool { events.contains(where: isWanted) }

    /// The delivery states that were shown for a message, in order.
    func states(of id: MessageID) -> [DeliveryState] {
        events.compactMap { event in
            switch event {
            case .messageAdded(let message) where message.id == id: message.state
            case .messageChanged(let message) where message.id == id: message.state
            default: nil
            }
        }
    }
}
