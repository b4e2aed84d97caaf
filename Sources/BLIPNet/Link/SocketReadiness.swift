// Tells the owner of a socket when it may read or write, on the owner's queue.

internal import Dispatch

/// A pair of dispatch sources over one socket, level-triggered: a callback comes again as long as its condition
/// holds and it is wanted. Confined to `queue`.
final class SocketReadiness {
    private let socket: Socket
    private let queue: DispatchQueue
    private let readable: @Sendable () -> Void
    private let writable: @Sendable () -> Void
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var readsWanted = false
    private var writesWanted = false
    private var isCancelled = false

    init(
        socket: Socket, queue: DispatchQueue, readable: @escaping @Sendable () -> Void,
        writable: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.queue = queue
        self.readable = readable
        self.writable = writable
    }

    deinit { cancel() }

    /// Whether `readable` is to be called.
    func wantReads(_ wanted: Bool) {
        guard wanted != readsWanted, !isCancelled else { return }
        readsWanted = wanted
        if let reader {
            if wanted { reader.resume() } else { reader.suspend() }
        } else if wanted {
            let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            source.setEventHandler(handler: readable)
            source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
            reader = source
            source.resume()
        }
    }

    /// Within `readable`: the connection is over in both directions. libdispatch reports that only once, whatever is
    /// still to be read, so the reader must go on until it finds the end.
    var isHungUp: Bool { reader?.data == 0 }

    /// Whether `writable` is to be called. A socket with room is writable all the time, so this is switched on only
    /// after a write found no room.
    func wantWrites(_ wanted: Bool) {
        guard wanted != writesWanted, !isCancelled else { return }
        writesWanted = wanted
        if let writer {
            if wanted { writer.resume() } else { writer.suspend() }
        } else if wanted {
            let source = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
            source.setEventHandler(handler: writable)
            source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
            writer = source
            source.resume()
        }
    }

    /// Ends both. No callback comes after this when it is called on the queue.
    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        // A suspended source never runs its cancel handler (and may not be released), so it is resumed first.
        if let reader {
            reader.cancel()
            if !readsWanted { reader.resume() }
        }
        if let writer {
            writer.cancel()
            if !writesWanted { writer.resume() }
        }
        reader = nil
        writer = nil
    }
}
