// Look-ups of names: nobody waits for a name server that is silent.

import Dispatch
import Synchronization
import Testing

@testable import BLIPNet

@Suite("Look-ups of names", .timeLimit(.minutes(5))) struct NameLookupsTests {
    /// A resolver that is stuck with names that begin with `stuck` until it is let go.
    private final class Resolver: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let asked = Mutex<[String]>([])
        var names: [String] { asked.withLock { $0 } }

        func ask(_ host: String) -> NameLookups.Answer {
            asked.withLock { $0.append(host) }
            if host.hasPrefix("stuck") { gate.wait() }
            return SocketAddress(host: "192.0.2.1", port: 0).map { .success([$0]) }
                ?? .failure(.dns(host: host, reason: "none"))
        }

        func letGo(_ count: Int) { for _ in 0..<count { gate.signal() } }
    }

    private final class Answers: Sendable {
        private let all = Mutex<[String: NameLookups.Answer]>([:])
        subscript(host: String) -> NameLookups.Answer? { all.withLock { $0[host] } }
        func ask(_ lookups: NameLookups, _ host: String, port: UInt16 = 1) {
            lookups.resolve(host: host, port: port) { answer in self.all.withLock { $0["\(host):\(port)"] = answer } }
        }
    }

    @Test("one that is stuck holds up no other, and is over for who asked when their patience is")
    func stuck() async throws {
        let (resolver, answers) = (Resolver(), Answers())
        let lookups = NameLookups(maxThreads: 4, patience: .milliseconds(300)) { resolver.ask($0) }
        for number in 0..<3 { answers.ask(lookups, "stuck\(number)") }
        answers.ask(lookups, "quick", port: 7)
        await eventually("the quick one is answered") { answers["quick:7"] != nil }
        #expect(try answers["quick:7"]?.get().map(\.description) == ["192.0.2.1:7"])
        await eventually("the stuck ones are given up") { (0..<3).allSatisfy { answers["stuck\($0):1"] != nil } }
        guard case .failure(.dns("stuck0", _))? = answers["stuck0:1"] else {
            Issue.record("\(String(describing: answers["stuck0:1"]))")
            return
        }
        resolver.letGo(3)
    }

    @Test("no more threads than allowed are stuck; a name that nobody waits for any more is not asked for")
    func bounded() async throws {
        let (resolver, answers) = (Resolver(), Answers())
        let lookups = NameLookups(maxThreads: 2, patience: .milliseconds(200)) { resolver.ask($0) }
        for number in 0..<10 { answers.ask(lookups, "stuck\(number)") }
        await eventually("all are given up") { (0..<10).allSatisfy { answers["stuck\($0):1"] != nil } }
        #expect(Set(resolver.names) == ["stuck0", "stuck1"])
        resolver.letGo(2)
        answers.ask(lookups, "later")
        await eventually("the threads are free again") { (try? answers["later:1"]?.get()) != nil }
    }

    @Test("a name that is being looked up is not looked up once more, and all who wait get the answer with their port")
    func together() async throws {
        let (resolver, answers) = (Resolver(), Answers())
        let lookups = NameLookups(patience: .seconds(120)) { resolver.ask($0) }
        for port in 1...5 as ClosedRange<UInt16> { answers.ask(lookups, "stuck", port: port) }
        await eventually("it is asked for") { !resolver.names.isEmpty }
        resolver.letGo(1)
        await eventually("all have it") { (1...5).allSatisfy { answers["stuck:\($0)"] != nil } }
        #expect(resolver.names == ["stuck"])
        #expect(try answers["stuck:3"]?.get().first?.port == 3)
    }
}
