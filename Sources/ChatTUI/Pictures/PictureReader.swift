// Has pictures decoded: opens the file, starts a PictureChild for it, and takes what that answers. One at a time, and each
// has three seconds.

import CLinux
import ChatCore
import ChatWords
import Dispatch
import Glibc

/// Reads pictures from files, each in a process of its own.
package struct PictureReader: Sendable {
    /// A child that has not answered by then is killed.
    private static let timeLimit = Duration.seconds(3)
    /// Children run one after the other: a sender of many pictures gets one processor at most.
    private static let queue = DispatchQueue(label: "blipchat.pictures")
    /// Waits for children that were killed: one may be stuck in a read of a disk that does not answer.
    private static let reaper = DispatchQueue(label: "blipchat.pictures.reaper", attributes: .concurrent)

    /// The program that knows `PictureChild.word`.
    private let program: String

    package init(program: String = "/proc/self/exe") { self.program = program }

    /// The picture in the file at `path`, at most `limit` pixels wide and high.
    func picture(at path: String, toFit limit: (width: Int, height: Int)) async throws(PictureError) -> PixelImage {
        // It is where somebody's file was put, or comes from: that disk may not answer.
        let opened = await DiskLane.of(path).value(within: Self.timeLimit) {
            Result(catching: { () throws(PictureError) in try Self.open(path) })
        }
        guard let opened else { throw .unreadable }
        let file = try opened.get()
        let program = program
        let result: Result<PixelImage, PictureError> = await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    returning: Result(catching: { () throws(PictureError) in
                        try Self.decode(file, toFit: limit, by: program)
                    }))
            }
        }
        return try result.get()
    }

    /// Closes itself.
    private final class OpenPicture: Sendable {
        let descriptor: Int32

        init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// A regular file of a known kind and a bearable size.
    private static func open(_ path: String) throws(PictureError) -> OpenPicture {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .unreadable }
        let file = OpenPicture(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        guard status.st_size <= PictureLibrary.maxFileBytes else { throw .tooLarge }
        var start = [UInt8](repeating: 0, count: 8)
        guard pread(descriptor, &start, start.count, 0) == start.count, PictureKind(start: start) != nil else {
            throw .unknownKind
        }
        return file
    }

    private static func decode(
        _ file: OpenPicture, toFit limit: (width: Int, height: Int), by program: String
    ) throws(PictureError) -> PixelImage {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .unreadable }
        defer { close(ends[0]) }
        for end in ends { _ = clinux_set_close_on_exec(end) }
        let (code, process) = ProgramStart.start(
            [program, PictureChild.word, String(limit.width), String(limit.height)],
            .alone(input: file.descriptor, output: ends[1]))
        close(ends[1])
        guard code == 0 else { throw .unreadable }
        let answer = read(ends[0], atMost: 5 + 3 * limit.width * limit.height, until: .now + timeLimit)
        if answer == nil { kill(process, SIGKILL) }
        reap(process)
        return try image(in: answer ?? [], within: limit)
    }

    /// All that comes; `nil` when it does not end in time, or is more than it can be.
    private static func read(
        _ descriptor: Int32, atMost limit: Int, until end: ContinuousClock.Instant
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let left = end - .now
            guard left > .zero else { return nil }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, Int32(clamping: left.components.seconds * 1000 + 10))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }

    /// Behind the child's end; we do not wait for what a killed one still waits for.
    private static func reap(_ process: pid_t) {
        reaper.async {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    private static func image(
        in answer: [UInt8], within limit: (width: Int, height: Int)
    ) throws(PictureError) -> PixelImage {
        guard let verdict = answer.first else { throw .unreadable }
        guard verdict == 0 else { throw PictureError(rawValue: verdict) ?? .unreadable }
        guard answer.count >= 5 else { throw .unreadable }
        let width = Int(answer[1]) | Int(answer[2]) << 8
        let height = Int(answer[3]) | Int(answer[4]) << 8
        guard width <= limit.width, height <= limit.height,
            let image = PixelImage(width: width, height: height, bytes: Array(answer[5...]))
        else { throw .unreadable }
        return image
    }
}
