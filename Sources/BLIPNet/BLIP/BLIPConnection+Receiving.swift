// The way in: one frame to its message, complete messages to events, ACKs to the messages that wait for them.

extension BLIPConnection {
    /// Takes one frame: the payload of one whole binary WebSocket message, in the order of arrival. A violation is
    /// the end: close the connection with its code and reason, then call `disconnect`. Each later call throws it again.
    public mutating func receive(frame: UnsafeRawBufferPointer, now: MonotonicTime) throws(BLIPViolation) {
        switch end {
        case .violated(let violation): throw violation
        case .disconnected: return
        case nil: break
        }
        do throws(BLIPViolation) {
            try take(reader.read(frame), now: now)
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
        let message = try inbox.message(for: frame, type: .request, lastRequest: lastBegunRequest, now: now)
        if queuedReplyBytes > limits.maxQueuedReplyBytes, !message.isListed {
            inbox.fail(message, .refused("too many replies are waiting to be read"))
        }
        let progress = try inbox.take(frame, for: message, now: now, makeSink: makeSink)
        if let ack = progress.ack { acks.append(ack) }
        guard progress.isComplete else { return }
        if !message.isNoReply {
            guard unanswered.count + unsentReplies < limits.maxUnanswered else {
                throw .limit("more than \(limits.maxUnanswered) requests without a reply")
            }
            unanswered[message.number] = message.isUrgent
        }
        if let failure = message.failure {
            // Does nothing for a no-reply request.
            respond(to: message.number, with: failure.response)
            return
        }
        events.append(
            .request(
                BLIPIncomingRequest(
                    number: message.number, properties: message.properties, body: message.takeOutBody(),
                    sink: message.sink, isUrgent: message.isUrgent, isNoReply: message.isNoReply)))
    }

    private mutating func takeResponse(
        _ frame: ReceivedFrame, type: BLIPFrameType, now: MonotonicTime
    ) throws(BLIPViolation) {
        let number = frame.header.number
        let message = try inbox.message(for: frame, type: type, lastRequest: lastBegunRequest, now: now)
        let request = waiting[number]
        if request == nil { inbox.fail(message, .unwanted) }
        // The text of an error does not belong into a file.
        let progress = try inbox.take(frame, for: message, now: now) { $0.error == nil ? request?.sink : nil }
        if let ack = progress.ack { acks.append(ack) }
        guard request != nil else { return }
        if let failure = message.failure {
            waiting[number] = nil
            events.append(.requestFailed(number: number, failure.linkError))
        } else if progress.isComplete {
            waiting[number] = nil
            let head = message.head
            var response = BLIPResponse(
                properties: head.properties, body: .bytes(message.takeOutBody()), compressed: head.isCompressed)
            response.error = head.error
            events.append(.response(number: number, response))
        }
    }

    /// ACKs of unknown messages, beyond what was sent or behind what is acknowledged already mean nothing.
    private mutating func takeAck(
        _ frame: ReceivedFrame, of sending: [UInt64: OutgoingMessage]
    ) throws(BLIPViolation) {
        var rest = frame.data
        guard let byteCount = Varint.decode(&rest) else { throw .badFrame("malformed ACK") }
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
