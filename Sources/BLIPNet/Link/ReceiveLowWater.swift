// When the kernel wakes us up for bytes that have arrived (SO_RCVLOWAT).

internal import Glibc

/// Between 1 and 100 Mbit/s each packet of a body woke us up, ten times for a record of TLS that cannot be read before it is
/// whole. So where bytes come fast enough, the kernel waits for the rest of the record. Nothing is delivered later for that.
struct ReceiveLowWater {
    /// Less than this is not worth a system call.
    static let leastMissing = 2 << 10
    /// Somebody who reads more at once is not woken up often.
    static let mostRead = 20 << 10
    /// The rest of a record has to come within this time, at the rate of the last bytes. Behind slower paths we want to see each
    /// byte: it is a sign of life.
    static let longestWait = Duration.milliseconds(50)

    /// So many bytes have to be there before the kernel wakes us up.
    private(set) var bytes = 1
    private var lastRead: MonotonicTime?

    /// `count` bytes have been read, and `missing` more belong to a record that has begun. Returns how many bytes the kernel is to
    /// wait for from now on, if that changes.
    mutating func update(read count: Int, missing: Int, now: MonotonicTime) -> Int? {
        let elapsed = lastRead.map { now - $0 }
        lastRead = now
        guard missing >= Self.leastMissing, missing <= TLSSession.largestRecord, count <= Self.mostRead, let elapsed,
            elapsed <= Self.longestWait, elapsed * missing <= Self.longestWait * count
        else { return open() }
        return set(missing)
    }

    /// Every byte counts from now on.
    mutating func open() -> Int? { set(1) }

    private mutating func set(_ wanted: Int) -> Int? {
        guard wanted != bytes else { return nil }
        bytes = wanted
        return wanted
    }
}

extension Socket {
    /// The socket counts as readable when so many bytes are there, or its end.
    func setReceiveLowWater(_ bytes: Int) { _ = setOption(SOL_SOCKET, SO_RCVLOWAT, Int32(clamping: bytes)) }
}
