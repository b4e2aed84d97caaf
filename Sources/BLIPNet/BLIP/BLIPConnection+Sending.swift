// The way out: requests and responses into the outbox, frames out of it.

extension BLIPConnection {
    /// Queues a request and returns its number. `sink` is where the response's body goes (`nil`: memory); the body of
    /// an error response always stays in memory. A request whose properties cannot be sent fails by event.
    public mutating func send(_ request: BLIPRequest, sink: (any BodySink)?, noReply: Bool) -> UInt64 {
        lastRequest += 1
        let number = lastRequest
        guard end == nil else {
            events.append(.requestFailed(number: number, .disconnected))
            return number
        }
        do throws(BLIPPropertiesError) {
            let message = OutgoingMessage(
                number: number, type: .request, isUrgent: request.isUrgent, isNoReply: noReply,
                isCompressed: request.isCompressed,
                prefix: try coding.encode(request.properties, limit: limits.maxPropertiesBytes), body: request.body)
            if !noReply { waiting[number] = WaitingRequest(message: message, sink: sink) }
            outbox.add(message)
        } catch {
            // The number is used up, and numbers have no gaps.
            let void = OutgoingMessage(
                number: number, type: .request, isUrgent: request.isUrgent, isNoReply: true, prefix: [0], body: .empty)
            outbox.add(void)
            events.append(.requestFailed(number: number, .limitExceeded("properties: \(error)")))
        }
        return number
    }

    /// Queues the response to the peer's request `number`, as urgent as the request. Does nothing when the request is
    /// unknown, answered already or wants no reply.
    public mutating func respond(to number: UInt64, with response: BLIPResponse) {
        guard let isUrgent = unanswered.removeValue(forKey: number) else { return }
        let message: OutgoingMessage
        do throws(BLIPPropertiesError) {
            message = OutgoingMessage(
                number: number, type: response.error == nil ? .response : .errorResponse, isUrgent: isUrgent,
                isCompressed: response.isCompressed,
                prefix: try coding.encode(response.wireProperties, limit: limits.maxPropertiesBytes),
                body: response.body)
        } catch {
            message = OutgoingMessage(
                number: number, type: .errorResponse, isUrgent: isUrgent, prefix: Self.handlerFailedPrefix,
                body: .text("the response's properties cannot be sent"))
        }
        message.countedBytes = message.memoryBytes
        unsentReplies += 1
        queuedReplyBytes += message.countedBytes
        outbox.add(message)
    }

    /// Forgets a request of ours: no event will come for it. If it has not begun, an empty no-reply request goes out
    /// under its number instead; if it has, it is sent to its end. A late response is swallowed.
    public mutating func cancel(_ number: UInt64) {
        guard let request = waiting.removeValue(forKey: number) else { return }
        if request.message.isNew { request.message.becomeVoid() }
        inbox.failResponse(number, .unwanted)
    }

    /// Appends exactly one frame, ACKs ahead of messages. `false`: nothing may be sent now; ask again after
    /// `receive`, `send` or `respond`.
    public mutating func nextFrame(into out: inout ByteQueue) -> Bool {
        guard end == nil else { return false }
        for ack in inbox.releaseAcks() { acks.append(ack) }
        if let ack = acks.popFirst() {
            writer.write(ack, into: &out)
            return true
        }
        while let message = outbox.popNext() {
            if writeFrame(of: message, into: &out) { return true }
        }
        return false
    }

    /// Whether there was a frame to write. A message whose body fails in the middle has none and is left unfinished.
    private mutating func writeFrame(of message: OutgoingMessage, into out: inout ByteQueue) -> Bool {
        let yields = outbox.hasUrgent && !message.isUrgent
        let maxFrame = yields ? min(limits.frameOutWhileUrgentWaits, limits.frameOut) : limits.frameOut
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
            if message.isRequest { lastBegunRequest = message.number }
            if !written.isLast { setSending(message, message) }
        }
        message.sentBytes += written.wireCount
        if written.isLast {
            finish(message)
        } else if dialect.hasAcks, message.sentBytes - message.acknowledgedBytes >= limits.sendWindow {
            message.isPaused = true
        } else {
            outbox.putBack(message)
        }
    }

    /// Whether the message became another one that can be sent in its place.
    ///
    /// A message that has begun cannot be taken back in BLIP, and ending it would make what was sent look complete:
    /// it is left without an end, and the peer drops it (`partialTimeout`).
    private mutating func bodyFailed(_ message: OutgoingMessage, _ failure: BodySourceFailure) -> Bool {
        let wasNew = message.isNew
        if message.isRequest {
            waiting[message.number] = nil
            inbox.failResponse(message.number, .unwanted)
            events.append(.requestFailed(number: message.number, .bodyFailed(reason: failure.reason)))
            if wasNew { message.becomeVoid() }
        } else if wasNew {
            message.becomeErrorResponse(prefix: Self.handlerFailedPrefix, text: "the body could not be read")
        }
        if !wasNew { finish(message) }
        return wasNew
    }

    private mutating func finish(_ message: OutgoingMessage) {
        setSending(message, nil)
        if !message.isRequest {
            unsentReplies -= 1
            queuedReplyBytes -= message.countedBytes
        }
        message.releaseBody()
        outbox.finish(message)
    }

    private mutating func setSending(_ message: OutgoingMessage, _ entry: OutgoingMessage?) {
        if message.isRequest {
            sendingRequests[message.number] = entry
        } else {
            sendingResponses[message.number] = entry
        }
    }

    /// The properties of error 501, encoded.
    private static let handlerFailedPrefix: [UInt8] = {
        let pairs = Array("Error-Code\u{0}501\u{0}Error-Domain\u{0}BLIP\u{0}".utf8)
        return [UInt8(pairs.count)] + pairs
    }()
}

extension BLIPResponse {
    /// The properties with what an error response must say.
    var wireProperties: BLIPProperties {
        guard let error else { return properties }
        var all: BLIPProperties = [
            BLIPProperties.errorCodeName: String(error.code), BLIPProperties.errorDomainName: error.domain,
        ]
        for pair in properties.pairs where all[pair.name] == nil { all[pair.name] = pair.value }
        return all
    }
}
