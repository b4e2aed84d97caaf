// Reads PNG, JPEG and GIF by gdk-pixbuf, which every desktop has; loaded when the first picture is wanted, and only if
// it is there. The library never sees other kinds of files, and none that would fill the memory.

import Glibc

/// Why a picture cannot be shown.
public enum PictureError: Error, Sendable, Equatable {
    /// gdk-pixbuf is not installed.
    case noLibrary
    /// Not a PNG, JPEG or GIF by its first bytes.
    case unknownKind
    case tooLarge
    /// It cannot be read, or is damaged.
    case unreadable
}

/// The functions of gdk-pixbuf that are needed. Called on any thread.
struct PictureLibrary: Sendable {
    static let maxFileBytes: Int64 = 32 << 20
    /// Pixels of the original, which is in memory while it is made smaller.
    static let maxPixels = 50_000_000

    private typealias FileInfo =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>
        ) -> OpaquePointer?
    private typealias Load =
        @convention(c) (
            UnsafePointer<CChar>, Int32, Int32, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> OpaquePointer?
    private typealias Number = @convention(c) (OpaquePointer) -> Int32
    private typealias Bytes = @convention(c) (OpaquePointer) -> UnsafePointer<UInt8>?
    private typealias Turn = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias Option = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    private typealias Release = @convention(c) (OpaquePointer) -> Void
    private typealias Log = @convention(c) (UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, OpaquePointer?) -> Void
    private typealias SetLog = @convention(c) (Log, OpaquePointer?) -> OpaquePointer?
    private typealias WriteLog = @convention(c) (Int32, OpaquePointer?, Int, OpaquePointer?) -> Int32
    private typealias SetLogWriter = @convention(c) (WriteLog, OpaquePointer?, OpaquePointer?) -> Void

    private let fileInfo: FileInfo
    private let load: Load
    private let width: Number
    private let height: Number
    private let channels: Number
    private let rowBytes: Number
    private let pixels: Bytes
    private let turn: Turn
    private let option: Option
    private let release: Release

    /// `nil` when the library is not installed.
    static let shared = PictureLibrary()

    private init?() {
        guard let handle = dlopen("libgdk_pixbuf-2.0.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
        // GObject comes with it.
        func symbol<Function>(_ name: String, as: Function.Type) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let fileInfo = symbol("gdk_pixbuf_get_file_info", as: FileInfo.self),
            let load = symbol("gdk_pixbuf_new_from_file_at_scale", as: Load.self),
            let width = symbol("gdk_pixbuf_get_width", as: Number.self),
            let height = symbol("gdk_pixbuf_get_height", as: Number.self),
            let channels = symbol("gdk_pixbuf_get_n_channels", as: Number.self),
            let rowBytes = symbol("gdk_pixbuf_get_rowstride", as: Number.self),
            let pixels = symbol("gdk_pixbuf_get_pixels", as: Bytes.self),
            let turn = symbol("gdk_pixbuf_apply_embedded_orientation", as: Turn.self),
            let option = symbol("gdk_pixbuf_get_option", as: Option.self),
            let release = symbol("g_object_unref", as: Release.self)
        else { return nil }
        // GLib complains on standard error, which is the terminal: a file from elsewhere would write on the screen. 1 says
        // that the writer has done it.
        guard let setLog = symbol("g_log_set_default_handler", as: SetLog.self),
            let setLogWriter = symbol("g_log_set_writer_func", as: SetLogWriter.self)
        else { return nil }
        _ = setLog({ _, _, _, _ in }, nil)
        setLogWriter({ _, _, _, _ in 1 }, nil, nil)
        self.fileInfo = fileInfo
        self.load = load
        self.width = width
        self.height = height
        self.channels = channels
        self.rowBytes = rowBytes
        self.pixels = pixels
        self.turn = turn
        self.option = option
        self.release = release
    }

    /// The picture in the file at `path`, at most `limit` pixels wide and high. Takes as long as the file is large.
    static func picture(at path: String, toFit limit: (width: Int, height: Int)) throws(PictureError) -> PixelImage {
        try checkFile(at: path)
        guard let shared else { throw .noLibrary }
        var size: (width: Int32, height: Int32) = (0, 0)
        guard shared.fileInfo(path, &size.width, &size.height) != nil, size.width > 0, size.height > 0 else {
            throw .unreadable
        }
        guard Int(size.width) * Int(size.height) <= maxPixels else { throw .tooLarge }
        /// Never larger than it is.
        func load(toFit limit: (width: Int, height: Int)) throws(PictureError) -> OpaquePointer {
            let width = Int32(clamping: min(limit.width, Int(size.width)))
            let height = Int32(clamping: min(limit.height, Int(size.height)))
            guard let pixbuf = shared.load(path, width, height, 1, nil) else { throw .unreadable }
            return pixbuf
        }
        var pixbuf = try load(toFit: limit)
        if shared.liesOnItsSide(pixbuf) {
            shared.release(pixbuf)
            // Its width becomes its height.
            pixbuf = try load(toFit: (limit.height, limit.width))
        }
        defer { shared.release(pixbuf) }
        guard let turned = shared.turn(pixbuf) else { throw .unreadable }
        defer { shared.release(turned) }
        guard let image = shared.copy(turned) else { throw .unreadable }
        return image
    }

    /// Whether a quarter of a turn brings it upright: Orientation 5 to 8 of Exif, which cameras write.
    private func liesOnItsSide(_ pixbuf: OpaquePointer) -> Bool {
        guard let value = option(pixbuf, "orientation") else { return false }
        return (5...8).contains(atoi(value))
    }

    /// A regular file of a known kind and a bearable size.
    private static func checkFile(at path: String) throws(PictureError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .unreadable }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        guard status.st_size <= maxFileBytes else { throw .tooLarge }
        var start = [UInt8](repeating: 0, count: 8)
        let count = read(file, &start, start.count)
        guard count == start.count, isPicture(start) else { throw .unknownKind }
    }

    /// By the signatures of PNG, JPEG and GIF.
    static func isPicture(_ start: [UInt8]) -> Bool {
        start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) || start.starts(with: [0xFF, 0xD8, 0xFF])
            || start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8))
    }

    /// The pixels, transparent ones over black.
    private func copy(_ pixbuf: OpaquePointer) -> PixelImage? {
        let (width, height) = (Int(width(pixbuf)), Int(height(pixbuf)))
        let (channels, rowBytes) = (Int(channels(pixbuf)), Int(rowBytes(pixbuf)))
        guard width > 0, height > 0, width <= 4_096, height <= 4_096, channels == 3 || channels == 4,
            rowBytes >= width * channels, let pixels = pixels(pixbuf)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = pixels + y * rowBytes + x * channels
                let alpha = channels == 4 ? Int(pixel[3]) : 255
                for part in 0..<3 { bytes.append(UInt8(clamping: Int(pixel[part]) * alpha / 255)) }
            }
        }
        return PixelImage(width: width, height: height, bytes: bytes)
    }
}
