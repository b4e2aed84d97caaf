// Which disk a path is on, without asking that disk: it may be a server that has gone away.

import Glibc
import Synchronization

/// The mount points of this process, as the kernel lists them (proc(5), mountinfo).
struct MountTable: Sendable, Equatable {
    /// Longest first.
    private let points: [String]

    init(mountinfo text: String) {
        points = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 5)
            return fields.count > 4 ? Self.unescaped(fields[4]) : nil
        }
        .sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The mount point of an absolute path, by its words alone: a link on the way is not seen. "/" when it is not known.
    func point(of path: String) -> String {
        points.first { point in
            let point = point == "/" ? "" : point
            guard path.utf8.starts(with: point.utf8) else { return false }
            let rest = path.utf8.dropFirst(point.utf8.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/")
        } ?? "/"
    }

    /// Blanks and the like are written as `\040`.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = field.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(String(Substring(digits)), radix: 8) {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MountTable {
    private static let lately = Mutex<(table: MountTable, read: ContinuousClock.Instant)?>(nil)
    /// A folder of thousands of files asks about each of them.
    private static let validity = Duration.seconds(1)

    /// As it is now, or was a moment ago.
    static func current() -> MountTable {
        lately.withLock { lately in
            if let lately, ContinuousClock.now - lately.read < validity { return lately.table }
            let table = MountTable(mountinfo: read())
            lately = (table, .now)
            return table
        }
    }

    /// The kernel answers from its memory.
    private static func read() -> String {
        let file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 4 << 20 {
            let count = Glibc.read(file, &part, part.count)
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
