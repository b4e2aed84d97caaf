// The properties of every stored operation, whatever it is: `message`, `file-offer`, `edit`, `retract`, `react`.

import BLIPNet

/// Its id, its number in its sender's order, and when it was entered (PROTOCOL 4).
struct StoredHead: Sendable, Equatable {
    var id: MessageID
    /// From 1.
    var sequence: Int64
    /// By the sender's clock.
    var sent: Timestamp

    init(id: MessageID, sequence: Int64, sent: Timestamp) {
        self.id = id
        self.sequence = sequence
        self.sent = sent
    }

    init(_ reader: PropertyReader) throws(WireError) {
        id = try reader.id("Id")
        sequence = try reader.sequence("Seq")
        sent = try reader.timestamp("Sent")
    }

    /// The properties with which its request begins.
    var properties: BLIPProperties { ["Id": id.text, "Seq": String(sequence), "Sent": sent.wireText] }
}
