// The relay protocol: its messages, and the conversation with a relay that says anything.

import TestSupport

@testable import BLIPNet

/// Any bytes from a relay, in any cut: messages come back when written, and a conversation ends once at most.
func fuzzRelay(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let step = Int(input.byte()) + 1
    let wire = Array(input.remainder())
    let whole = try messages(in: wire, by: .max)
    try require(try messages(in: wire, by: step) == whole, "another cut gives other messages")
    for message in whole {
        try require(try messages(in: message.encoded(), by: .max) == [message], "\(message) does not come back")
    }

    let start = MonotonicTime(nanoseconds: 1)
    let id = RelayID(ofCertificate: [kind])
    let purpose: RelayControl.Purpose = kind & 1 == 0 ? .beReached(token: "") : .call(id)
    var control = RelayControl(purpose, address: kind & 2 == 0 ? [127, 0, 0, 1] : nil, now: start)
    var ends = 0
    var now = start
    var rest = wire[...]
    while !rest.isEmpty {
        control.receive(Array(rest.prefix(step)), now: now)
        rest = rest.dropFirst(step)
        now = now + .seconds(Int(kind))
        control.handleTimeout(now: now)
        while let event = control.nextEvent() {
            try require(ends == 0, "something comes after the end")
            switch event {
            case .ended: ends += 1
            case .invited(let invitation):
                try require(kind & 2 != 0 || invitation.isAt([127, 0, 0, 1]), "an invitation to somebody else")
            case .joined: break
            }
        }
        try require(control.takeOutgoing().count <= wire.count + 1024, "much is said to a relay")
    }
}

/// The messages up to the first that is none.
private func messages(in wire: [UInt8], by step: Int) throws -> [RelayMessage] {
    var reader = RelayReader()
    var messages: [RelayMessage] = []
    var rest = wire[...]
    while !rest.isEmpty {
        reader.append(Array(rest.prefix(step)))
        rest = rest.dropFirst(step)
        do throws(RelayViolation) { while let message = try reader.next() { messages.append(message) } } catch { break }
    }
    return messages
}
