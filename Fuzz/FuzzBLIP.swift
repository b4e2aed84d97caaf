// BLIP: frames from a hostile peer, and two honest peers that do anything in any order.

func fuzzBLIPFrames(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    var limits = BLIPLimits()
    limits.maxInflatedFrame = 1 << 20
    // Without checksums the fuzzer gets behind the first frame.
    var dialect = BLIPDialect.blip3
    dialect.hasChecksum = input.byte() & 1 == 1
    var connection = BLIPConnection(dialect: dialect, limits: limits) { _ in nil }
    _ = connection.send(BLIPRequest(profile: "ask", body: .text("?")), sink: nil, noReply: false)
    var out = ByteQueue()
    var now = MonotonicTime(nanoseconds: 0)
    while !input.isEmpty {
        now = now + .seconds(Int(input.byte() & 3))
        do throws(BLIPViolation) {
            try connection.receive(frame: input.piece(), now: now)
        } catch {
            _ = connection.disconnect()
        }
        while let event = connection.nextEvent() {
            if case .request(let request) = event {
                connection.respond(to: request.number, with: BLIPResponse(body: .bytes(request.body)))
            }
        }
        if connection.nextFrame(into: &out) { out.removeAll() }
        connection.handleTimeout(now: now)
    }
}

/// Everything that was sent must arrive whole and once, whatever the order of sending, pumping and answering.
func fuzzBLIPOperations(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    var peers = (0..<2).map { _ in BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { _ in nil } }
    var sentRequests = 0
    var answers = 0
    let now = MonotonicTime(nanoseconds: 0)
    func takeEvents(of index: Int) {
        while let event = peers[index].nextEvent() {
            switch event {
            case .request(let request):
                peers[index].respond(to: request.number, with: BLIPResponse(body: .bytes(request.body)))
            case .response(_, let response):
                precondition(response.error == nil, "an echo is no error")
                precondition(response.bodyBytes.allSatisfy { $0 == response.bodyBytes[0] }, "an echo comes back whole")
                answers += 1
            case .requestFailed: preconditionFailure("nothing fails between honest peers")
            }
        }
    }
    func pump(from sender: Int) -> Bool {
        var frame = ByteQueue()
        guard peers[sender].nextFrame(into: &frame) else { return false }
        let arrived = frame.withUnsafeBytes { bytes in
            (try? peers[1 - sender].receive(frame: bytes, now: now)) != nil
        }
        precondition(arrived, "an honest frame is accepted")
        takeEvents(of: 0)
        takeEvents(of: 1)
        return true
    }
    while !input.isEmpty, sentRequests < 200 {
        let operation = input.byte()
        let side = Int(operation & 1)
        if operation & 2 == 0 {
            let size = Int(input.byte()) * Int(input.byte())
            let body = [UInt8](repeating: operation, count: size)
            let request = BLIPRequest(
                profile: "echo", body: .bytes(body), urgent: operation & 4 != 0, compressed: operation & 8 != 0)
            _ = peers[side].send(request, sink: nil, noReply: false)
            sentRequests += 1
        } else {
            for _ in 0..<(operation >> 2) where !pump(from: side) { break }
        }
    }
    while pump(from: 0) || pump(from: 1) {}
    precondition(answers == sentRequests, "every request is answered once")
}
