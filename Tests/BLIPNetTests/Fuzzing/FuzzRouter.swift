// Datagrams of a router that says anything, in any order, and the question that they answer.

import TestSupport

@testable import BLIPNet

/// A port that is got is one that was asked for, leads to the public network, and lasts for a time that can be meant; whatever
/// comes, the question ends.
func fuzzRouter(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let nonce = (1...12).map { UInt8($0) }
    let given = MappedPort(
        way: kind & 2 == 0 ? .pcp : .natPMP, host: "11.0.0.11", port: 4987, inside: 4987, lifetime: .seconds(3600),
        nonce: kind & 2 == 0 ? nonce : [])
    let purpose: PortQuestion.Purpose =
        kind & 1 == 0 ? .map(earlier: kind & 4 == 0 ? nil : given) : .giveBack(given)
    var now = MonotonicTime(nanoseconds: 1)
    var question = PortQuestion(purpose, port: 4987, client: [10, 0, 1, 2], nonce: nonce, now: now)
    var count = 0
    func send() throws {
        while let datagram = question.nextDatagram() {
            count += 1
            try require(datagram.count <= 60, "a datagram of \(datagram.count) bytes")
        }
    }
    try send()
    while !input.isEmpty, question.outcome == nil {
        let size = Int(input.byte())
        question.receive(Array(input.bytes(size)), now: now)
        try send()
    }
    while question.outcome == nil {
        guard let deadline = question.deadline else {
            throw FuzzFinding(description: "nobody waits for anything any more")
        }
        now = deadline
        question.handleTimeout(now: now)
        try send()
    }
    try require(count <= 12, "\(count) datagrams")
    guard case .success(let mapped)? = question.outcome, kind & 1 == 0 else { return }
    try require(mapped.inside == 4987 && mapped.port > 0, "another port")
    let place = SocketAddress(host: mapped.host, port: mapped.port)
    try require(place.map { !$0.isInside } == true, "\(mapped.host) leads nobody here")
    try require((Duration.seconds(60)...Duration.seconds(86_400)).contains(mapped.lifetime), "\(mapped.lifetime)")
}
