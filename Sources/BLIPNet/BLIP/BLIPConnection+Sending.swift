// The way out: requests and responses into the outbox, frames out of it.

extension BLIPConnection {
    /// Queues a request and returns its number. `sink` is where the response's body goes (`nil`: memory); the body of
    /// an error response always stays in memory. A request whose properties cannot be sent fails by event.
    package mutating func send(_ request: BLIPRequest, sink: (any BodySink)?, noReply: Bool) -> UInt64 {
        send(request, sink: sink, noReply: noReply, isMeta: false)
    }

    private mutating func send(
        _ request: BLIPRequest, sink: (any BodySink)?, noReply: Bool, isMeta: Bool
    ) -> UInt64 {
        guard end == nil, isMeta || !hasPeerSaidBye else {
            // Nothing goes out for it, and numbers have no gaps: our own `Bye` may follow.
            let number = numbers.nextRefused()
            let failure: LinkError =
                end == nil ? .closedByPeer(code: WebSocketCloseCode.goingAway, reason: Self.byeProfile) : .disconnected
            sink?.bodyEnded(failure)
            events.append(.requestFailed(number: number, failure))
            return number
        }
        let number = numbers.next()
        do throws(BLIPPropertiesError) {
            let message = OutgoingMessage(
                number: number, type: .request, isUrgent: request.isUrgent, isNoReply: noReply,
                isCompressed: request.isCompressed, isMeta: isMeta,
                prefix: try coding.encode(request.properties, limit: limits.maxPropertiesBytes), body: request.body,
                compression: dialect.compression)
            if !noReply { waiting[number] = WaitingRequest(message: message, sink: sink) }
            outbox.add(message)
        } catch {
            // The number is used up, and numbers have no gaps.
            let void = OutgoingMessage(
                number: number, type: .request, isUrgent: request.isUrgent, isNoReply: true, prefix: [0], body: .empty,
                compression: dialect.compression)
            outbox.add(void)
            let failure = LinkError.limitExceeded("properties: \(error)")
            sink?.bodyEnded(failure)
            events.append(.requestFailed(number: number, failure))
        }
        return number
    }

    /// Queues the response to the peer's request `number`, as urgent as the request. Does nothing when the request is
    /// unknown, answered already or wants no reply. The response to a request that is still arriving waits for its last
    /// frame: known peers close when a reply begins before they have sent everything (PROTOCOL 3.2).
    package mutating func respond(to number: UInt64, with response: BLIPResponse) {
        guard let isUrgent = unanswered.removeValue(forKey: number) else {
            if let request = inbox.openRequest(number), request.earlyResponse == nil, !request.isNoReply {
                request.earlyResponse = response
            }
            return
        }
        let message: OutgoingMessage
        do throws(BLIPPropertiesError) {
            message = OutgoingMessage(
                number: number, type: response.error == nil ? .response : .errorResponse, isUrgent: isUrgent,
                isCompressed: response.isCompressed,
                prefix: try coding.encode(response.wireProperties, limit: limits.maxPropertiesBytes),
                body: response.body, compression: dialect.compression)
        } catch {
            message = OutgoingMessage(
                number: number, type: .errorResponse, isUrgent: isUrgent, prefix: Self.handlerFailedPrefix,
                body: .text("the response's properties cannot be sent"), compression: dialect.compression)
        }
        message.countedBytes = message.memoryBytes
        unsentReplies += 1
        queuedReplyBytes += message.countedBytes
        outbox.add(message)
    }

    /// Forgets a request of ours and frees what it holds: no event will come for it, a late response is swallowed.
    ///
    /// BLIP cannot take back a number or a message that has begun. If the request has not begun, an empty no-reply
    /// request goes out under its number instead. If it is under way it is left without an end, because an end would
    /// make a piece look like the whole; the peer drops it after its time-out for unfinished messages, and until then
    /// it counts as running. When half of the places are taken like that, further ones are sent to their end.
    package mutating func cancel(_ number: UInt64) {
        guard let message = waiting[number]?.message, endWaiting(number, .closedLocally) else { return }
        if message.isNew {
            message.becomeVoid()
        } else if sendingRequests[number] === message, abandoned.count < limits.maxOpenOutgoing / 2 {
            outbox.withdraw(message)
            abandon(message)
        }
        inbox.failResponse(number, .unwanted)
        for ack in inbox.noteTaken(now: now) { acks.append(ack) }
    }

    /// Says that we are about to close, in a dialect with meta requests: nothing more should be sent after it. Then
    /// wait for `isQuiet`.
    mutating func sayBye() {
        guard end == nil, dialect.hasMeta, byeNumber == nil else { return }
        byeNumber = numbers.last + 1
        _ = send(BLIPRequest(profile: Self.byeProfile), sink: nil, noReply: false, isMeta: true)
    }

    /// Nothing is lost when the connection is closed now: all our messages are sent, and after a `Bye` it is answered
    /// and everything that was in flight has ended, in both directions.
    package var isQuiet: Bool {
        guard !hasUnsent else { return false }
        return byeNumber == nil || (waiting.isEmpty && unanswered.isEmpty && inbox.openCount == 0)
    }

    static let byeProfile = "Bye"

    /// Appends exactly one frame, ACKs ahead of messages. `false`: nothing may be sent now; ask again after
    /// `receive`, `send` or `respond`.
    package mutating func nextFrame(into out: inout ByteQueue) -> Bool {
        guard end == nil else { return false }
        for ack in inbox.releaseAcks(now: now) { acks.append(ack) }
        if let ack = acks.popFirst() {
            writer.write(ack, into: &out)
            return true
        }
        while let message = outbox.popNext() {
            if writeFrame(of: message, into: &out) { return true }
        }
        return false
    }

    /// How large a frame may be from now on, in bytes: on a slow path less than `BLIPLimits.frameOut`, because what is urgent
    /// waits for the whole frame before it.
    mutating func limitFrames(to bytes: Int) { writer.frameLimit = bytes }

    /// Whether there was a frame to write. A message whose body fails in the middle has none and is left unfinished.
    private mutating func writeFrame(of message: OutgoingMessage, into out: inout ByteQueue) -> Bool {
        let yields = outbox.hasUrgent && !message.isUrgent
        let wanted = yields ? limits.frameOutWhileUrgentWaits : limits.frameOut
        let maxFrame = min(wanted, limits.frameOut, writer.frameLimit)
        do throws(BodySourceFailure) {
            let written = try writer.write(message, maxFrame: maxFrame, into: &out)
            noteWritten(written, of: message)
            return true
        } catch {
            return bodyFailed(message, error) && writeFrame(of: message, into: &out)
        }
    }

    private mutating func noteWritten(_ written: FrameWriter.Written, of message: OutgoingMessage) {
        if message.isNew {
            message.isNew = false
            if message.isRequest { numbers.begun = message.number }
            if !written.isLast { setSending(message, message) }
        }
        message.sentBytes += written.wireCount
        outbox.wrote(written.wireCount, of: message, isLast: written.isLast, now: now)
        if written.isLast {
            finish(message)
        } else if dialect.hasAcks, message.sentBytes - message.acknowledgedBytes >= limits.sendWindow {
            message.isPaused = true
        } else {
            outbox.putBack(message)
        }
    }

    /// Whether the message became another one that can be sent in its place. One that has begun is abandoned.
    private mutating func bodyFailed(_ message: OutgoingMessage, _ failure: BodySourceFailure) -> Bool {
        let wasNew = message.isNew
        if message.isRequest {
            let error = LinkError.bodyFailed(reason: failure.reason)
            let isExpected = endWaiting(message.number, error) || message.isNoReply
            inbox.failResponse(message.number, .unwanted)
            // Nobody wants to hear of a request that was cancelled.
            if isExpected { fail(message.number, error) }
            if wasNew { message.becomeVoid() }
        } else if wasNew {
            message.becomeErrorResponse(prefix: Self.handlerFailedPrefix, text: "the body could not be read")
        }
        if !wasNew { abandon(message) }
        return wasNew
    }

    /// Leaves a message that has begun without an end. The peer holds its beginning for a while, so it keeps its place
    /// among the running messages as long.
    private mutating func abandon(_ message: OutgoingMessage) {
        release(message)
        abandoned.append(AbandonedMessage(message: message, expiry: nil))
    }

    private mutating func finish(_ message: OutgoingMessage) {
        release(message)
        outbox.finish(message)
    }

    private mutating func release(_ message: OutgoingMessage) {
        setSending(message, nil)
        if !message.isRequest {
            unsentReplies -= 1
            queuedReplyBytes -= message.countedBytes
        }
        message.releaseBody()
    }

    private mutating func setSending(_ message: OutgoingMessage, _ entry: OutgoingMessage?) {
        if message.isRequest {
            sendingRequests[message.number] = entry
        } else {
            sendingResponses[message.number] = entry
        }
    }

    /// The properties of error 501, encoded; spelled out, which is right in every dialect.
    private static let handlerFailedPrefix: [UInt8] = {
        let pairs = Array("Error-Code\u{0}501\u{0}Error-Domain\u{0}BLIP\u{0}".utf8)
        return [UInt8(pairs.count)] + pairs
    }()
}

extension BLIPResponse {
    /// The properties plus those that an error response must have; these come first unless they have a place already.
    var wireProperties: BLIPProperties {
        guard let error else { return properties }
        var all: BLIPProperties = [:]
        if properties[BLIPProperties.errorCodeName] == nil { all[BLIPProperties.errorCodeName] = "" }
        if properties[BLIPProperties.errorDomainName] == nil { all[BLIPProperties.errorDomainName] = "" }
        for pair in properties.pairs { all[pair.name] = pair.value }
        all[BLIPProperties.errorCodeName] = String(error.code)
        all[BLIPProperties.errorDomainName] = error.domain
        return all
    }
}
