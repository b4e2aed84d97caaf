// How long a thread has waited for a processor, as the kernel counts it.

import Glibc

/// The calling thread's time in the queues of the scheduler: the second number of /proc/thread-self/schedstat (proc(5),
/// Linux Documentation/scheduler/sched-stats.rst). Where there is no such file nothing ever grows.
struct RunDelay: ~Copyable {
    private let file: Int32
    private var last: UInt64 = 0

    /// Of the calling thread, whoever asks later.
    init() {
        file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        last = total() ?? 0
    }

    deinit { if file >= 0 { close(file) } }

    /// What has come to it since the last call.
    mutating func grown() -> Duration {
        guard let total = total() else { return .zero }
        defer { last = total }
        return .nanoseconds(Int64(clamping: total &- min(last, total)))
    }

    private func total() -> UInt64? {
        guard file >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 80)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let numbers = bytes[..<count].split(separator: UInt8(ascii: " "))
        return numbers.count > 1 ? UInt64(String(decoding: numbers[1], as: UTF8.self)) : nil
    }
}
