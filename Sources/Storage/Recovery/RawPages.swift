// The pages of a database file, newest committed version of each, read without SQLite: for files that it cannot open.

internal import ChatCore
internal import Glibc

/// Reads pages from the file and from its write-ahead log (https://www.sqlite.org/fileformat.html). Trusts nothing.
final class RawPages {
    let pageSize: Int
    /// Bytes of a page that b-trees use.
    let usableSize: Int
    /// Pages of the file and of the log together; page numbers begin with 1.
    let count: Int

    private let file: Int32
    private let log: Int32
    /// Where the newest committed version of a page is in the log.
    private let inLog: [Int: Int64]

    init(path: String) throws(StoreError) {
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: FileSystem.reason()) }
        log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        let header = FileSystem.read(file, at: 0, count: 100)
        let logHeader = log >= 0 ? FileSystem.read(log, at: 0, count: 32) : []
        pageSize = Self.pageSize(header: header, logHeader: logHeader)
        let reserved = header.count == 100 && header.starts(with: Self.magic) ? Int(header[20]) : 0
        usableSize = max(pageSize - reserved, 480)
        inLog = log >= 0 ? Self.committedFrames(of: log, header: logHeader, pageSize: pageSize) : [:]
        let size = FileSystem.size(path) ?? 0
        let inFile = Int(clamping: (size + Int64(pageSize) - 1) / Int64(pageSize))
        count = min(max(inFile, inLog.keys.max() ?? 0), Int(Int32.max))
    }

    deinit {
        close(file)
        if log >= 0 { close(log) }
    }

    /// All bytes of a page, zeros where the file is too short.
    func page(_ number: Int) -> [UInt8] {
        guard (1...max(count, 1)).contains(number) else { return [] }
        var bytes: [UInt8]
        if let offset = inLog[number] {
            bytes = FileSystem.read(log, at: offset, count: pageSize)
        } else {
            bytes = FileSystem.read(file, at: Int64(number - 1) * Int64(pageSize), count: pageSize)
        }
        if bytes.count < pageSize { bytes += [UInt8](repeating: 0, count: pageSize - bytes.count) }
        return bytes
    }

    private static let magic = Array("SQLite format 3\0".utf8)

    /// As the header says, else the log's header, else what this program makes.
    private static func pageSize(header: [UInt8], logHeader: [UInt8]) -> Int {
        func valid(_ size: Int) -> Bool { size >= 512 && size <= 65_536 && size & (size - 1) == 0 }
        if header.count == 100, header.starts(with: magic) {
            let size = Int(header[16]) << 8 | Int(header[17])
            if valid(size == 1 ? 65_536 : size) { return size == 1 ? 65_536 : size }
        }
        if logHeader.count == 32, let size = logHeader.uint32(at: 8), valid(Int(size)) { return Int(size) }
        return 4096
    }

    /// Frames whose salts and checksums hold, up to the last one that ends a transaction
    /// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
    private static func committedFrames(of log: Int32, header: [UInt8], pageSize: Int) -> [Int: Int64] {
        guard header.count == 32, let magic = header.uint32(at: 0), magic & 0xFFFF_FFFE == 0x377F_0682,
            header.uint32(at: 8) == UInt32(pageSize)
        else { return [:] }
        var sum = LogChecksum(isBigEndian: magic & 1 == 1)
        sum.add(header[..<24])
        guard sum.matches(header, at: 24) else { return [:] }
        var committed: [Int: Int64] = [:]
        var open: [Int: Int64] = [:]
        var offset: Int64 = 32
        while true {
            let frame = FileSystem.read(log, at: offset, count: 24 + pageSize)
            guard frame.count == 24 + pageSize, frame[8..<16] == header[16..<24],
                let number = frame.uint32(at: 0), let size = frame.uint32(at: 4)
            else { return committed }
            sum.add(frame[..<8])
            sum.add(frame[24...])
            guard sum.matches(frame, at: 16) else { return committed }
            open[Int(number)] = offset + 24
            if size > 0 {
                committed.merge(open) { _, newer in newer }
                open = [:]
            }
            offset += Int64(24 + pageSize)
        }
    }
}

/// The running checksum of a write-ahead log.
private struct LogChecksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while index + 8 <= bytes.endIndex {
            first = first &+ word(bytes, index) &+ second
            second = second &+ word(bytes, index + 4) &+ first
            index += 8
        }
    }

    func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.uint32(at: offset) == first && bytes.uint32(at: offset + 4) == second
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
        let word =
            UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16 | UInt32(bytes[index + 2]) << 8
            | UInt32(bytes[index + 3])
        return isBigEndian ? word : word.byteSwapped
    }
}

extension [UInt8] {
    /// Big-endian; `nil` beyond the end.
    func uint32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= count else { return nil }
        return self[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
