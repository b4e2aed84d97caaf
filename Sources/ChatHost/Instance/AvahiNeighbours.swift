// People in this network, found by avahi-daemon: all calls of its library happen on one thread, which sleeps until there is
// something (REACH 5).

import BLIPNet
package import ChatCore
import Glibc
import Synchronization

/// Neighbours by avahi.
package final class AvahiNeighbours: NeighbourFinding {
    /// One call of `look`, as long as somebody reads its news.
    private struct Look {
        let number: Int
        let news: AsyncStream<NeighbourNews>.Continuation
        /// Ends the wait of its thread.
        var wakeUp: (@Sendable () -> Void)?
    }

    private struct Wishes {
        var service: NeighbourService?
        var look: Look?
        var lastNumber = 0
    }

    private let wishes = Mutex(Wishes())

    /// Between two tries where avahi cannot be asked.
    fileprivate static let rest = Duration.seconds(300)

    package init() {}

    package func look() -> AsyncStream<NeighbourNews> {
        // A network full of services must not fill the memory: what is lost here is read again by the next change.
        let (stream, news) = AsyncStream.makeStream(of: NeighbourNews.self, bufferingPolicy: .bufferingNewest(1024))
        let (number, old) = wishes.withLock { wishes in
            let old = wishes.look
            wishes.lastNumber += 1
            wishes.look = Look(number: wishes.lastNumber, news: news)
            return (wishes.lastNumber, old)
        }
        // Not under the lock: the end of a stream calls `end`.
        old?.wakeUp?()
        old?.news.finish()
        news.onTermination = { [weak self] _ in self?.end(number) }
        // A thread that ends late has nothing to do with the look after its own.
        let wishes = AvahiThread.Source(
            read: { [weak self] in self?.wishes.withLock { $0.look?.number == number ? $0.service : nil } },
            isWanted: { [weak self] in self?.wishes.withLock { $0.look?.number == number } ?? false },
            wakesBy: { [weak self] wakeUp in
                self?.wishes.withLock { if $0.look?.number == number { $0.look?.wakeUp = wakeUp } }
            })
        let isBegun = LoopThread.begin(name: "blip avahi") { AvahiThread(wishes, news)?.run() }
        if !isBegun { news.yield(.state(.waiting)) }
        return stream
    }

    package func show(_ service: NeighbourService?) {
        wishes.withLock {
            $0.service = service
            $0.look?.wakeUp?()
        }
    }

    /// Nobody reads the news any more.
    private func end(_ number: Int) {
        wishes.withLock {
            guard $0.look?.number == number else { return }
            $0.look?.wakeUp?()
            $0.look = nil
        }
    }
}

/// The code that runs on the thread of avahi, from the first call of its library to the last one.
private final class AvahiThread {
    /// The thread's view of the wishes of other threads.
    struct Source: Sendable {
        var read: @Sendable () -> NeighbourService?
        var isWanted: @Sendable () -> Bool
        /// Takes what ends the wait; `nil`: the thread does not wait any more.
        var wakesBy: @Sendable ((@Sendable () -> Void)?) -> Void
    }

    private let library: AvahiLibrary
    private let source: Source
    private let news: AsyncStream<NeighbourNews>.Continuation
    private var client: OpaquePointer?
    private var group: OpaquePointer?
    private var browser: OpaquePointer?
    private var resolvers: [NeighbourKey: OpaquePointer] = [:]
    /// The service that the group shows; under another name than requested where that is taken.
    private var shown: (asked: NeighbourService, instance: String)?
    /// The client is of no use any more.
    private var hasFailed = false

    private static let type = "_blip._tcp"
    /// More services are not resolved: a neighbour can show thousands.
    private static let mostResolvers = 256

    /// `nil` when there is no avahi on this machine, which is news as well.
    init?(_ source: Source, _ news: AsyncStream<NeighbourNews>.Continuation) {
        guard let library = AvahiLibrary() else {
            news.yield(.state(.missing))
            return nil
        }
        self.library = library
        self.source = source
        self.news = news
    }

    func run() {
        while source.isWanted() {
            news.yield(.state(.waiting))
            guard let poll = library.newPoll() else { return }
            let wakeUp = Wake(poll, library.wakeUp)
            source.wakesBy { wakeUp.call() }
            begin(poll)
            // Without a message bus there is no client: the same thread waits, and tries again.
            let limit = client == nil ? MonotonicTime.now() + AvahiNeighbours.rest : nil
            while source.isWanted(), !hasFailed {
                present()
                guard library.iterate(poll, Self.milliseconds(until: limit)) == 0 else { break }
                if let limit, MonotonicTime.now() >= limit { break }
            }
            source.wakesBy(nil)
            wakeUp.end()
            drop()
            if let client { library.freeClient(client) }
            client = nil
            hasFailed = false
            library.freePoll(poll)
        }
    }

    private static func milliseconds(until limit: MonotonicTime?) -> Int32 {
        guard let limit else { return -1 }
        let left = (limit - .now()).components
        return Int32(clamping: max(0, left.seconds) * 1000 + 1)
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func me(_ context: UnsafeMutableRawPointer?) -> AvahiThread? {
        context.map { Unmanaged<AvahiThread>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin(_ poll: OpaquePointer) {
        guard let loop = library.poll(poll) else { return }
        var error: Int32 = 0
        client = library.newClient(
            loop, AvahiLibrary.noFail, { AvahiThread.me($2)?.changed($0, to: $1) }, context, &error)
    }

    /// The client is in another state; the first time that is before `newClient` has returned.
    private func changed(_ client: OpaquePointer?, to state: Int32) {
        guard let client else { return }
        switch AvahiLibrary.ClientState(rawValue: state) {
        case .running:
            guard browser == nil else { return }
            browser = library.newBrowser(
                client, AvahiLibrary.any, AvahiLibrary.any, Self.type, nil, 0,
                { AvahiThread.me($8)?.browsed($1, $2, event: $3, name: $4, flags: $7) }, context)
            group = library.newGroup(client, { AvahiThread.me($2)?.groupChanged(to: $1) }, context)
            self.client = client
            news.yield(.state(.looking))
        case .failure: hasFailed = true
        case .connecting:
            drop()
            news.yield(.state(.waiting))
        // The name of the machine is being settled: avahi says when that is over.
        case .registering, .collision, nil: break
        }
    }

    /// Drops the requests to a daemon that is gone.
    private func drop() {
        for resolver in resolvers.values { _ = library.freeResolver(resolver) }
        resolvers = [:]
        if let browser { _ = library.freeBrowser(browser) }
        browser = nil
        if let group { _ = library.freeGroup(group) }
        group = nil
        shown = nil
    }

    // MARK: Looking

    private func browsed(
        _ interface: Int32, _ kind: Int32, event: Int32, name: UnsafePointer<CChar>?, flags: Int32
    ) {
        // AvahiBrowserEvent.
        let (new, remove, failure): (Int32, Int32, Int32) = (0, 1, 4)
        guard event != failure else {
            hasFailed = true
            return
        }
        guard let name, [new, remove].contains(event) else { return }
        let key = NeighbourKey(
            instance: String(cString: name), interface: interface, isIPv6: kind == AvahiLibrary.ipv6)
        guard event == new else {
            if let resolver = resolvers.removeValue(forKey: key) { _ = library.freeResolver(resolver) }
            news.yield(.gone(key))
            return
        }
        guard flags & AvahiLibrary.ourOwn == 0, let client, resolvers[key] == nil,
            resolvers.count < Self.mostResolvers
        else { return }
        // It stays: what the service says of itself may change.
        resolvers[key] = library.newResolver(
            client, interface, kind, name, Self.type, nil, kind, 0,
            { AvahiThread.me($12)?.resolved($1, $2, event: $3, name: $4, address: $8, port: $9, texts: $10) }, context)
    }

    private func resolved(
        _ interface: Int32, _ kind: Int32, event: Int32, name: UnsafePointer<CChar>?, address: OpaquePointer?,
        port: UInt16, texts: OpaquePointer?
    ) {
        guard let name else { return }
        let key = NeighbourKey(
            instance: String(cString: name), interface: interface, isIPv6: kind == AvahiLibrary.ipv6)
        // AvahiResolverEvent.
        let found: Int32 = 0
        guard event == found, let address else {
            news.yield(.gone(key))
            return
        }
        // An IPv6 address in full, and the end of the text.
        var host = [CChar](repeating: 0, count: 64)
        guard library.printAddress(&host, host.count, address) != nil else { return }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        news.yield(
            .found(key, host: String(decoding: bytes, as: UTF8.self), port: port, texts: read(texts)))
    }

    /// Of a service that says too much, as much as shows that.
    private func read(_ list: OpaquePointer?) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var bytes = 0
        var next = list
        while let text = next, bytes <= 1024, texts.count < 64 {
            let count = library.textCount(text)
            if let start = library.textBytes(text) {
                texts.append(Array(UnsafeBufferPointer(start: start, count: count)))
            }
            bytes += count
            next = library.nextText(text)
        }
        return texts
    }

    // MARK: Being seen

    /// Shows the requested service, where the request has changed.
    private func present() {
        guard let group else { return }
        let wanted = source.read()
        guard wanted != shown?.asked else { return }
        guard let wanted else {
            _ = library.reset(group)
            shown = nil
            return
        }
        let list = list(of: wanted.texts)
        defer { if let list { library.freeTexts(list) } }
        if let shown, shown.asked.instance == wanted.instance, shown.asked.port == wanted.port,
            library.updateTexts(
                group, AvahiLibrary.any, AvahiLibrary.any, 0, shown.instance, Self.type, nil, list) == 0
        {
            self.shown?.asked = wanted
            return
        }
        add(wanted, list, as: wanted.instance)
    }

    private func add(_ wanted: NeighbourService, _ list: OpaquePointer?, as instance: String) {
        guard let group else { return }
        if shown != nil { _ = library.reset(group) }
        var instance = instance
        // Somebody may have the name already.
        for _ in 0..<3 {
            let code = library.addService(
                group, AvahiLibrary.any, AvahiLibrary.any, 0, instance, Self.type, nil, nil, wanted.port, list)
            guard code == AvahiLibrary.collision else { break }
            instance = NeighbourService.randomInstance()
        }
        _ = library.commit(group)
        shown = (wanted, instance)
    }

    /// The library sends the text that was added first in front. The caller frees the list.
    private func list(of texts: [String]) -> OpaquePointer? {
        texts.reduce(nil) { list, text in library.addText(list, text) ?? list }
    }

    /// Another machine has taken the name of our service, later.
    private func groupChanged(to state: Int32) {
        // AvahiEntryGroupState.
        let (collision, failure): (Int32, Int32) = (3, 4)
        if state == failure { hasFailed = true }
        guard state == collision, let shown else { return }
        let list = list(of: shown.asked.texts)
        defer { if let list { library.freeTexts(list) } }
        add(shown.asked, list, as: NeighbourService.randomInstance())
    }
}

/// Ends the wait of a poll from another thread, as long as there is one.
private final class Wake: Sendable {
    private let poll: Mutex<Int?>
    private let function: @convention(c) (OpaquePointer) -> Void

    init(_ poll: OpaquePointer, _ function: @escaping @convention(c) (OpaquePointer) -> Void) {
        self.poll = Mutex(Int(bitPattern: poll))
        self.function = function
    }

    func call() {
        poll.withLock { poll in
            if let poll, let pointer = OpaquePointer(bitPattern: poll) { function(pointer) }
        }
    }

    func end() { poll.withLock { $0 = nil } }
}
