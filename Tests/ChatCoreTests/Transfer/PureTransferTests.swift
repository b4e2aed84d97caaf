// The pure parts of transfers: ranges, names, rates, digests of prefixes.

import BLIPNet
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ChatCore

private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

@Suite("Which ranges to ask for") struct RangePlannerTests {
    @Test("the ranges cover the file once and in order", arguments: [0, 1, 262_144, 262_145, 50_000_001] as [UInt64])
    func coverage(size: UInt64) {
        var planner = RangePlanner(size: size, done: 0)
        var covered: UInt64 = 0
        var open: [FileRange] = []
        while !planner.isComplete {
            while let range = planner.nextRange() {
                #expect(range.offset == covered && range.length > 0)
                covered = range.end
                open.append(range)
            }
            #expect(open.count <= RangePlanner.mostInFlight)
            planner.finished(open.removeLast(), after: .milliseconds(100))
        }
        #expect(covered == size)
    }

    @Test(
        "also when only beginnings of ranges come: what is missing is asked for first",
        arguments: 1...20 as ClosedRange<UInt64>)
    func beginnings(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let size: UInt64 = 9_000_001
        var planner = RangePlanner(size: size, done: 17)
        var arrived: [FileRange] = []
        var open: [FileRange] = []
        while !planner.isComplete {
            let limit = Bool.random(using: &generator) ? UInt64.random(in: 0...4_000_000, using: &generator) : nil
            while let range = planner.nextRange(within: limit) {
                #expect(range.length > 0 && range.length <= RangePlanner.piece(within: limit ?? .max))
                #expect(!open.contains { $0.offset < range.end && range.offset < $0.end })
                open.append(range)
            }
            #expect(open.count <= RangePlanner.mostInFlight)
            let range = open.remove(at: Int.random(in: open.indices, using: &generator))
            let count = UInt64.random(in: 1...range.length, using: &generator)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                planner.takeBack(range)
            } else if Bool.random(using: &generator) || count == range.length {
                planner.finished(range, after: .milliseconds(100))
                arrived.append(range)
            } else {
                planner.finished(range, upTo: count)
                arrived.append(FileRange(offset: range.offset, length: count))
            }
            let missing = contiguousEnd(of: arrived, from: 17)
            #expect(planner.contiguous { _ in 0 } == missing, "everything before has arrived, nothing behind it")
        }
        #expect(contiguousEnd(of: arrived, from: 17) == size)
        #expect(arrived.reduce(17) { $0 + $1.length } == size, "nothing came twice")
    }

    @Test("when the limit of the sender has gone the ranges grow again, however long they wait in its line")
    func growsAgain() throws {
        var planner = RangePlanner(size: 1 << 30, done: 0)
        let first = planner.nextRange()
        planner.finished(try #require(first), upTo: 10_000)
        #expect(planner.rangeLength == 10_000)
        var rounds = 0
        while planner.rangeLength < RangePlanner.first, rounds < 20 {
            rounds += 1
            let next = planner.nextRange()
            let range = try #require(next)
            #expect(range.length <= 2 * 10_000 << (rounds - 1))
            planner.finished(range, after: .seconds(1))
        }
        #expect(rounds < 8)
    }

    @Test("under a limit of the sender the file grows from its beginning: what is missing goes in pieces of that size")
    func fromTheBeginning() throws {
        var planner = RangePlanner(size: 1 << 30, done: 0)
        var open: [FileRange] = []
        for _ in 0..<20 {
            while let range = planner.nextRange() { open.append(range) }
            planner.finished(open.removeFirst(), after: .milliseconds(10))
        }
        while let range = planner.nextRange() { open.append(range) }
        let largest = open.reduce(0) { max($0, $1.length) }
        #expect(largest == RangePlanner.largest)
        // Now the limit comes: each gets its beginning, whatever is asked for.
        for _ in 0..<200 {
            planner.finished(open.removeFirst(), upTo: 10_000)
            while let range = planner.nextRange() { open.append(range) }
        }
        let begin = planner.contiguous { _ in 0 }
        for _ in 0..<100 {
            planner.finished(open.removeFirst(), after: .milliseconds(750))
            while let range = planner.nextRange() { open.append(range) }
        }
        let now = planner.contiguous { _ in 0 }
        #expect(now - begin >= 90 * 10_000, "nearly all of it is counted")
    }

    @Test("of what an earlier run has brought nothing is asked for, the gaps come first")
    func gaps() throws {
        let missing = [
            FileRange(offset: 100, length: 50), FileRange(offset: 300_000, length: 600_000),
            FileRange(offset: 2_000_000, length: 8_000_000),
        ]
        var planner = RangePlanner(size: 10_000_000, missing: missing)
        #expect(planner.contiguous { _ in 0 } == 100)
        var asked: [FileRange] = []
        while !planner.isComplete {
            let next = planner.nextRange()
            asked.append(try #require(next))
            planner.finished(asked[asked.count - 1], after: .milliseconds(10))
        }
        #expect(asked.first == missing[0])
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.end <= $1.offset })
        for gap in missing {
            #expect(
                contiguousEnd(of: asked.filter { $0.offset >= gap.offset && $0.end <= gap.end }, from: gap.offset)
                    == gap.end)
        }
        #expect(asked.reduce(0) { $0 + $1.length } == 8_600_050)
        var closed = RangePlanner(size: 1000, missing: [FileRange(offset: 10, length: 5)])
        #expect(closed.nextRange() == FileRange(offset: 10, length: 5))
        #expect(closed.nextRange() == nil && !closed.isComplete)
        #expect(RangePlanner(size: 1000, missing: []).isComplete)
    }

    private func contiguousEnd(of ranges: [FileRange], from begin: UInt64) -> UInt64 {
        ranges.sorted { $0.offset < $1.offset }.reduce(begin) { $1.offset == $0 ? $1.end : $0 }
    }

    @Test("fast ranges grow, slow ones shrink, within bounds")
    func adaption() {
        var planner = RangePlanner(size: 1 << 40, done: 0)
        for _ in 0..<20 {
            guard let range = planner.nextRange() else { break }
            planner.finished(range, after: .milliseconds(10))
        }
        #expect(planner.rangeLength == RangePlanner.largest)
        #expect(planner.allowedInFlight == RangePlanner.mostInFlight)
        for _ in 0..<20 {
            guard let range = planner.nextRange() else { break }
            planner.finished(range, after: .seconds(30))
        }
        #expect(planner.rangeLength == RangePlanner.smallest)
        #expect(planner.allowedInFlight == 2)
    }

    @Test(
        "a path with any round trip is kept full: nine tenths of what one TCP connection with slow start brings",
        arguments: [
            PathModel(roundTrip: 0.02), PathModel(roundTrip: 0.15), PathModel(roundTrip: 0.3),
            PathModel(roundTrip: 0.6),
            PathModel(roundTrip: 0.8), PathModel(rate: 125_000, roundTrip: 0.05, size: 2_500_000),
            PathModel(rate: 8_000, roundTrip: 0.2, size: 200_000), PathModel(rate: 12.5e6, roundTrip: 0.15),
        ])
    func pathModel(path: PathModel) {
        let (bare, pulled) = (path.bareTime(), path.pulledTime())
        #expect(bare / pulled >= 0.9, "\(bare) s and \(pulled) s")
    }

    @Test("what is contiguous ends in the first open range")
    func contiguous() throws {
        var planner = RangePlanner(size: 1 << 20, done: 1000)
        let ranges = [planner.nextRange(), planner.nextRange()]
        let first = try #require(ranges[0])
        let second = try #require(ranges[1])
        #expect(first.offset == 1000)
        #expect(planner.contiguous { _ in 7 } == 1007)
        planner.finished(second, after: .seconds(1))
        #expect(planner.contiguous { _ in 9 } == 1009)
        planner.finished(first, after: .seconds(1))
        #expect(planner.contiguous { _ in 9 } == second.end)
    }
}

@Suite("Ranges over lanes") struct LaneRangeTests {
    @Test("what the link has in flight takes no lane's place, and the end is cut into small ranges")
    func places() throws {
        var planner = RangePlanner(size: 8 << 20, done: 0)
        var onLink: [FileRange] = []
        while let range = planner.nextRange() { onLink.append(range) }
        var overLanes: [FileRange] = []
        while let range = planner.nextRange(over: 1, onLink: onLink.count) { overLanes.append(range) }
        #expect(overLanes.count == RangePlanner.inFlightOnLane)
        // The rest of the first one, half of which is here, is shared by all lanes.
        while let range = planner.nextRange(over: 100) { overLanes.append(range) }
        while !planner.isHandedOut {
            planner.finished(overLanes.removeFirst(), after: .seconds(1))
            while let range = planner.nextRange(over: 100) { overLanes.append(range) }
        }
        planner.takeBack(onLink[0], after: onLink[0].length / 2)
        #expect(!planner.isHandedOut)
        for range in overLanes { planner.finished(range, after: .seconds(1)) }
        let next = planner.nextRange(over: 1)
        let rest = try #require(next)
        #expect(rest.offset == onLink[0].length / 2 && rest.length == onLink[0].length / 4)
    }
}

@Suite("What a range takes") struct RangeSinkTests {
    @Test("a sender who sends more than was asked for writes nothing beyond it")
    func overrun() throws {
        let cage = try Cage()
        let folder = try DownloadFolder(path: cage.downloads)
        let file = try folder.createPartial(".p")
        let sink = RangeSink(file: file, range: FileRange(offset: 4, length: 10))
        func write(_ count: Int) throws { try Array(repeating: UInt8(7), count: count).withUnsafeBytes(sink.write) }
        try write(6)
        #expect(throws: RangeOverrun()) { try write(5) }
        try write(4)
        #expect(throws: RangeOverrun()) { try write(1) }
        #expect(sink.written == 10)
        #expect(try file.facts().size == 14)
    }

    @Test("what comes after it was stopped is not written")
    func stopped() throws {
        let cage = try Cage()
        let file = try DownloadFolder(path: cage.downloads).createPartial(".p")
        let sink = RangeSink(file: file, range: FileRange(offset: 0, length: 10))
        func write(_ count: Int) throws { try Array(repeating: UInt8(7), count: count).withUnsafeBytes(sink.write) }
        try write(6)
        #expect(sink.stop() == 6)
        #expect(throws: RangeStopped()) { try write(4) }
        #expect(sink.written == 6 && sink.failure == nil)
        #expect(try file.facts().size == 6)
    }

    @Test("what would take the room that must stay free is not written, and the reason says so")
    func nearlyFull() throws {
        let cage = try Cage()
        let folder = try DownloadFolder(path: cage.downloads)
        let file = try folder.createPartial(".p")
        // A twentieth of 200 bytes must stay free, and so 20 may be written.
        let answer = try DiskRoom().begin(20, limits: ChatLimits(), folder: "/in") { (30, 200) }
        guard case .yes(let share) = answer else { return #expect(Bool(false), "it has room") }
        let sink = RangeSink(file: file, range: FileRange(offset: 0, length: 100), share: share)
        func write(_ count: Int) throws { try Array(repeating: UInt8(7), count: count).withUnsafeBytes(sink.write) }
        try write(20)
        #expect(throws: FileError.self) { try write(21) }
        #expect(sink.written == 20)
        #expect(try file.facts().size == 20)
        let failure = try #require(sink.failure)
        #expect(TransferReason.local(failure) == .diskNearlyFull(free: 30, folder: "/in"))
    }
}

@Suite("Names of received files") struct FileNameSanitizerTests {
    @Test(
        "hostile names become harmless ones",
        arguments: [
            ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
            ("/abs/olute", "olute"), ("..", "file"), (".", "file"), ("", "file"), ("   ", "file"), ("/", "file"),
            (".bashrc", "bashrc"), ("-rf", "rf"), ("~root", "root"), ("a\u{0}b", "ab"), ("a\nb", "a b"),
            ("evil\u{1B}[31m.txt", "evil[31m.txt"), ("photo\u{202E}gpj.exe", "photogpj.exe"), ("a\u{200B}b", "ab"),
            ("name. . ", "name"), ("NUL", "_NUL"), ("com1.txt", "_com1.txt"), ("aux .txt", "_aux .txt"),
            ("COM\u{B9}", "_COM\u{B9}"),
            ("conin$.log", "_conin$.log"), ("com10", "com10"), ("\u{3164}.txt", "file.txt"), (".txt", "txt"),
            ("what?*<>|\":.txt", "what.txt"),
            ("..\u{2f}\u{301}etc", "\u{301}etc"), ("Zoë 日本.txt", "Zoë 日本.txt"),
        ])
    func hostile(raw: String, expected: String) {
        #expect(FileNameSanitizer.sanitized(raw).utf8.elementsEqual(expected.utf8))
    }

    @Test("long names are cut at a scalar and keep their ending")
    func long() {
        let name = FileNameSanitizer.sanitized(String(repeating: "日", count: 200) + ".tar.gz")
        #expect(name.utf8.count <= FileNameSanitizer.maximumBytes)
        #expect(name.utf8.suffix(3).elementsEqual(".gz".utf8))
        let id = MessageID(at: Timestamp(milliseconds: 0))
        #expect(FileNameSanitizer.mapName(name, id).utf8.count <= 255)
        let endless = FileNameSanitizer.sanitized("a." + String(repeating: "b", count: 1000))
        #expect(endless.utf8.count <= FileNameSanitizer.maximumBytes)
    }

    @Test("one Character of many scalars is cut too")
    func flood() {
        let name = FileNameSanitizer.sanitized("a" + String(repeating: "\u{301}", count: 100_000))
        #expect(name.utf8.count <= FileNameSanitizer.maximumBytes)
    }

    @Test("numbers stand before the ending")
    func numbered() {
        #expect(FileNameSanitizer.numbered("x.txt", 1) == "x.txt")
        #expect(FileNameSanitizer.numbered("x.txt", 2) == "x (2).txt")
        #expect(FileNameSanitizer.numbered("README", 12) == "README (12)")
    }
}

@Suite("How fast a transfer is") struct TransferRateTests {
    @Test("the average covers ten seconds and notices a standstill")
    func average() {
        var rate = TransferRate()
        for second in 0...20 { rate.note(UInt64(second) * (second > 10 ? 2000 : 1000), at: at(Double(second))) }
        #expect(rate.stalled(at: at(20.5)) == .zero)
        rate.note(40_000, at: at(25))
        #expect(rate.stalled(at: at(25)) == .seconds(5))
        var steady = TransferRate()
        for second in 0...30 { steady.note(UInt64(second) * 500, at: at(Double(second))) }
        #expect(abs(steady.bytesPerSecond - 500) < 1)
    }

    @Test("what a limit holds back is no standstill, unless it takes long")
    func limited() throws {
        func progress(afterPause seconds: Double, limit: UInt64?) -> ChatCore.TransferProgress? {
            var meter = ProgressMeter(id: MessageID(at: Timestamp(milliseconds: 0)))
            meter.begin(at: 0, at(0))
            _ = meter.note(1_000_000, at: at(1), limit: limit)
            return meter.note(1_000_000, at: at(1 + seconds), limit: limit).progress
        }
        #expect(progress(afterPause: 4, limit: nil)?.stalled == .seconds(4))
        #expect(progress(afterPause: 4, limit: 500_000)?.stalled == .zero)
        #expect(try #require(progress(afterPause: 4, limit: 500_000)?.rate) > 0)
        #expect(progress(afterPause: 4, limit: 5_000_000)?.stalled == .seconds(4), "8 MiB had time to go")
        let long = try #require(progress(afterPause: 6, limit: 500_000))
        #expect(long.stalled == .seconds(6) && long.rate == 0, "a rate that is none")
    }

    @Test(
        "what comes in bursts, as under a limit of the other side, has its rate between them, and an end",
        arguments: [4, 13])
    func bursts(seconds: Int) throws {
        var meter = ProgressMeter(id: MessageID(at: Timestamp(milliseconds: 0)))
        meter.begin(at: 0, at(0))
        var told: [ChatCore.TransferProgress] = []
        for step in 1...(seconds * 4 * 9) {
            let time = Double(step) / 4
            // The last of eight bursts, and nothing behind it.
            let bursts = min(8, UInt64(time) / UInt64(seconds))
            let progress = meter.note(bursts * 260_000, at: at(time)).progress
            if let progress, time > Double(seconds * 2), time <= Double(seconds * 9) { told.append(progress) }
        }
        let expected = 260_000 / Double(seconds)
        #expect(told.count > 20 && told.allSatisfy { $0.stalled == .zero })
        for progress in told { #expect((expected * 0.5...expected * 1.5).contains(progress.rate), "\(progress)") }
        let end = try #require(meter.note(8 * 260_000, at: at(Double(seconds * 8) + 27)).progress)
        #expect(end.stalled == .seconds(27) && end.rate == 0)
    }

    @Test("what was there before is no progress, and a moment no measure")
    func resumed() throws {
        var meter = ProgressMeter(id: MessageID(at: Timestamp(milliseconds: 0)))
        meter.begin(at: 1_000_000_000, at(0))
        let first = try #require(meter.note(1_000_100_000, at: at(1)).progress)
        #expect(abs(first.rate - 100_000) < 1)
        // The last report follows the one before it at once.
        var rate = TransferRate()
        rate.note(1_000_000_000, at: at(0))
        #expect(rate.bytesPerSecond == 0)
        rate.note(1_000_100_000, at: at(0.001))
        #expect(rate.bytesPerSecond <= 400_000)
        // The prefix was damaged: a part comes anew.
        rate.note(500_000, at: at(1))
        rate.note(600_000, at: at(2))
        #expect(abs(rate.bytesPerSecond - 100_000) < 1)
        let served = ServedRanges()
        #expect(served.begin == nil)
        let number = try #require(served.open(FileRange(offset: 700, length: 10), limit: 4))
        served.advance(number, read: 10)
        served.close(number)
        #expect(served.begin == 700 && served.contiguous == 710)
    }

    @Test("a sender that gives beginnings of ranges counts what is missing between them as missing")
    func beginnings() throws {
        let served = ServedRanges()
        func serve(_ offset: UInt64, _ length: UInt64, upTo count: UInt64) throws {
            let number = try #require(served.open(FileRange(offset: offset, length: length), limit: 4))
            served.shorten(number, to: count)
            served.advance(number, read: count)
            served.close(number)
        }
        try serve(0, 100, upTo: 10)
        try serve(100, 100, upTo: 30)
        #expect(served.contiguous == 10)
        try serve(10, 40, upTo: 40)
        #expect(served.contiguous == 50, "asked for in other pieces than they went")
        try serve(50, 50, upTo: 50)
        #expect(served.contiguous == 130)
        try serve(120, 100, upTo: 100)
        #expect(served.contiguous == 220)
        // Two parts of a rest, the later one first.
        try serve(220, 100, upTo: 20)
        try serve(280, 40, upTo: 40)
        #expect(served.contiguous == 240)
        try serve(240, 40, upTo: 40)
        #expect(served.contiguous == 320)
        // What was never asked for is missing, too, whatever comes behind it.
        try serve(400, 10, upTo: 10)
        #expect(served.contiguous == 320)
        try serve(320, 80, upTo: 80)
        #expect(served.contiguous == 410)
        // The receiver begins anew before what it has got.
        try serve(300, 10, upTo: 10)
        #expect(served.contiguous == 310 && served.begin == 0)
        try serve(310, 690, upTo: 690)
        // Who wants only beginnings makes us remember no end of rests.
        for number in 0..<1000 as Range<UInt64> { try serve(1000 + 10 * number, 10, upTo: 1) }
        #expect(served.contiguous == 1001)
    }

    @Test("what a lane has lost is given again, and what others have brought still counts")
    func lostLane() throws {
        let served = ServedRanges()
        func serve(_ offset: UInt64, _ length: UInt64, overLane: Bool = true) throws {
            let range = FileRange(offset: offset, length: length)
            let number = try #require(served.open(range, overLane: overLane, limit: 4))
            served.advance(number, read: length)
            served.close(number)
        }
        try serve(100, 100, overLane: false)
        for offset in [200, 300, 500] as [UInt64] { try serve(offset, 100) }
        #expect(served.contiguous == 400)
        try serve(250, 50)
        #expect(served.contiguous == 400)
        try serve(350, 150, overLane: false)
        #expect(served.contiguous == 600)
        // The receiver begins anew.
        try serve(100, 50, overLane: false)
        #expect(served.contiguous == 150)
    }

    @Test("what the receiver has from earlier behind a gap counts, as far as a receiver can have it")
    func presentEarlier() throws {
        let served = ServedRanges()
        func serve(_ offset: UInt64, _ length: UInt64, present: UInt64 = 0) throws {
            let number = try #require(
                served.open(FileRange(offset: offset, length: length), present: present, limit: 4))
            served.advance(number, read: length)
            served.close(number)
        }
        try serve(1000, 100, present: 500)
        #expect(served.begin == 1000 && served.contiguous == 1100, "what was before the first range is no progress")
        try serve(1400, 100, present: 300)
        #expect(served.contiguous == 1500)
        try serve(1500, 10, present: 1501)
        #expect(served.contiguous == 1510)
        try serve(1510 + ServedRanges.mostPresent, 10, present: ServedRanges.mostPresent)
        #expect(served.contiguous == 1510, "more than that is not read for the digest")
    }

    @Test("progress is shown four times a second and stored twice")
    func thinning() {
        var meter = ProgressMeter(id: MessageID(at: Timestamp(milliseconds: 0)))
        var shown = 0
        var stored = 0
        for step in 0..<1000 {
            let result = meter.note(UInt64(step), at: at(Double(step) / 100))
            if result.progress != nil { shown += 1 }
            if result.isWorthStoring { stored += 1 }
        }
        #expect((35...42).contains(shown))
        #expect((15...21).contains(stored))
    }
}

@Suite("Digests of prefixes") struct PrefixDigestTests {
    @Test("any prefix, in any order, is the digest of those bytes")
    func prefixes() async throws {
        let bytes = pseudoRandom(1_000_000, seed: 5)
        let path = "/tmp/blipchat-prefix-\(UInt64.random(in: 0 ... .max))"
        try writeFile(path, bytes)
        defer { removeFolder(path) }
        let digest = PrefixDigest(file: try OpenFile.forReading(path))
        for length in [0, 10, 600_000, 300_000, 1_000_000] {
            #expect(try await digest.hex(of: UInt64(length)) == SHA256Digest.hash(Array(bytes[..<length])).hex)
        }
        #expect(try await digest.hex(of: 1_000_001) == nil)
    }

    /// A file of zeros that takes no room, and how many of its bytes were asked for.
    private func withZeros(
        _ size: Int, _ body: (PrefixDigest, @escaping PrefixDigest.Permission, ByteCount) async throws -> Void
    ) async throws {
        let path = "/tmp/blipchat-prefix-\(UInt64.random(in: 0 ... .max))"
        try writeFile(path, [])
        defer { removeFolder(path) }
        #expect(truncate(path, off_t(size)) == 0)
        let count = ByteCount()
        try await body(PrefixDigest(file: try OpenFile.forReading(path)), { count.add($0) }, count)
    }

    private final class ByteCount: Sendable {
        private let bytes = Mutex<UInt64>(0)
        let most: UInt64

        init(most: UInt64 = .max) { self.most = most }

        func add(_ more: UInt64) -> Bool {
            bytes.withLock { bytes in
                bytes += more
                return bytes <= most
            }
        }

        func take() -> UInt64 {
            bytes.withLock { bytes in
                defer { bytes = 0 }
                return bytes
            }
        }
    }

    @Test("of a prefix that was passed only what is behind the last 64 MiB is read again")
    func marks() async throws {
        let (mark, size) = (64 << 20, 200 << 20)
        try await withZeros(size) { digest, permission, count in
            let whole = try await digest.hex(of: UInt64(size), permission: permission)
            #expect(count.take() == UInt64(size))
            #expect(try await digest.hex(of: UInt64(size), permission: permission) == whole && count.take() == 0)
            let prefix = try await digest.hex(of: UInt64(2 * mark + 1000), permission: permission)
            #expect(count.take() == 1000)
            #expect(prefix == SHA256Digest.hash([UInt8](repeating: 0, count: 2 * mark + 1000)).hex)
            _ = try await digest.hex(of: UInt64(mark), permission: permission)
            #expect(count.take() == 0)
        }
    }

    @Test("who is not permitted to read on stops, and what was read counts for the next one")
    func refused() async throws {
        try await withZeros(40 << 20) { digest, _, _ in
            let little = ByteCount(most: 10 << 20)
            do throws(FileError) {
                _ = try await digest.hex(of: 40 << 20, permission: { little.add($0) })
                Issue.record("not stopped")
            } catch {
                #expect(error.errno == ECANCELED)
            }
            let read = await digest.position
            #expect(read == 8 << 20)
            let rest = ByteCount()
            _ = try await digest.hex(of: 40 << 20, permission: { rest.add($0) })
            #expect(rest.take() == 32 << 20)
        }
    }

    @Test("a cancelled task reads no further")
    func cancelled() async throws {
        try await withZeros(40 << 20) { digest, _, _ in
            let cancelling: PrefixDigest.Permission = { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return true
            }
            let task = Task { () -> String? in
                do throws(FileError) {
                    return try await digest.hex(of: 40 << 20, permission: cancelling)
                } catch {
                    return "stopped \(error.errno)"
                }
            }
            #expect(await task.value == "stopped \(ECANCELED)")
            #expect(await digest.position == 0)
        }
    }

    @Test("what a receiver names without having got it is not read")
    func notServed() async throws {
        try await withZeros(1 << 20) { digest, _, _ in
            try await digest.advance(to: 1 << 20, after: 1000)
            #expect(await digest.position == 0)
            try await digest.advance(to: 1000, after: 0)
            try await digest.advance(to: 1 << 20, after: 1000)
            #expect(await digest.position == 1 << 20)
        }
    }
}

@Suite("Where a folder is") struct FolderPathTests {
    private static func path(of place: String, _ direction: MessageDirection, at path: String) -> String? {
        let time = Timestamp(milliseconds: 0)
        var transfer = FileTransfer(
            id: MessageID(at: time), number: TransferNumber(1), contact: ContactID(1), direction: direction, name: "f",
            size: 1, modified: time, state: .complete, path: path, offered: time)
        transfer.place = FolderPlace(set: MessageID(at: time), path: place, files: 2, bytes: 2)
        return transfer.pathOfFolder
    }

    @Test("it is the part of a file's path up to the folder, whatever its sender calls what is in between")
    func incoming() {
        for (place, path) in [
            ("photos", "/d/photos/f"), ("photos/a", "/d/photos/a/f"), ("photos/../..", "/d/photos/f"),
            ("../photos/./a", "/d/photos/a/f"), ("photos\\a", "/d/photos/a/f"),
        ] { #expect(Self.path(of: place, .incoming, at: path) == "/d/photos", "\(place)") }
    }

    @Test("our own keep the names that they have on this disk")
    func outgoing() {
        #expect(Self.path(of: "photos/a\\b", .outgoing, at: "/home/photos/a\\b/f") == "/home/photos")
    }
}
