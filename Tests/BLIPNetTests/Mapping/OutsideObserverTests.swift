// Where our connections come out, as a stdiscosrv says it.

import TestSupport
import Testing

@testable import BLIPNet

@Suite("The server that says where we come out") struct OutsideObserverTests {
    private struct Vectors: Decodable {
        struct Answer: Decodable {
            var body: String
        }
        var look: Answer
    }

    @Test("the recorded answer names the place")
    func recorded() throws {
        let vectors = try reachVector(Vectors.self, "observer.json")
        let place = OutsideObserver.place(in: Array(vectors.look.body.utf8))
        #expect(place?.endpoint == .host("11.0.0.11", port: 6001))
    }

    @Test(
        "what anybody may have stored there counts only as a numeric address with a port",
        arguments: [
            "", "[]", "{}", #"{"addresses":{}}"#, #"{"addresses":[]}"#, #"{"addresses":[1,null]}"#,
            #"{"addresses":["tcp://example.org:5"]}"#, #"{"addresses":["relay://11.0.0.1:22067"]}"#,
            #"{"addresses":["tcp://11.0.0.1:0"]}"#, #"{"addresses":["tcp://11.0.0.1"]}"#,
            #"{"addresses":["tcp://unix:/run/x"]}"#, #"{"addresses":["tcp://11.0.0.1:70000"]}"#,
        ])
    func nothing(answer: String) { #expect(OutsideObserver.place(in: Array(answer.utf8)) == nil) }

    @Test("the first one that can be used is taken")
    func first() {
        let answer =
            #"{"seen":"x","addresses":["blip://a:1","tcp://name:2","tcp://[2001:db8::1]:3","tcp://192.0.2.1:4"]}"#
        #expect(OutsideObserver.place(in: Array(answer.utf8))?.endpoint == .host("2001:db8::1", port: 3))
    }

    @Test("where another server answers, or none, nothing is known", .timeLimit(.minutes(2)))
    func otherServer() async throws {
        let identity = try TLSIdentity.generate()
        let listener = try LinkListener.listen(
            on: .host("127.0.0.1", port: 0), options: TestServer.patient(LinkOptions(identity: identity))
        ) { _ in TestHandler() }
        let (host, port) = ("127.0.0.1", try #require(SocketAddress(at: listener.localEndpoint)).port)
        let own = try #require(HolePunch.freePort())
        let wrong = OutsideObserver(host: host, port: port, id: RelayID(ofCertificate: [1]))
        #expect(await wrong.place(of: own) == nil)
        listener.close()
        #expect(await wrong.place(of: own) == nil)
    }
}

/// Answers as a stdiscosrv does: 204 to what is stored, this to what is asked.
private final class ObservingServer: Sendable {
    private let listener: TCPListener
    private let identity: TLSIdentity

    var observer: OutsideObserver? {
        guard case .host(let host, let port) = listener.localEndpoint, let id = identity.relayID else { return nil }
        return OutsideObserver(host: host, port: port, id: id)
    }

    init(answer: String) throws {
        identity = try TLSIdentity.generate()
        listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        let (listener, identity) = (listener, identity)
        let found = "HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)"
        Task {
            for await connection in listener {
                Task {
                    var configuration = TLSConfiguration.server(identity: identity)
                    configuration.trust = .anyKey
                    configuration.clientCertificates = .required
                    try await connection.upgradeToTLS(configuration, role: .server)
                    var heard = ""
                    while case let some = try await connection.readSome(), !some.isEmpty {
                        heard += String(decoding: some, as: UTF8.self)
                        let isQuestion = heard.hasPrefix("GET ")
                        guard heard.hasSuffix(isQuestion ? "\r\n\r\n" : "]}") else { continue }
                        heard = ""
                        let reply = isQuestion ? found : "HTTP/1.1 204 No Content\r\n\r\n"
                        try await connection.write(Array(reply.utf8))
                    }
                }
            }
        }
    }

    deinit { listener.close() }
}

extension OutsideObserverTests {
    @Test("REACH 6: an answer has 4 KiB at most", .timeLimit(.minutes(2)))
    func size() async throws {
        func answer(bytes: Int) -> String {
            let begin = #"{"addresses":["tcp://192.0.2.1:4"],"more":""#
            return begin + String(repeating: "a", count: bytes - begin.utf8.count - 2) + "\"}"
        }
        let largest = try ObservingServer(answer: answer(bytes: 4096))
        let observer = try #require(largest.observer)
        // On a busy machine an answer may come too late.
        let place = try await eventuallyGet("the place") {
            guard let port = HolePunch.freePort() else { return nil as SocketAddress? }
            return await observer.place(of: port)
        }
        #expect(place.endpoint == .host("192.0.2.1", port: 4))
        let larger = try ObservingServer(answer: answer(bytes: 4097))
        let other = try #require(larger.observer)
        for _ in 0..<3 {
            let port = try #require(HolePunch.freePort())
            #expect(await other.place(of: port) == nil)
        }
    }
}

extension SocketAddress {
    /// Of a numeric endpoint.
    fileprivate init?(at endpoint: Endpoint) {
        guard case .host(let host, let port) = endpoint else { return nil }
        self.init(host: host, port: port)
    }
}
