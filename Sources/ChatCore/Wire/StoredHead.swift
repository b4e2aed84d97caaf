// What every stored operation says of itself, whatever it is: `message`, `file-offer`, `edit`, `retract`, `react`.

import BLIPNet

/// Who it is, its number in its sender's order, and when it was entered (PROTOCOL 4).
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

    /// What begins the properties of its request.
    var properties: BLIPProperties { ["Id": id.text, "Seq": String(sequence), "Sent": sent.wireText] }
}
