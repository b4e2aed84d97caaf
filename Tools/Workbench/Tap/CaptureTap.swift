// The links in a recorded capture: packets in, lines out. Pure, without I/O.

package import BLIPNet

/// Follows the TCP connections of a capture and decodes each as a link.
///
/// Follows 1,024 connections at a time, which hold 128 MiB together (`BLIPTap`, `TCPReassembly`: what is not complete);
/// where there are more, the one that was silent for the longest time is left.
package struct CaptureTap {
    /// A connection, whichever way a packet goes.
    private struct Pair: Hashable {
        var low: TCPPlace
        var high: TCPPlace

        init(_ segment: TCPSegment) {
            low = min(segment.source, segment.destination)
            high = max(segment.source, segment.destination)
        }
    }

    private struct Connection {
        let number: Int
        let caller: TCPPlace
        /// Of the segment that it began with.
        let firstSequence: UInt32
        var tap: BLIPTap
        var up = TCPReassembly()
        var down = TCPReassembly()
        /// Which packet was the last one.
        var lastPacket = 0
        /// As it was counted.
        var heldBytes = 0
    }

    static let maxConnections = 1_024
    static let maxHeldBytes = 128 << 20

    private let dialect: BLIPDialect?
    private let port: UInt16?
    private var connections: [Pair: Connection] = [:]
    private var numbers = 0
    private var heldBytes = 0
    private var packets = 0
    /// When the first packet was recorded, and the last one.
    private var start: Int64?
    private var now: Int64 = 0
    /// Link types that are not known, once told of.
    private var unknownLinks: Set<UInt16> = []
    private var hasFragments = false

    /// `dialect` as in `BLIPTap`; `port`: it reads only connections of this port.
    package init(dialect: BLIPDialect?, port: UInt16? = nil) {
        self.dialect = dialect
        self.port = port
    }

    /// A packet has come.
    package var hasPackets: Bool { packets > 0 }

    /// Takes the next packet.
    package mutating func take(_ packet: CapturedPacket) -> [TapLine] {
        packets += 1
        let start = start ?? packet.time
        self.start = start
        now = packet.time.subtractingReportingOverflow(start).partialValue
        switch PacketContent(packet) {
        case .unrelated: return []
        case .fragment:
            guard !hasFragments else { return [] }
            hasFragments = true
            return [note("fragments of IP packets are left out: they are gaps")]
        case .unknownLink(let type):
            guard unknownLinks.insert(type).inserted else { return [] }
            return [note("packets of link type \(type) are left out")]
        case .segment(let segment):
            guard port == nil || segment.source.port == port || segment.destination.port == port else { return [] }
            return take(segment)
        }
    }

    /// The capture has ended.
    package mutating func finish() -> [TapLine] {
        var lines: [TapLine] = []
        for var connection in connections.values.sorted(by: { $0.number < $1.number }) {
            finish(&connection, &lines)
        }
        connections = [:]
        heldBytes = 0
        if numbers == 0 { lines.append(note("there is no TCP connection in it")) }
        return lines
    }

    /// A line about the capture as a whole.
    package func note(_ text: String) -> TapLine { TapLine(time: now, connection: nil, .note(text)) }

    // MARK: Segments

    private mutating func take(_ segment: TCPSegment) -> [TapLine] {
        var lines: [TapLine] = []
        let pair = Pair(segment)
        if segment.begins, segment.acknowledgement == nil, let known = connections[pair],
            known.caller != segment.source || known.firstSequence != segment.sequence
        {
            end(pair, "its ports were used again", &lines)
        }
        var known = connections.removeValue(forKey: pair)
        if known == nil { known = begin(segment, &lines) }
        guard var connection = known else { return lines }
        connection.lastPacket = packets
        take(segment, &connection, &lines)
        let isOver = segment.resets || connection.up.isComplete && connection.down.isComplete
        if isOver {
            finish(&connection, &lines)
            lines.append(line(connection, .ended(segment.resets ? "reset" : "closed")))
            heldBytes -= connection.heldBytes
            return lines
        }
        let held = connection.tap.heldBytes + connection.up.waitingBytes + connection.down.waitingBytes
        heldBytes += held - connection.heldBytes
        connection.heldBytes = held
        while heldBytes > Self.maxHeldBytes, !connections.isEmpty { leaveOne(&lines) }
        connections[pair] = connection
        return lines
    }

    private mutating func take(_ segment: TCPSegment, _ connection: inout Connection, _ lines: inout [TapLine]) {
        let isUp = segment.source == connection.caller
        if let number = segment.acknowledgement {
            let before = isUp ? connection.down.acknowledged(number) : connection.up.acknowledged(number)
            feed(before, isUp ? .down : .up, &connection, &lines)
        }
        // SYN and FIN have a number each, as if they were bytes.
        let sequence = segment.begins ? segment.sequence &+ 1 : segment.sequence
        let end = sequence &+ UInt32(truncatingIfNeeded: segment.payload.count + segment.missing)
        let output: [TCPReassembly.Output]
        if isUp {
            if segment.begins { connection.up.begin(at: sequence) }
            output = connection.up.take(sequence, segment.payload, missing: segment.missing)
            if segment.ends { connection.up.finish(at: end) }
        } else {
            if segment.begins { connection.down.begin(at: sequence) }
            output = connection.down.take(sequence, segment.payload, missing: segment.missing)
            if segment.ends { connection.down.finish(at: end) }
        }
        feed(output, isUp ? .up : .down, &connection, &lines)
    }

    private func feed(
        _ output: [TCPReassembly.Output], _ direction: BLIPTap.Direction, _ connection: inout Connection,
        _ lines: inout [TapLine]
    ) {
        for part in output {
            let events =
                switch part {
                case .bytes(let bytes): connection.tap.receive(bytes, direction)
                case .gap(let byteCount): connection.tap.lose(byteCount, direction)
                }
            for event in events { lines.append(line(connection, .seen(event))) }
        }
    }

    /// Gives what still waits.
    private func finish(_ connection: inout Connection, _ lines: inout [TapLine]) {
        feed(connection.up.finish(), .up, &connection, &lines)
        feed(connection.down.finish(), .down, &connection, &lines)
    }

    private func line(_ connection: Connection, _ content: TapLine.Content) -> TapLine {
        TapLine(time: now, connection: connection.number, content)
    }

    // MARK: Connections

    /// The connection that a segment belongs to, if that is worth following: one that began earlier needs a byte.
    private mutating func begin(_ segment: TCPSegment, _ lines: inout [TapLine]) -> Connection? {
        guard segment.begins || !segment.payload.isEmpty else { return nil }
        while connections.count >= Self.maxConnections { leaveOne(&lines) }
        numbers += 1
        let isCaller = segment.begins ? segment.acknowledgement == nil : Self.looksLikeCaller(segment)
        let caller = isCaller ? segment.source : segment.destination
        let target = isCaller ? segment.destination : segment.source
        let connection = Connection(
            number: numbers, caller: caller, firstSequence: segment.sequence,
            tap: BLIPTap(dialect: dialect, beginsLate: !segment.begins))
        let places = (from: caller.description, to: target.description)
        lines.append(line(connection, .begun(from: places.from, to: places.to, isLate: !segment.begins)))
        return connection
    }

    /// Whether the sender is the caller, where nobody saw the call: by the bytes, or by the larger port, which callers
    /// have.
    private static func looksLikeCaller(_ segment: TCPSegment) -> Bool {
        let bytes = segment.payload
        if bytes.starts(with: "HTTP/".utf8) { return false }
        if bytes.starts(with: "GET ".utf8) { return true }
        // A WebSocket frame says by its mask who has sent it (RFC 6455 section 5.1).
        let frames: [UInt8] = [0x81, 0x82, 0x88, 0x89, 0x8A]
        if let first = bytes.first, frames.contains(first), let second = bytes.dropFirst().first {
            return second & 0x80 != 0
        }
        return segment.source.port > segment.destination.port
    }

    private mutating func leaveOne(_ lines: inout [TapLine]) {
        guard let pair = connections.min(by: { $0.value.lastPacket < $1.value.lastPacket })?.key else { return }
        end(pair, "there are too many connections: this one is not followed any further", &lines)
    }

    private mutating func end(_ pair: Pair, _ reason: String, _ lines: inout [TapLine]) {
        guard var connection = connections.removeValue(forKey: pair) else { return }
        finish(&connection, &lines)
        heldBytes -= connection.heldBytes
        lines.append(line(connection, .ended(reason)))
    }
}
