// The way in: one frame to its message, complete messages to events, ACKs to the messages that wait for them.

extension BLIPConnection {
    /// Takes one frame: the payload of one whole binary WebSocket message, in the order of arrival. A violation is
    /// the end: close the connection with its code and reason, then call `disconnect`. Each later call throws it again.
    package mutating func receive(frame: UnsafeRawBufferPointer, now: MonotonicTime) throws(BLIPViolation) {
        switch end {
        case .violated(let violation): throw violation
        case .disconnected: return
        case nil: break
        }
        noteTime(now)
        do throws(BLIPViolation) {
            let received = try reader.read(frame, unpacking.allowance)
            unpacking.charge(received.unpacked, now: self.now)
            try take(received, now: now)
            reader.finishFrame()
        } catch {
            end = .violated(error)
            throw error
        }
    }

    private mutating func take(_ frame: ReceivedFrame, now: MonotonicTime) throws(BLIPViolation) {
        switch frame.type {
        case .request: try takeRequest(frame, now: now)
        case .response: try takeResponse(frame, type: .response, now: now)
        case .errorResponse: try takeResponse(frame, type: .errorResponse, now: now)
        case .ackOfRequest: try takeAck(frame, of: sendingRequests)
        case .ackOfResponse: try takeAck(frame, of: sendingResponses)
        case nil: break
        }
    }

    private mutating func takeRequest(_ frame: ReceivedFrame, now: MonotonicTime) throws(BLIPViolation) {
        let message = try inbox.message(for: frame, type: .request, lastRequest: numbers.begun, now: now)
        if queuedReplyBytes > limits.maxQueuedReplyBytes, !message.account.isListed {
            inbox.fail(message, .refused("too many replies are waiting to be read"))
        }
        let makeSink = makeSink
        let progress = try inbox.take(
            frame, for: message, unpacking: unpacking.allowance, now: now, taken: taken
        ) { head in
            message.isMeta ? nil : makeSink(head)
        }
        unpacking.charge(message.unpacked, now: self.now)
        if let ack = progress.ack { acks.append(ack) }
        guard progress.isComplete else { return }
        if !message.isNoReply {
            guard unanswered.count + unsentReplies < limits.maxUnanswered else {
                throw .limit("more than \(limits.maxUnanswered) requests without a reply")
            }
            unanswered[message.number] = message.isUrgent
        }
        // `respond` does nothing for a no-reply request, nor for one that is answered already.
        if let response = message.earlyResponse { respond(to: message.number, with: response) }
        if let failure = message.failure {
            respond(to: message.number, with: failure.response)
        } else if message.isMeta {
            takeMeta(message)
        } else {
            events.append(
                .request(
                    BLIPIncomingRequest(
                        number: message.number, properties: message.properties, body: message.takeOutBody(),
                        sink: message.sink, isUrgent: message.isUrgent, isNoReply: message.isNoReply)))
        }
    }

    /// A request for the protocol itself. There is one: `Bye`.
    private mutating func takeMeta(_ message: IncomingMessage) {
        guard message.properties.profile == Self.byeProfile else {
            respond(to: message.number, with: .failure(.notFound, "no such meta request"))
            return
        }
        hasPeerSaidBye = true
        respond(to: message.number, with: BLIPResponse())
    }

    private mutating func takeResponse(
        _ frame: ReceivedFrame, type: BLIPFrameType, now: MonotonicTime
    ) throws(BLIPViolation) {
        let number = frame.header.number
        let message = try inbox.message(for: frame, type: type, lastRequest: numbers.begun, now: now)
        let request = waiting[number]
        if request == nil { inbox.fail(message, .unwanted) }
        // The text of an error does not belong into a file.
        let progress = try inbox.take(
            frame, for: message, unpacking: unpacking.allowance, now: now, taken: taken
        ) { head in
            head.error == nil ? request?.sink : nil
        }
        unpacking.charge(message.unpacked, now: self.now)
        if let ack = progress.ack { acks.append(ack) }
        guard request != nil else { return }
        if let failure = message.failure?.linkError {
            if endWaiting(number, failure) { fail(number, failure) }
        } else if progress.isComplete {
            let head = message.head
            _ = endWaiting(number, head.error.map { .bodyFailed(reason: "error \($0.domain) \($0.code)") })
            guard number != byeNumber else { return }
            var response = BLIPResponse(
                properties: head.properties, body: .bytes(message.takeOutBody()), compressed: head.isCompressed)
            response.error = head.error
            events.append(.response(number: number, response))
        }
    }

    /// ACKs of unknown messages, and ACKs above what was sent or below what is already acknowledged, mean nothing.
    private mutating func takeAck(
        _ frame: ReceivedFrame, of sending: [UInt64: OutgoingMessage]
    ) throws(BLIPViolation) {
        var rest = frame.data
        guard let byteCount = Varint.decode(&rest) else { throw .badFrame("malformed ACK") }
        outbox.acknowledged(byteCount, of: frame.header.number, isOfResponse: frame.type == .ackOfResponse, now: now)
        guard let message = sending[frame.header.number], byteCount > message.acknowledgedBytes,
            byteCount <= message.sentBytes
        else { return }
        message.acknowledgedBytes = byteCount
        if message.isPaused, message.sentBytes - byteCount < limits.sendWindow {
            message.isPaused = false
            outbox.putBack(message)
        }
    }
}
