// Tor: its control port, and what comes back through SOCKS.

import TestSupport

@testable import BLIPNet

/// Any bytes from something in place of tor, in any cut: replies are the same, a conversation ends once at most, and the
/// cookie is proved only to who knows it.
func fuzzTor(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let step = Int(input.byte()) + 1
    let wire = Array(input.remainder())
    try require(replies(in: wire, by: step) == replies(in: wire, by: .max), "another cut gives other replies")

    let start = MonotonicTime(nanoseconds: 1)
    let service = kind & 1 == 0 ? OnionService(seed: [UInt8](repeating: 1, count: 32)) : nil
    var control = TorControl(
        TorControl.Wish(service: service, target: "unix:/x", isOurs: kind & 2 == 0),
        nonce: [UInt8](repeating: 0xAA, count: 32), now: start)
    var ends = 0
    var rest = wire[...]
    while !rest.isEmpty {
        control.receive(Array(rest.prefix(step)), now: start)
        rest = rest.dropFirst(step)
        while let event = control.nextEvent() {
            try require(ends == 0, "something comes after the end")
            switch event {
            case .ended: ends += 1
            case .wantsCookie: control.provide(cookie: Array(0..<32), now: start)
            default: break
            }
        }
        let said = control.takeOutgoing()
        try require(said.count <= 1024, "much is said to a tor")
    }

    if var talk = SOCKSHandshake(
        host: "x.onion", port: 1, name: kind & 4 == 0 ? nil : SOCKSHandshake.Name(user: "u", password: "p"))
    {
        var rest = wire[...]
        var taken = 0
        do throws(OnionProblem) {
            while talk.need > 0, rest.count >= talk.need {
                let count = talk.need
                try talk.receive(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
                taken += count
            }
        } catch {}
        try require(taken <= 4 + SOCKSHandshake.maxAnswerBytes, "SOCKS takes more than an answer has")
    }
}

/// The replies up to the first line that is none.
private func replies(in wire: [UInt8], by step: Int) -> [TorReply] {
    var reader = TorReplyReader()
    var replies: [TorReply] = []
    var rest = wire[...]
    while !rest.isEmpty {
        reader.append(Array(rest.prefix(step)))
        rest = rest.dropFirst(step)
        do throws(TorViolation) { while let reply = try reader.next() { replies.append(reply) } } catch { break }
    }
    return replies
}
