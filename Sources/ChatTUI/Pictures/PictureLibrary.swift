// Reads PNG, JPEG and GIF by gdk-pixbuf, which every desktop has; loaded when it is wanted, and only if it is there. Code of
// others that reads files of others: it runs in a process of its own (PictureChild) and nowhere else.

import ChatWords
import Glibc

/// Why a picture cannot be shown. The number is what a PictureChild answers.
enum PictureError: UInt8, Error, Sendable, Equatable {
    /// gdk-pixbuf is not installed.
    case noLibrary = 1
    /// Not a PNG, JPEG or GIF by its first bytes.
    case unknownKind
    case tooLarge
    /// It cannot be read, is damaged, or takes longer than a picture may.
    case unreadable
}

/// The kinds of pictures that are read, by the signatures of their files.
enum PictureKind: String, Sendable {
    case png, jpeg, gif

    init?(start: some Collection<UInt8>) {
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }
}

/// The functions of gdk-pixbuf that are needed.
struct PictureLibrary {
    static let maxFileBytes = 32 << 20
    /// Pixels of the original, which is in memory while it is made smaller.
    static let maxPixels = 50_000_000

    private typealias Make = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> OpaquePointer?
    private typealias Write =
        @convention(c) (OpaquePointer, UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer?) -> Int32
    private typealias Close = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Int32
    private typealias SetSize = @convention(c) (OpaquePointer, Int32, Int32) -> Void
    private typealias Prepared = @convention(c) (OpaquePointer, Int32, Int32, UnsafeMutableRawPointer?) -> Void
    private typealias Connect =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Prepared, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int32
        ) -> UInt
    private typealias Number = @convention(c) (OpaquePointer) -> Int32
    private typealias Bytes = @convention(c) (OpaquePointer) -> UnsafePointer<UInt8>?
    private typealias Turn = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias Option = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    private typealias Release = @convention(c) (OpaquePointer) -> Void
    private typealias Log = @convention(c) (UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, OpaquePointer?) -> Void
    private typealias SetLog = @convention(c) (Log, OpaquePointer?) -> OpaquePointer?
    private typealias WriteLog = @convention(c) (Int32, OpaquePointer?, Int, OpaquePointer?) -> Int32
    private typealias SetLogWriter = @convention(c) (WriteLog, OpaquePointer?, OpaquePointer?) -> Void

    private let make: Make
    private let write: Write
    private let close: Close
    private let setSize: SetSize
    private let connect: Connect
    private let picture: Turn
    private let width: Number
    private let height: Number
    private let channels: Number
    private let rowBytes: Number
    private let pixels: Bytes
    private let turn: Turn
    private let option: Option
    private let keep: Turn
    private let release: Release

    private static let name = "libgdk_pixbuf-2.0.so.0"

    /// `nil` when the library is not installed.
    init?() {
        guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        // GObject comes with it.
        func symbol<Function>(_ name: String, as: Function.Type) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let make = symbol("gdk_pixbuf_loader_new_with_type", as: Make.self),
            let write = symbol("gdk_pixbuf_loader_write", as: Write.self),
            let close = symbol("gdk_pixbuf_loader_close", as: Close.self),
            let setSize = symbol("gdk_pixbuf_loader_set_size", as: SetSize.self),
            let connect = symbol("g_signal_connect_data", as: Connect.self),
            let picture = symbol("gdk_pixbuf_loader_get_pixbuf", as: Turn.self),
            let width = symbol("gdk_pixbuf_get_width", as: Number.self),
            let height = symbol("gdk_pixbuf_get_height", as: Number.self),
            let channels = symbol("gdk_pixbuf_get_n_channels", as: Number.self),
            let rowBytes = symbol("gdk_pixbuf_get_rowstride", as: Number.self),
            let pixels = symbol("gdk_pixbuf_get_pixels", as: Bytes.self),
            let turn = symbol("gdk_pixbuf_apply_embedded_orientation", as: Turn.self),
            let option = symbol("gdk_pixbuf_get_option", as: Option.self),
            let keep = symbol("g_object_ref", as: Turn.self),
            let release = symbol("g_object_unref", as: Release.self)
        else { return nil }
        // GLib complains on standard error: nobody wants to read it. 1 says that the writer has handled it.
        guard let setLog = symbol("g_log_set_default_handler", as: SetLog.self),
            let setLogWriter = symbol("g_log_set_writer_func", as: SetLogWriter.self)
        else { return nil }
        _ = setLog({ _, _, _, _ in }, nil)
        setLogWriter({ _, _, _, _ in 1 }, nil, nil)
        self.make = make
        self.write = write
        self.close = close
        self.setSize = setSize
        self.connect = connect
        self.picture = picture
        self.width = width
        self.height = height
        self.channels = channels
        self.rowBytes = rowBytes
        self.pixels = pixels
        self.turn = turn
        self.option = option
        self.keep = keep
        self.release = release
    }

    /// Whether previews are available on this machine. Only loads the library.
    static var isInstalled: Bool {
        guard let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return false }
        dlclose(handle)
        return true
    }

    /// Has the library load what it needs for a kind of picture: some of its readers are libraries of their own, which it
    /// could not open later. `false`: it has no reader for it.
    func prepare(for kind: PictureKind) -> Bool {
        guard let loader = make(kind.rawValue, nil) else { return false }
        // Nothing was written: it complains, and that is all.
        _ = close(loader, nil)
        release(loader)
        return true
    }

    /// The picture in `bytes`, at most `limit` pixels wide and high. Takes as long as it likes.
    func picture(
        _ kind: PictureKind, in bytes: [UInt8], toFit limit: (width: Int, height: Int)
    ) throws(PictureError) -> PixelImage {
        var pixbuf = try load(kind, bytes, toFit: limit)
        if liesOnItsSide(pixbuf) {
            release(pixbuf)
            // Its width becomes its height.
            pixbuf = try load(kind, bytes, toFit: (limit.height, limit.width))
        }
        defer { release(pixbuf) }
        guard let turned = turn(pixbuf) else { throw .unreadable }
        defer { release(turned) }
        guard let image = copy(turned) else { throw .unreadable }
        return image
    }

    /// Sets the size of a picture when the library has found out its original size.
    private struct Fitting {
        let limit: (width: Int, height: Int)
        let setSize: SetSize
        var isTooLarge = false

        /// Never larger than it is, and in its shape.
        mutating func decide(_ loader: OpaquePointer, _ width: Int32, _ height: Int32) {
            let size = (width: Double(max(1, width)), height: Double(max(1, height)))
            guard size.width * size.height <= Double(PictureLibrary.maxPixels) else {
                isTooLarge = true
                // The library reads on; at one pixel, that costs no memory.
                return setSize(loader, 1, 1)
            }
            let scale = min(1, Double(limit.width) / size.width, Double(limit.height) / size.height)
            guard scale < 1 else { return }
            setSize(
                loader, Int32(clamping: max(1, Int((size.width * scale).rounded()))),
                Int32(clamping: max(1, Int((size.height * scale).rounded()))))
        }
    }

    /// A picture that the caller releases.
    private func load(
        _ kind: PictureKind, _ bytes: [UInt8], toFit limit: (width: Int, height: Int)
    ) throws(PictureError) -> OpaquePointer {
        guard let loader = make(kind.rawValue, nil) else { throw .unreadable }
        defer { release(loader) }
        var fitting = Fitting(limit: limit, setSize: setSize)
        let found = withUnsafeMutablePointer(to: &fitting) { fitting -> OpaquePointer? in
            _ = connect(
                loader, "size-prepared",
                { loader, width, height, context in
                    context?.assumingMemoryBound(to: Fitting.self).pointee.decide(loader, width, height)
                }, fitting, nil, 0)
            var isRead = true
            var rest = bytes[...]
            // In pieces, so that what is too large is not read to its end.
            while isRead, !rest.isEmpty, !fitting.pointee.isTooLarge {
                let piece = rest.prefix(65_536)
                isRead = piece.withUnsafeBufferPointer { write(loader, $0.baseAddress, $0.count, nil) } != 0
                rest = rest.dropFirst(piece.count)
            }
            let isWhole = close(loader, nil) != 0
            return isRead && isWhole ? picture(loader) : nil
        }
        guard !fitting.isTooLarge else { throw .tooLarge }
        // It belongs to the loader, which goes away now.
        guard let found, let own = keep(found) else { throw .unreadable }
        return own
    }

    /// Whether a quarter of a turn brings it upright: Orientation 5 to 8 of Exif, which cameras write.
    private func liesOnItsSide(_ pixbuf: OpaquePointer) -> Bool {
        guard let value = option(pixbuf, "orientation") else { return false }
        return (5...8).contains(atoi(value))
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
